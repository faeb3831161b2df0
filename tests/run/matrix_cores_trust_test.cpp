// SPDX-License-Identifier: Apache-2.0
// Suite trust on AMD's matrix cores, by their twins: each of its shapes on few voxels, in both
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
#include "kernels/gather_gemm/matrix_cores/tiles.h"
#include "kernels/wgrad/matrix_cores/tiles.h"
#include "run/verify_case.h"

namespace spb::run {
namespace {

constexpr const char* kTrustAlgorithm = "masked_implicit_gemm";

/// Its cases of a dtype and a direction, as the program reads them.
std::vector<config::CaseSpec> trust_cases(Dtype dtype, Direction direction) {
  const std::vector<std::string> algorithm{kTrustAlgorithm};
  std::vector<config::CaseSpec> cases = config::expand(
      config::read_suite(std::string(SPB_SOURCE_DIR) + "/configs/suites/trust.toml"), algorithm);
  std::erase_if(cases, [&](const config::CaseSpec& spec) {
    return spec.problem.dtype != dtype || spec.problem.direction != direction;
  });
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

class MatrixCoresTrust : public testing::TestWithParam<std::tuple<Dtype, Direction>> {
 protected:
  void SetUp() override {
    const auto& [dtype, direction] = GetParam();
    const bool wgrad = direction == Direction::wgrad;
    for (const plans::MatrixTile& tile :
         wgrad ? std::span<const plans::MatrixTile>(plans::kMatrixWgradTiles)
               : std::span<const plans::MatrixTile>(plans::kMatrixRowTiles))
      if (tile.dtypes & dtype_bit(dtype) && gpu::device_has(tile.cores))
        variants_.emplace_back(tile.name);
    if (variants_.empty()) GTEST_SKIP() << "no matrix core of these lanes takes the dtype";
  }
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
    EXPECT_EQ(verdict.modes, "exact,fp") << variant << " " << to_text(problem);
    EXPECT_EQ(verdict.verified_fraction, 1);
    EXPECT_LT(verdict.max_tolerance_ratio, 1);
    const bool passes = verdict.status == VerifyStatus::pass;
    counts_[variant].verified += passes;
    return passes;
  }

  std::vector<std::string> variants_;
  std::map<std::string, TrustCount> counts_;
};

TEST_P(MatrixCoresTrust, IsRightOnEveryShape) {
  const auto& [dtype, direction] = GetParam();
  const std::vector<config::CaseSpec> cases = trust_cases(dtype, direction);
  ASSERT_FALSE(cases.empty());
  for (const config::CaseSpec& whole : cases) {
    const config::CaseSpec spec = reduced(whole);
    CaseData data(spec.dataset, few_voxels(spec));
    const auto pairs = data.reference_map(spec.problem.geometry).triples.size();
    EXPECT_GT(pairs, 0u) << full_text(spec);
    int verified = 0;
    for (const std::string& variant : variants_) verified += verifies(variant, spec.problem, data);
    // Depthwise layers have an algorithm of their own.
    const bool depthwise = group_kind(spec.problem) == GroupKind::depthwise;
    EXPECT_EQ(verified, depthwise ? 0 : static_cast<int>(variants_.size())) << full_text(spec);
  }
  for (const std::string& variant : variants_) {
    EXPECT_GT(counts_[variant].verified, 0) << variant;
    fmt::print("{} {} {}: {}\n", variant, info(dtype).name, name(direction),
               counts_[variant].text());
  }
}

std::string trust_name(const testing::TestParamInfo<std::tuple<Dtype, Direction>>& of) {
  const auto& [dtype, direction] = of.param;
  return fmt::format("{}_{}", info(dtype).name, name(direction));
}
INSTANTIATE_TEST_SUITE_P(
    All, MatrixCoresTrust,
    testing::Combine(testing::Values(Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16),
                     testing::Values(Direction::fprop, Direction::dgrad, Direction::wgrad)),
    trust_name);

}  // namespace
}  // namespace spb::run
