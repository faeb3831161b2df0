// SPDX-License-Identifier: Apache-2.0
// What an algorithm does not claim it refuses, with the reason, and never takes for something else.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
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
      with("takes no dtype number 5", [](Problem& p) { p.dtype = static_cast<Dtype>(5); }),
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
  };
}

TEST(Claim, EveryAlgorithmRefusesWhatNobodyClaims) {
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_EQ(algorithm.unsupported(Problem()), std::nullopt) << algorithm.name;
    for (const Unclaimed& one : unclaimed_by_all())
      EXPECT_TRUE(algorithm.unsupported(one.problem).value_or("runs").starts_with(one.reason))
          << algorithm.name << ": " << one.reason << ", not "
          << algorithm.unsupported(one.problem).value_or("refused");
  }
}

/// The row, claiming less.
Algorithm without(const Algorithm& row, unsigned Claim::*set, unsigned values) {
  Algorithm less = row;
  less.claim.*set &= ~values;
  return less;
}

TEST(Claim, EachSetIsAsked) {
  const Problem problem;
  const auto reason = [&](const Algorithm& row) { return row.unsupported(problem).value_or(""); };
  for (const Algorithm& row : algorithms()) {
    EXPECT_EQ(reason(without(row, &Claim::dtypes, claim_of(Dtype::f32))), "takes no dtype f32");
    EXPECT_EQ(reason(without(row, &Claim::directions, claim_of(Direction::fprop))),
              "takes no direction fprop");
    EXPECT_EQ(reason(without(row, &Claim::kinds, claim_of(ConvKind::subm))),
              "takes no convolution kind subm");
    Algorithm unbiased = row;
    unbiased.claim.bias = false;
    EXPECT_EQ(reason(unbiased), "takes no bias");
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
  const auto later = static_cast<Dtype>(5);
  EXPECT_EQ(message([&] { gpu::dispatch(later, nothing); }),
            "this kernel is not compiled for dtype number 5");
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
