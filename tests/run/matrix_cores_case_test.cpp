// SPDX-License-Identifier: Apache-2.0
// Kernels on matrix cores, by their twins: what verification says of the arithmetic of
// gfx942 and gfx90a, and of fragments that lie in each other's lanes. Shapes are those of suite
// trust, reduced.
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/forced.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "gpu/mma/matrix_cores_in_use.h"
#include "gpu/mma/matrix_twin_host.h"
#include "kernels/gather_gemm/matrix_cores/tiles.h"
#include "kernels/kernel_variants.h"
#include "kernels/matrix_cores/places.h"
#include "kernels/wgrad/matrix_cores/tiles.h"
#include "run/run_case.h"
#include "run/verify_case.h"

namespace spb::run {
namespace {

// Few offsets: a twin takes microseconds for each lane of an instruction.
constexpr const char* kLayers[] = {"subm k3x1x1 s1x1x1 d1x1x1 c33:17",
                                   "strided k1x2x2 s1x2x2 d1x1x1 c8:24"};
// Bytes take channels in fours.
constexpr const char* kByteLayers[] = {"subm k3x1x1 s1x1x1 d1x1x1 c36:20",
                                       "strided k1x2x2 s1x2x2 d1x1x1 c144:24"};

/// A tile of one of both kernels.
class MatrixCoresCase : public testing::TestWithParam<plans::MatrixTile> {
 protected:
  void SetUp() override {
    if (GetParam().cores == gpu::MatrixCores::cdna2)
      gpu::host_matrix_arithmetic = gpu::MatrixArithmetic::gfx90a;
  }
  void TearDown() override {
    gpu::host_matrix_arithmetic = chip_;
    gpu::host_swapped_lanes = {};
  }
  Algorithm forced_kernel() const { return forced(algorithm_, GetParam().name); }
  bool runs(const Problem& problem) const { return !forced_kernel().unsupported(problem); }
  /// Of what the plan says of the chip's arithmetic; then it `computes` by that of another.
  Verdict verdict_of(const Problem& problem,
                     std::optional<gpu::MatrixArithmetic> computes = std::nullopt) const {
    CaseData data("sphere:4", data::generate("sphere:4"));
    const engines::Native native(forced_kernel());
    const auto contender = native.prepare(problem, data.voxels(), true);
    if (computes) gpu::host_matrix_arithmetic = *computes;
    return verify_case(*contender, native.name(), problem, data, {}, [](const std::string&) {});
  }
  void is_right(const std::string& layer) const {
    const Problem problem = parse_problem(layer, "test");
    if (!gpu::device_has(GetParam().cores)) GTEST_SKIP() << "of other lanes";
    ASSERT_TRUE(runs(problem)) << layer;
    const bool flushes = GetParam().cores == gpu::MatrixCores::cdna && problem.dtype != Dtype::f32;
    for (const auto chip : {gpu::MatrixArithmetic::gfx942, gpu::MatrixArithmetic::gfx90a}) {
      if (GetParam().cores != gpu::MatrixCores::cdna2) gpu::host_matrix_arithmetic = chip;
      const Verdict verdict = verdict_of(problem);
      EXPECT_EQ(verdict.status, VerifyStatus::pass) << layer << verdict.detail;
      EXPECT_EQ(verdict.modes, info(problem.dtype).is_integer() ? "exact" : "exact,fp");
      EXPECT_LT(verdict.max_tolerance_ratio, 1);
      if (!flushes) return;  // the same on both
    }
  }
  /// gfx90a takes subnormals for zeros: wrong where the plan does not say so, as is another
  /// arithmetic where it does.
  void flushes_are_told(const std::string& layer) const {
    using gpu::MatrixArithmetic;
    if (GetParam().cores != gpu::MatrixCores::cdna || GetParam().dtypes != kHalfDtypes) return;
    const Problem problem = parse_problem(layer, "test");
    if (!runs(problem)) GTEST_SKIP() << "of other lanes";
    for (const auto& [said, done] :
         {std::pair(MatrixArithmetic::gfx942, MatrixArithmetic::gfx90a),
          std::pair(MatrixArithmetic::gfx90a, MatrixArithmetic::gfx942)}) {
      gpu::host_matrix_arithmetic = said;
      const Verdict verdict = verdict_of(problem, done);
      EXPECT_EQ(verdict.status, VerifyStatus::fail);
      EXPECT_EQ(verdict.detail.find("exact single_"), 0u) << verdict.detail;
    }
  }
  /// Of two lines, lanes that hold what even few channels have.
  static gpu::SwappedLanes swapped(Dtype dtype, bool of_b) {
    const gpu::LaneTable table = plans::places_of(GetParam(), dtype).table;
    return {table.lane(2, 0), table.lane(9 % table.size, 0), of_b};
  }
  template <class F>
  void for_each_dtype(F f) const {
    for (const Math& math : dtypes())
      if (GetParam().dtypes & dtype_bit(math.dtype)) f(std::string(" ") + math.name);
  }

  const char* algorithm_ = "masked_implicit_gemm";

 private:
  const gpu::MatrixArithmetic chip_ = gpu::host_matrix_arithmetic;
};

TEST_P(MatrixCoresCase, IsRightInBothModes) {
  if (GetParam().dtypes == kIntegerDtypes)
    return for_each_dtype([&](const std::string& dtype) {
      for (const char* layer : kByteLayers)
        if (dtype == " i8_i32")
          is_right(layer + dtype + " fprop");
        else
          for (const char* epilogue : {" fprop bias", " fprop bias residual+hswish"})
            is_right(layer + dtype + epilogue);
    });
  for_each_dtype([&](const std::string& dtype) {
    for (const char* layer : kLayers)
      for (const char* direction : {" fprop bias", " dgrad"}) is_right(layer + dtype + direction);
  });
}

TEST_P(MatrixCoresCase, AddsUpSlicesOfIntegers) {
  if (GetParam().dtypes != kIntegerDtypes) GTEST_SKIP() << "of floats";
  for (const char* algorithm : {"masked_implicit_gemm_splitk", "split_masked_implicit_gemm"}) {
    algorithm_ = algorithm;
    is_right(std::string(kByteLayers[0]) + " i8 fprop bias relu");
    is_right(std::string(kByteLayers[0]) + " i8_i32 fprop");
  }
}

TEST_P(MatrixCoresCase, SaysWhetherItFlushesSubnormals) {
  flushes_are_told("subm k3x1x1 s1x1x1 d1x1x1 c33:17 f16 fprop");
}

// The judge says no, for every instruction.
TEST_P(MatrixCoresCase, OfSwappedLanesIsFlagged) {
  for_each_dtype([&](const std::string& dtype) {
    const Problem problem =
        parse_problem("subm k3x1x1 s1x1x1 d1x1x1 c16:32" + dtype + " fprop", "test");
    if (!runs(problem)) GTEST_SKIP() << "of other lanes";
    for (const bool of_b : {false, true}) {
      gpu::host_swapped_lanes = swapped(problem.dtype, of_b);
      EXPECT_EQ(verdict_of(problem).status, VerifyStatus::fail) << to_text(problem);
    }
  });
}

TEST(MatrixCoresOfTwins, AreOfOneChipAtATime) {
  const auto before = gpu::host_matrix_arithmetic;
  const bool wide = gpu::device_has(gpu::MatrixCores::cdna);
  for (const auto chip : {gpu::MatrixArithmetic::gfx942, gpu::MatrixArithmetic::gfx90a}) {
    gpu::host_matrix_arithmetic = chip;
    const bool newer = chip == gpu::MatrixArithmetic::gfx942;
    EXPECT_EQ(gpu::device_has(gpu::MatrixCores::cdna3), wide && newer);
    EXPECT_EQ(gpu::device_has(gpu::MatrixCores::cdna2), wide && !newer);
    EXPECT_EQ(gpu::device_has(gpu::MatrixCores::gfx12), !wide);
    EXPECT_EQ(gpu::device_has(gpu::MatrixCores::sm75), !wide);
  }
  gpu::host_matrix_arithmetic = before;
}

class MatrixCoresWgrad : public MatrixCoresCase {};

TEST_P(MatrixCoresWgrad, IsRightInBothModes) {
  for_each_dtype([&](const std::string& dtype) {
    for (const char* layer : kLayers) is_right(layer + dtype + " wgrad bias");
  });
}

// gfx90a flushes subnormals of bf16, of which widened bytes have none.
TEST_P(MatrixCoresWgrad, IsRightOverWidenedBytes) {
  if (GetParam().dtypes & dtype_bit(Dtype::bf16))
    for (const char* layer : kByteLayers) is_right(layer + std::string(" e4m3_bf16 wgrad bias"));
}

TEST_P(MatrixCoresWgrad, SaysWhetherItFlushesSubnormals) {
  flushes_are_told("subm k1x1x1 s1x1x1 d1x1x1 c33:17 f16 wgrad");
}

TEST_P(MatrixCoresWgrad, OfSwappedLanesIsFlagged) {
  for_each_dtype([&](const std::string& dtype) {
    const Problem problem =
        parse_problem("subm k1x1x1 s1x1x1 d1x1x1 c16:32" + dtype + " wgrad", "test");
    if (!runs(problem)) GTEST_SKIP() << "of other lanes";
    for (const bool of_b : {false, true}) {
      gpu::host_swapped_lanes = swapped(problem.dtype, of_b);
      EXPECT_EQ(verdict_of(problem).status, VerifyStatus::fail) << to_text(problem);
    }
  });
}

const auto name_of = [](const auto& of) { return std::string(of.param.name); };
INSTANTIATE_TEST_SUITE_P(All, MatrixCoresCase, testing::ValuesIn(plans::kMatrixRowTiles), name_of);
INSTANTIATE_TEST_SUITE_P(All, MatrixCoresWgrad, testing::ValuesIn(plans::kMatrixWgradTiles),
                         name_of);

}  // namespace
}  // namespace spb::run
