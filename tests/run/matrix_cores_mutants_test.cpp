// SPDX-License-Identifier: Apache-2.0
// Mutants over kernels on AMD's matrix cores of floats, by their twins: what is wrong with what
// goes in or comes out is seen whatever multiplies. Mutants of a kernel's own arithmetic, pairs and
// offsets need one that can be told to go wrong, which is that of tests/mutants alone.
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/forced.h"
#include "config/expand.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "gpu/buffer.h"
#include "gpu/mma/matrix_cores_in_use.h"
#include "gpu/mma/matrix_twin_host.h"
#include "mutants/caught_by.h"
#include "mutants/defects.h"
#include "mutants/mutants.h"
#include "run/verify_case.h"

namespace spb::run {
namespace {

using mutants::Mutant;

/// A right plan between the hooks of a mutant that see operands and outputs.
class HookedPlan final : public Plan {
 public:
  HookedPlan(const Case& of, std::unique_ptr<Plan> right, maps::BuildContext context,
             const mutants::Hooks& hooks)
      : right_(std::move(right)), hooks_(hooks) {
    state_.problem = of.problem;
    state_.guards = context.allocator.guards();
    state_.map = right_->map(context.stream);
    std::ranges::sort(state_.map.triples);
    state_.n_in = right_->size().n_in;
    state_.n_out = right_->size().n_out;
    const auto memory = [&](int64_t elements) {
      return gpu::Buffer<std::byte>(context.allocator, elements * element_bytes(),
                                    gpu::Tag::workspace);
    };
    in_ = memory(state_.n_in * of.problem.c_in);
    weights_ = memory(weight_count(of.problem));
    gout_ = memory(state_.n_out * of.problem.c_out);
    output_ = memory(state_.rows() * state_.cols());
  }

  void run(const Operands& given, const gpu::Stream& stream) override {
    Operands operands = given;
    mutants::read_operands(state_, given, stream);
    if (hooks_.operands) {
      hooks_.operands(state_);
      replace(state_.in, operands.in, in_, stream);
      replace(state_.weights, operands.weights, weights_, stream);
      replace(state_.gout, operands.gout, gout_, stream);
    }
    (operands.out ? operands.out : operands.gin ? operands.gin : operands.gw) = output_.data();
    right_->run(operands, stream);

    std::vector<float> result =
        mutants::read_floats(output_.data(), state_.rows() * state_.cols(), storage(), stream);
    if (hooks_.result) hooks_.result(state_, result);
    ++state_.runs;
    mutants::write_result(state_, hooks_, given, result, stream);
  }
  const PlanDescription& description() const override { return right_->description(); }
  MapSize size() const override { return right_->size(); }
  MapSet map(const gpu::Stream&) const override { return mutants::shown_map(state_, hooks_); }

 private:
  Storage storage() const { return info(state_.problem.dtype).in; }
  int64_t element_bytes() const { return info(storage()).bytes; }
  /// By values in memory of the plan.
  void replace(const std::vector<float>& values, const void*& operand,
               gpu::Buffer<std::byte>& memory, const gpu::Stream& stream) const {
    if (!operand) return;
    mutants::write_floats(memory.data(), values, storage(), stream);
    operand = memory.data();
  }

  std::unique_ptr<Plan> right_;
  mutants::Hooks hooks_;
  mutants::State state_;
  gpu::Buffer<std::byte> in_, weights_, gout_, output_;
};

/// The variant with the mutant's defect.
Algorithm mutated(const std::string& variant, const Mutant& mutant) {
  const Algorithm right = forced("masked_implicit_gemm", variant);
  Algorithm row = right;
  row.name = mutant.name;
  row.plan_with = [right, hooks = mutant.hooks](const Case& of, const maps::Maps& maps,
                                                maps::BuildContext context) {
    return std::make_unique<HookedPlan>(of, right.plan_with(of, maps, context), context, hooks);
  };
  return row;
}

Problem problem_of(const Mutant& mutant, Dtype dtype) {
  config::SuiteOptions options;
  options.shapes[0].datasets = {"sphere:6"};
  std::istringstream words(mutant.layer.options);
  for (std::string flag, value; words >> flag >> value;) {
    std::string name = flag.substr(2);
    std::ranges::replace(name, '-', '_');
    config::set_option(options, name, std::vector<std::string>{value}, flag);
  }
  options.dtypes = {dtype};
  options.directions = {mutant.direction};
  options.algorithms = {"any"};
  return config::expand(options, options.algorithms).at(0).problem;
}

/// Whether its defect is one of operands, outputs or the shown map, and no rounding.
bool is_of_data_flow(const Mutant& mutant) {
  const mutants::Hooks& h = mutant.hooks;
  const bool in_kernel =
      h.load || h.keeps || h.weights_of || h.multiply || h.accumulate || h.requantize;
  const bool rounds = h.store || h.epilogue || h.operands == mutants::round_operands_to_tf32;
  const bool outside = h.operands || h.result || h.write || h.exposed_map;
  const std::string_view layer = mutant.layer.name, check = mutant.seen_by;
  // Twins are slow: repeats are then few, and one run of 16 may be one that does not show it.
  const bool needs_many_runs = check == mutants::kAnyExact;
  return outside && !in_kernel && !rounds && !needs_many_runs && !*mutant.forced &&
         !info(mutant.dtype).is_scaled() && layer != mutants::kDepthwise.name;
}

std::vector<Mutant> mutants_of_data_flow() {
  std::vector<Mutant> all;
  std::ranges::copy_if(mutants::mutants(), std::back_inserter(all), is_of_data_flow);
  return all;
}

std::string variant_of(Direction direction, Dtype dtype) {
  const bool wgrad = direction == Direction::wgrad;
  if (!gpu::device_has(gpu::MatrixCores::cdna))
    return wgrad ? "wmma_gfx12_64x64x64_s1" : "wmma_gfx12_64x64x32";
  if (dtype == Dtype::f32) return wgrad ? "mfma_f32_32x32x32_s1" : "mfma_f32_64x32x32";
  return wgrad ? "mfma_64x64x64_s1" : "mfma_64x64x64";
}

Verdict verdict_of(const Mutant& mutant, Dtype dtype) {
  const Problem problem = problem_of(mutant, dtype);
  const engines::Native native(mutated(variant_of(mutant.direction, dtype), mutant));
  CaseData data("sphere:6", data::generate("sphere:6"));
  const auto contender = native.prepare(problem, data.voxels(), true);
  return verify_case(*contender, native.name(), problem, data, {}, [](const std::string&) {});
}

class MatrixCoresMutants : public testing::TestWithParam<Mutant> {
 protected:
  void TearDown() override { gpu::host_matrix_arithmetic = chip_; }

  static bool is_last_bit_of_f32() { return GetParam().hooks.result == mutants::vary_between_runs; }
  static Dtype half() { return GetParam().dtype == Dtype::bf16 ? Dtype::bf16 : Dtype::f16; }
  /// In its own dtype by the check that its table names.
  void is_caught(Dtype dtype) const {
    const Mutant& mutant = GetParam();
    const Verdict verdict = verdict_of(mutant, dtype);
    ASSERT_TRUE(verdict.failed()) << name(verdict.status);
    if (dtype == mutant.dtype) {
      EXPECT_EQ(mutants::caught_by(verdict.detail), mutant.seen_by) << verdict.detail;
    }
  }

 private:
  const gpu::MatrixArithmetic chip_ = gpu::host_matrix_arithmetic;
};

TEST_P(MatrixCoresMutants, AreCaughtAsOnGfx942OrByWmma) {
  const bool has_f32 = gpu::device_has(gpu::MatrixCores::cdna);
  gpu::host_matrix_arithmetic = gpu::MatrixArithmetic::gfx942;
  if (!has_f32 && is_last_bit_of_f32()) GTEST_SKIP() << "a last bit of fp32 is none of f16";
  is_caught(has_f32 ? GetParam().dtype : half());
}

TEST_P(MatrixCoresMutants, AreCaughtAsOnGfx90a) {
  if (!gpu::device_has(gpu::MatrixCores::cdna)) GTEST_SKIP() << "of other lanes";
  if (is_last_bit_of_f32()) GTEST_SKIP() << "a last bit of fp32 is none of f16";
  gpu::host_matrix_arithmetic = gpu::MatrixArithmetic::gfx90a;
  is_caught(half());
}

// docs/kernels/matrix_cores.md says how many there are.
TEST(MatrixCoresMutantControls, AreOfThirtyMutants) {
  EXPECT_EQ(mutants_of_data_flow().size(), 30u);
}

// Without a hook nothing is caught.
TEST(MatrixCoresMutantControls, Pass) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    const Mutant control{.name = "control",
                         .summary = "correct",
                         .direction = direction,
                         .dtype = Dtype::f16,
                         .layer = mutants::kStrided,
                         .seen_by = "",
                         .hooks = {}};
    const Verdict verdict = verdict_of(control, control.dtype);
    EXPECT_EQ(verdict.status, VerifyStatus::pass) << name(direction) << verdict.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MatrixCoresMutants, testing::ValuesIn(mutants_of_data_flow()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace spb::run
