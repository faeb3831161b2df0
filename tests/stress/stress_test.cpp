// SPDX-License-Identifier: Apache-2.0
// Every kernel many times on changing shapes: what goes wrong once in thousands of runs, or hangs.
// SPB_STRESS_RUNS says how often each kernel runs per dtype (10000 for a proof; 30 otherwise).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "algorithms/device_run.h"
#include "gpu/device_info.h"
#include "kernels/kernel_variants.h"
#include "stress/watchdog.h"

namespace spb {
namespace {

constexpr int kShapes = 40;        // of a proof; each runs kRunsPerCheck times at least
constexpr int kRunsPerCheck = 10;  // without a look in between
constexpr int kDraws = 3000;       // until a shape suits the kernel

/// Of a shape: the truth is summed by one thread, and on host the kernels take as long.
double most_macs() { return gpu::on_host() ? 1e7 : 2e8; }

constexpr int kPowersOfTwo[] = {16, 32, 64, 128, 256};

constexpr const char* kGeometries[] = {
    "subm k3x3x3 s1x1x1 d1x1x1",    "subm k3x3x3 s1x1x1 d1x1x1",   "subm k3x3x3 s1x1x1 d2x2x2",
    "subm k5x5x5 s1x1x1 d1x1x1",    "subm k1x3x5 s1x1x1 d1x1x1",   "subm k1x1x1 s1x1x1 d1x1x1",
    "strided k3x3x3 s2x2x2 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1"};

int asked_runs() {
  const char* text = std::getenv("SPB_STRESS_RUNS");
  return text ? std::max(1, std::atoi(text)) : 30;
}

struct Kernel {
  const KernelVariant* variant;
  bool is_wgrad;
  Dtype dtype;
};

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const bool is_wgrad : {false, true})
    for (const KernelVariant& variant : is_wgrad ? wgrad_variants() : row_variants())
      for (const Math& dtype : float_dtypes())
        if (variant.dtypes & dtype_bit(dtype.dtype))
          all.push_back({&variant, is_wgrad, dtype.dtype});
  return all;
}

std::string title(const Kernel& kernel) {
  return std::string(kernel.is_wgrad ? "wgrad_" : "rows_") + kernel.variant->name + "_" +
         info(kernel.dtype).name;
}

/// Shapes drawn at random: voxels and channels over orders of magnitude.
class Draw {
 public:
  explicit Draw(const std::string& name) {
    std::seed_seq seed(name.begin(), name.end());
    random_.seed(seed);
  }

  template <typename Item>
  const Item& pick(std::span<const Item> items) {
    return items[static_cast<size_t>(between(0, static_cast<int>(items.size()) - 1))];
  }

  Problem problem(const Kernel& kernel) {
    Problem drawn = parse_problem(std::string(pick(std::span<const char* const>(kGeometries))) +
                                      " c1:1 " + info(kernel.dtype).name + " " +
                                      (kernel.is_wgrad ? "wgrad"
                                       : between(0, 1) ? "fprop"
                                                       : "dgrad"),
                                  "stress");
    drawn.c_in = channels(kernel.variant->channel_multiple);
    drawn.c_out = channels(kernel.variant->channel_multiple);
    drawn.bias = between(0, 1) == 1;
    drawn.epilogue = naive::epilogue_of(drawn, seed());
    return drawn;
  }
  VoxelSet voxels(const Problem& problem) {
    const double macs = std::exp(real(std::log(1e4), std::log(most_macs())));
    const double per_row = static_cast<double>(problem.c_out) * problem.group_c_in() *
                           std::min(problem.kernel_volume(), 27) / 2;
    const auto count = static_cast<int64_t>(std::clamp(macs / per_row, 1.0, 6e4));
    // A quarter of the box to all of it.
    const double cells = static_cast<double>(count) * real(1, 4);
    const auto edge = static_cast<int32_t>(std::ceil(std::cbrt(cells)));
    return naive::random_voxels({1, {edge, edge, edge}}, count, seed());
  }
  uint32_t seed() { return static_cast<uint32_t>(random_()); }

 private:
  int channels(int multiple) {
    // Some kernels are for one width, and ranges of tiles end at these.
    if (between(0, 2) == 0) return pick(std::span<const int>(kPowersOfTwo));
    const int drawn = static_cast<int>(std::exp(real(0, std::log(300.0))));
    const bool odd = multiple == 1 && between(0, 2) == 0;
    const int step = odd ? 1 : std::max(multiple, 8);
    return std::max(step, drawn / step * step);
  }
  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  double real(double least, double most) {
    return std::uniform_real_distribution(least, most)(random_);
  }

  std::mt19937 random_;
};

/// One shape and one way to do it with the kernel.
struct Shape {
  Algorithm algorithm;
  Problem problem;
  VoxelSet voxels;
};

/// Nothing when no drawn shape suits the kernel: `reason` is why the last one did not.
std::optional<Shape> draw_shape(Draw& draw, const Kernel& kernel, std::string& reason) {
  for (int i = 0; i < kDraws; ++i) {
    Shape shape{draw.pick(algorithms()), draw.problem(kernel), {}};
    if (!shape.algorithm.choices) continue;
    shape.algorithm.choice = {.values = {{"kernel", kernel.variant->name}},
                              .source = ChoiceSource::forced};
    if (const auto why = shape.algorithm.unsupported(shape.problem)) {
      reason = *why;
      continue;
    }
    shape.voxels = draw.voxels(shape.problem);
    const int64_t n = shape.voxels.size();
    std::vector<Choice> choices =
        shape.algorithm.choices({shape.problem, n, n, 8 * n}, ChoiceRange::all);
    std::erase_if(choices, [&](const Choice& choice) {
      const std::string* named = choice.find("kernel");
      return !named || *named != kernel.variant->name;
    });
    if (!choices.empty()) shape.algorithm.choice = draw.pick(std::span<const Choice>(choices));
    return shape;
  }
  return std::nullopt;
}

/// Runs the shape as often as it may, every few runs on buffers of other bytes: the same right
/// bits.
void expect_right_bits(const Shape& shape, int runs, uint32_t seed, Watchdog& watchdog) {
  DeviceRun device(shape.algorithm, shape.problem, shape.voxels);
  const std::string work = std::string(shape.algorithm.name) + " " + to_text(shape.problem) + ", " +
                           std::to_string(device.n_in()) +
                           " voxels: " + device.plan().description().kernel + " " +
                           device.plan().description().params_json;
  SCOPED_TRACE(work);
  watchdog.begin(work);
  const naive::Inputs inputs =
      naive::integer_inputs(shape.problem, device.n_in(), device.n_out(), seed);
  device.set_inputs(inputs);
  const std::vector<float> expected =
      naive::compute(shape.problem, device.map(), device.n_in(), inputs);
  for (int run = 0; run < runs; run += kRunsPerCheck)
    ASSERT_EQ(device.run(static_cast<uint8_t>(0x7F + run), std::min(kRunsPerCheck, runs - run)),
              expected)
        << "after " << run << " runs";
}

/// Of one shape, `done` of all being through.
int runs_of_shape(int done) {
  return std::min(std::max(asked_runs() / kShapes, kRunsPerCheck), asked_runs() - done);
}

class Stress : public testing::TestWithParam<Kernel> {};

TEST_P(Stress, EveryRunGivesTheSameRightBits) {
  const Kernel& kernel = GetParam();
  // On host a run takes up to a second.
  Watchdog watchdog(std::chrono::seconds(120));
  Draw draw(title(kernel));
  std::string reason;
  for (int done = 0; done < asked_runs();) {
    const std::optional<Shape> shape = draw_shape(draw, kernel, reason);
    if (!shape) {
      ASSERT_EQ(done, 0) << "then no shape suited the kernel: " << reason;
      GTEST_SKIP() << reason;
    }
    const int runs = runs_of_shape(done);
    expect_right_bits(*shape, runs, draw.seed(), watchdog);
    if (HasFatalFailure()) return;
    done += runs;
  }
}

/// Algorithms whose kernels are no tile kernels: nothing to choose, and groups of their own.
TEST(StressOfChannels, EveryRunGivesTheSameRightBits) {
  Watchdog watchdog(std::chrono::seconds(120));
  Draw draw("depthwise");
  const Algorithm& algorithm = algorithm_named("depthwise");
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    for (const bool is_wgrad : {false, true}) {
      const KernelVariant any{};
      for (int done = 0, runs = 0; done < asked_runs(); done += runs) {
        runs = runs_of_shape(done);
        const Problem problem = taken_by(algorithm, draw.problem({&any, is_wgrad, dtype}));
        expect_right_bits({algorithm, problem, draw.voxels(problem)}, runs, draw.seed(), watchdog);
        if (HasFatalFailure()) return;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Stress, testing::ValuesIn(kernels()),
                         [](const auto& tested) { return title(tested.param); });

}  // namespace
}  // namespace spb
