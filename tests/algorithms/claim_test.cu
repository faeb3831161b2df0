// SPDX-License-Identifier: Apache-2.0
// What an algorithm does not claim it refuses, with the reason, and never takes for something else.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/named.h"
#include "core/error.h"
#include "gpu/element.cuh"

namespace spb {
namespace {

/// A problem with one field set to what nobody claims.
struct Unclaimed {
  const char* reason;
  Problem problem;
};

template <typename Change>
Unclaimed with(const char* reason, const Change& change) {
  Problem problem;
  change(problem);
  return {reason, problem};
}

/// One row for each field of Problem; values that an enum may get later are numbers beyond it.
std::vector<Unclaimed> unclaimed_by_all() {
  return {
      with("takes no dtype number 11", [](Problem& p) { p.dtype = static_cast<Dtype>(11); }),
      with("takes no dtype number 99", [](Problem& p) { p.dtype = static_cast<Dtype>(99); }),
      with("takes no direction number 3",
           [](Problem& p) { p.direction = static_cast<Direction>(3); }),
      with("takes no convolution kind number 4",
           [](Problem& p) { p.geometry.kind = static_cast<ConvKind>(4); }),
      with("kernel size 2x3x3 has an even axis",
           [](Problem& p) {
             p.geometry.kernel_size = {2, 3, 3};
           }),
      with("stride 2x1x1 is not 1",
           [](Problem& p) {
             p.geometry.stride = {2, 1, 1};
           }),
      with("dilation 1x0x1 has an axis below 1", [](Problem& p) { p.geometry.dilation[1] = 0; }),
      with("c_in = 0", [](Problem& p) { p.c_in = 0; }),
      with("c_in = 16, c_out = -1", [](Problem& p) { p.c_out = -1; }),
      with("groups = 0, needs at least 1", [](Problem& p) { p.groups = 0; }),
      with("groups: 3 does not divide 16", [](Problem& p) { p.groups = 3; }),
      with("epilogue relu: epilogues are fprop's",
           [](Problem& p) {
             p.direction = Direction::dgrad;
             p.epilogue.activation = Activation::relu;
           }),
      with("epilogue residual: epilogues are fprop's",
           [](Problem& p) {
             p.direction = Direction::wgrad;
             p.epilogue.residual = true;
           }),
  };
}

/// The row's problem; where the row is not about channels, with those that the algorithm takes.
Problem of(const Algorithm& algorithm, const Unclaimed& one) {
  const Problem usual;
  const bool is_usual = one.problem.c_in == usual.c_in && one.problem.c_out == usual.c_out &&
                        one.problem.groups == usual.groups;
  return is_usual ? taken_by(algorithm, one.problem) : one.problem;
}

TEST(Claim, EveryAlgorithmRefusesWhatNobodyClaims) {
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_EQ(algorithm.unsupported(taken_by(algorithm, Problem())), std::nullopt)
        << algorithm.name;
    for (const Unclaimed& one : unclaimed_by_all()) {
      const std::string reason = algorithm.unsupported(of(algorithm, one)).value_or("runs");
      EXPECT_TRUE(reason.starts_with(one.reason))
          << algorithm.name << ": " << one.reason << ", not " << reason;
    }
  }
}

TEST(Claim, OfSeveralGroupsIsRefusedWithTheirNumber) {
  const auto reason = [](const char* algorithm, int c_out, int groups) {
    const Problem problem{.geometry = {}, .c_in = 16, .c_out = c_out, .groups = groups};
    return algorithm_named(algorithm).unsupported(problem).value_or("runs");
  };
  EXPECT_EQ(reason("masked_implicit_gemm", 16, 4), "runs");
  EXPECT_EQ(reason("masked_implicit_gemm", 16, 16),
            "groups = 16, this algorithm has no depthwise layers");
  EXPECT_EQ(reason("gather_scatter", 32, 4), "groups = 4, this algorithm has one group");
  EXPECT_EQ(reason("depthwise", 16, 1), "groups = 1, this algorithm has one for each channel");
  EXPECT_EQ(reason("depthwise", 32, 16), "groups = 16, this algorithm has one for each channel");
  EXPECT_EQ(reason("depthwise", 16, 16), "runs");
  const Problem many{.geometry = {}, .c_in = 2 * 65536, .c_out = 2 * 65536, .groups = 65536};
  EXPECT_EQ(algorithm_named("implicit_gemm").unsupported(many),
            "takes up to 65535 groups of channels");
  Algorithm any = algorithm_named("gather_scatter");
  any.claim.groups = claim_of(GroupKind::one, GroupKind::several, GroupKind::depthwise);
  EXPECT_EQ(any.unsupported({.geometry = {}, .c_in = 16, .c_out = 32, .groups = 3}),
            "groups: 3 does not divide 16");
}

/// The row, claiming less.
Algorithm without(const Algorithm& row, unsigned Claim::*set, unsigned values) {
  Algorithm less = row;
  less.claim.*set &= ~values;
  return less;
}

TEST(Claim, EachSetIsAsked) {
  const auto reason = [](const Algorithm& row) {
    return row.unsupported(taken_by(row, Problem())).value_or("");
  };
  for (const Algorithm& row : algorithms()) {
    EXPECT_EQ(reason(without(row, &Claim::dtypes, claim_of(Dtype::f32))), "takes no dtype f32");
    EXPECT_EQ(reason(without(row, &Claim::directions, claim_of(Direction::fprop))),
              "takes no direction fprop");
    EXPECT_EQ(reason(without(row, &Claim::kinds, claim_of(ConvKind::subm))),
              "takes no convolution kind subm");
    Algorithm unbiased = row;
    unbiased.claim.bias = false;
    EXPECT_EQ(reason(unbiased), "takes no bias");
    Algorithm plain = row;
    plain.claim.epilogue = false;
    Problem fused = taken_by(row, Problem());
    fused.epilogue.activation = Activation::relu;
    EXPECT_EQ(row.unsupported(fused), std::nullopt) << row.name;
    EXPECT_EQ(plain.unsupported(fused), "takes no epilogue") << row.name;
    const auto every = claim_of(GroupKind::one, GroupKind::several, GroupKind::depthwise);
    EXPECT_TRUE(reason(without(row, &Claim::groups, every)).starts_with("groups = ")) << row.name;
  }
}

TEST(Claim, NothingIsPlannedThatIsNotClaimed) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  VoxelSet voxels;
  voxels.box = {1, {4, 4, 4}};
  voxels.coords = {{0, 1, 1, 1}};
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  for (const Algorithm& algorithm : algorithms())
    for (const Unclaimed& one : unclaimed_by_all())
      EXPECT_THROW(algorithm.plan(one.problem, coords, allocator, stream), Error)
          << algorithm.name << ": " << one.reason;
}

TEST(Claim, DispatchNamesTheDtypeItHasNoCodeFor) {
  const auto message = [](const auto& dispatch) {
    try {
      dispatch();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto nothing = [](auto) {};
  const auto later = static_cast<Dtype>(11);
  EXPECT_EQ(message([&] { gpu::dispatch(later, nothing); }),
            "this kernel is not compiled for dtype number 11");
  EXPECT_EQ(message([&] { gpu::dispatch_factors(Dtype::tf32x3, nothing); }),
            "this kernel is not compiled for 3xtf32");
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::tf32x3, later})
    EXPECT_TRUE(message([&] {
                  gpu::dispatch_halves("a kernel", dtype, nothing);
                }).starts_with("a kernel is not compiled for "));
  EXPECT_EQ(message([&] { gpu::dispatch_halves("a kernel", Dtype::bf16, nothing); }), "no error");
}

}  // namespace
}  // namespace spb
