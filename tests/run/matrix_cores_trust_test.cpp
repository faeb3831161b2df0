// SPDX-License-Identifier: Apache-2.0
// Suite trust on matrix cores, by their twins: each of its shapes on few voxels, in both
// modes, by each variant that the build's warps are wide enough for.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/forced.h"
#include "config/expand.h"
#include "config/suite_file.h"
#include "data/generate.h"
#include "data/voxelize.h"
#include "engines/native/native.h"
#include "gpu/mma/matrix_cores_in_use.h"
#include "gpu/mma/matrix_twin_host.h"
#include "kernels/gather_gemm/matrix_cores/tiles.h"
#include "kernels/wgrad/matrix_cores/tiles.h"
#include "run/verify_case.h"

namespace spb::run {
namespace {

constexpr const char* kTrustAlgorithm = "masked_implicit_gemm";

/// Its cases of a dtype and a direction, as the program reads them. It has no integers: those get
/// the shapes of f16, with channels in fours.
std::vector<config::CaseSpec> trust_cases(Dtype dtype, Direction direction) {
  const std::vector<std::string> algorithm{kTrustAlgorithm};
  std::vector<config::CaseSpec> cases = config::expand(
      config::read_suite(std::string(SPB_SOURCE_DIR) + "/configs/suites/trust.toml"), algorithm);
  const bool bytes = info(dtype).is_integer();
  std::erase_if(cases, [&](const config::CaseSpec& spec) {
    return spec.problem.dtype != (bytes ? Dtype::f16 : dtype) ||
           spec.problem.direction != direction;
  });
  for (config::CaseSpec& spec : cases) {
    if (!bytes) break;
    spec.problem.dtype = dtype;
    for (int* channels : {&spec.problem.c_in, &spec.problem.c_out})
      *channels = (*channels + 3) / 4 * 4;
  }
  return cases;
}

/// Pairs of channels that a kernel multiplies for a pair of rows: narrow groups fill a tile, too.
int products(const Problem& problem) {
  constexpr int kNarrowest = 16;
  return problem.groups * std::max(problem.group_c_in(), kNarrowest) *
         std::max(problem.group_c_out(), kNarrowest);
}

/// What twins have the time for of a case: the first rows of a small sphere for those of a large
/// one, and of the widest channels few offsets.
config::CaseSpec reduced(config::CaseSpec spec) {
  constexpr int kTooWide = 1 << 16;
  if (products(spec.problem) > kTooWide) spec.problem.geometry.kernel_size = {1, 3, 1};
  return spec;
}
VoxelSet few_voxels(const config::CaseSpec& spec) {
  constexpr int kMostProducts = 3 << 10, kFewest = 2, kSeveralTiles = 130;
  VoxelSet voxels = data::generate("sphere:8");
  // The first row is a cell that layers with strides, dilation and padding reach: (3, 3, 3).
  constexpr Int3 kShift{3, 1, 0};
  for (Coord& coord : voxels.coords) {
    coord.x += kShift[0];
    coord.y += kShift[1];
  }
  for (size_t axis = 0; axis < kShift.size(); ++axis) voxels.box.shape[axis] += kShift[axis];
  const bool grows = spec.problem.geometry.kind == ConvKind::generative;
  const int share = spec.batch_copies * (grows ? spec.problem.kernel_volume() : 1);
  const int rows = spec.dataset == "sphere:512"
                       ? kSeveralTiles
                       : std::max(kMostProducts / (products(spec.problem) * share), kFewest);
  voxels.coords.resize(static_cast<size_t>(rows));
  data::copy_as_batches(voxels, spec.batch_copies);
  return voxels;
}

/// How often a variant was right, and what it refused, by reason.
struct TrustCount {
  int verified = 0;
  std::map<std::string, int> unsupported;

  std::string text() const {
    std::string all = fmt::format("{} verified", verified);
    for (const auto& [reason, count] : unsupported)
      all += fmt::format(", {} unsupported: {}", count, reason);
    return all;
  }
};

/// Of the arithmetic of a chip, which has some variants alone.
using TrustOf = std::tuple<Dtype, Direction, gpu::MatrixArithmetic>;

class MatrixCoresTrust : public testing::TestWithParam<TrustOf> {
 protected:
  void SetUp() override {
    const auto& [dtype, direction, chip] = GetParam();
    gpu::host_matrix_arithmetic = chip;
    const bool wgrad = direction == Direction::wgrad;
    for (const plans::MatrixTile& tile :
         wgrad ? std::span<const plans::MatrixTile>(plans::kMatrixWgradTiles)
               : std::span<const plans::MatrixTile>(plans::kMatrixRowTiles))
      if (tile.dtypes & dtype_bit(dtype) && gpu::device_has(tile.cores))
        variants_.emplace_back(tile.name);
    if (variants_.empty()) GTEST_SKIP() << "no matrix core of these lanes takes the dtype";
    if (chip != chip_ && gpu::device_has(gpu::MatrixCores::gfx12)) GTEST_SKIP() << "the same";
  }
  void TearDown() override { gpu::host_matrix_arithmetic = chip_; }
  /// Whether it can do the problem; then it is right.
  bool verifies(const std::string& variant, const Problem& problem, CaseData& data) {
    const engines::Native native(forced(kTrustAlgorithm, variant));
    if (const auto reason = native.unsupported(problem)) {
      EXPECT_FALSE(reason->empty());
      ++counts_[variant].unsupported[*reason];
      return false;
    }
    const auto contender = native.prepare(problem, data.voxels(), true);
    std::string lines;
    // By the variant's name: what is done once for an algorithm is done for each of them.
    const Verdict verdict = verify_case(*contender, variant, problem, data, {},
                                        [&](const std::string& line) { lines += line + '\n'; });
    EXPECT_EQ(verdict.status, VerifyStatus::pass)
        << variant << " " << to_text(problem) << ": " << verdict.detail << "\n"
        << lines;
    EXPECT_EQ(verdict.modes, info(problem.dtype).is_integer() ? "exact" : "exact,fp")
        << variant << " " << to_text(problem);
    EXPECT_EQ(verdict.verified_fraction, 1);
    EXPECT_LT(verdict.max_tolerance_ratio, 1);
    const bool passes = verdict.status == VerifyStatus::pass;
    counts_[variant].verified += passes;
    return passes;
  }

  std::vector<std::string> variants_;
  std::map<std::string, TrustCount> counts_;

 private:
  const gpu::MatrixArithmetic chip_ = gpu::host_matrix_arithmetic;
};

TEST_P(MatrixCoresTrust, IsRightOnEveryShape) {
  const auto& [dtype, direction, chip] = GetParam();
  const std::vector<config::CaseSpec> cases = trust_cases(dtype, direction);
  ASSERT_FALSE(cases.empty());
  for (const config::CaseSpec& whole : cases) {
    const config::CaseSpec spec = reduced(whole);
    CaseData data(spec.dataset, few_voxels(spec));
    const auto pairs = data.reference_map(spec.problem.geometry).triples.size();
    EXPECT_GT(pairs, 0u) << full_text(spec);
    int verified = 0;
    for (const std::string& variant : variants_) verified += verifies(variant, spec.problem, data);
    // Depthwise layers have an algorithm of their own, and integers take one group.
    const bool refused = group_kind(spec.problem) == GroupKind::depthwise ||
                         (info(dtype).is_integer() && spec.problem.groups > 1);
    EXPECT_EQ(verified, refused ? 0 : static_cast<int>(variants_.size())) << full_text(spec);
  }
  for (const std::string& variant : variants_) {
    EXPECT_GT(counts_[variant].verified, 0) << variant;
    fmt::print("{} {} {}: {}\n", variant, info(dtype).name, name(direction),
               counts_[variant].text());
  }
}

std::string trust_name(const testing::TestParamInfo<TrustOf>& of) {
  const auto& [dtype, direction, chip] = of.param;
  return fmt::format("{}_{}{}", info(dtype).name, name(direction),
                     chip == gpu::MatrixArithmetic::gfx90a ? "_gfx90a" : "");
}
INSTANTIATE_TEST_SUITE_P(
    OfFloats, MatrixCoresTrust,
    testing::Combine(testing::Values(Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16),
                     testing::Values(Direction::fprop, Direction::dgrad, Direction::wgrad),
                     testing::Values(gpu::MatrixArithmetic::gfx942)),
    trust_name);
INSTANTIATE_TEST_SUITE_P(
    OfIntegers, MatrixCoresTrust,
    testing::Combine(testing::Values(Dtype::i8), testing::Values(Direction::fprop),
                     testing::Values(gpu::MatrixArithmetic::gfx942, gpu::MatrixArithmetic::gfx90a)),
    trust_name);

}  // namespace
}  // namespace spb::run
