// SPDX-License-Identifier: Apache-2.0
// How far a NaN of gout gets in a weight gradient.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "algorithms/forced.h"
#include "algorithms/instances.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {
namespace {

struct Spread {
  std::set<int> paired, reached;  // offsets
};

/// Offsets that pair an output row of NaN with anything, and those whose gradient is NaN for it.
/// The others' gradients have to be as without the NaN.
Spread spread_of(float nan, const Algorithm& algorithm, const Problem& problem,
                 const VoxelSet& voxels = naive::random_voxels({1, {9, 9, 9}}, 150, 3)) {
  DeviceRun device(algorithm, problem, voxels);
  naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_out(), 13);
  const std::vector<float> clean = naive::compute(problem, device.map(), device.n_in(), inputs);
  constexpr int kVictim = 20;
  for (int c = 0; c < problem.c_out; ++c) inputs.gout[size_t(kVictim * problem.c_out + c)] = nan;
  device.set_inputs(inputs);
  const std::vector<float> dirty = device.run();
  Spread spread;
  for (const Triple& pair : device.map().triples)
    if (pair.out == kVictim) spread.paired.insert(pair.offset);
  for (size_t i = 0; i < dirty.size(); ++i) {
    const int offset = static_cast<int>(i) / problem.c_in % problem.kernel_volume();
    if (std::isnan(dirty[i]))
      spread.reached.insert(offset);
    else
      EXPECT_EQ(dirty[i], clean[i]);
  }
  return spread;
}

// Of one offset alone: offsets without a pair of the row never read it. Where neighboring offsets
// share the rows of gout, those that have the row multiply it by zeros for those that have not.
using WgradNan = ByName;

TEST_P(WgradNan, OfGoutStaysAmongTheOffsetsThatShareItsRows) {
  const auto& tile = *std::ranges::find(
      kWgradTiles, GetParam(), [](const WgradTile& row) { return std::string(row.variant.name); });
  if (tile.halos) GTEST_SKIP() << "by halos it reaches others, too (below)";
  int ran = 0;
  std::vector<const char*> algorithms{"masked_implicit_gemm", "masked_implicit_gemm_splitk"};
  // Where all rows of the map are walked, these leave out gout of an absent row.
  if (tile.variant.is_portable() || tile.matrix)
    algorithms.insert(algorithms.end(), {"implicit_gemm", "implicit_gemm_splitk"});
  for (const char* algorithm : algorithms)
    for (const Math& dtype : float_dtypes()) {
      const Algorithm one = forced(algorithm, tile.variant.name);
      // Twins of matrix cores on host take microseconds for each of their instructions.
      const char* layer =
          tile.matrix ? "subm k3x3x1 s1x1x1 d1x1x1 c1:8 " : "subm k3x3x3 s1x1x1 d1x1x1 c1:40 ";
      Problem problem = parse_problem(layer + std::string(dtype.name) + " wgrad", "test");
      problem.c_in = tile.slots > 1 ? tile.variant.tile_n / tile.slots : 40;
      if (one.unsupported(problem)) continue;
      SCOPED_TRACE(std::string(tile.variant.name) + ": " + algorithm + " " + to_text(problem));
      const Spread spread = spread_of(std::numeric_limits<float>::quiet_NaN(), one, problem);
      // As GPUs make it: rounding to tf32 may carry it into its sign.
      EXPECT_EQ(spread_of(std::bit_cast<float>(0x7FFFFFFFu), one, problem).reached, spread.reached);
      std::set<int> sharing;
      for (const int offset : spread.paired)
        for (int o = offset / tile.slots * tile.slots, end = o + tile.slots; o < end; ++o)
          if (o < problem.kernel_volume()) sharing.insert(o);
      EXPECT_GT(spread.paired.size(), 1u);
      EXPECT_LT(sharing.size(), size_t(problem.kernel_volume()));
      if (leaves_out_slots(tile)) {  // of the offsets beside, it reaches those of rows beside
        EXPECT_TRUE(std::ranges::includes(spread.reached, spread.paired));
        EXPECT_TRUE(std::ranges::includes(sharing, spread.reached));
      } else {
        EXPECT_EQ(spread.reached, sharing);
      }
      ++ran;
    }
  // With four dtypes, everywhere; others are of newer devices.
  if (tile.variant.is_portable()) {
    EXPECT_EQ(ran, 4 * 4);
  } else if (ran == 0) {
    GTEST_SKIP() << "not of this device";
  }
}

// Of voxels without a neighbor no row has any slot but the center's: nothing else is multiplied.
TEST_P(WgradNan, OfGoutReachesNoSlotThatNoRowOfItsStepHas) {
  const auto& tile = *std::ranges::find(
      kWgradTiles, GetParam(), [](const WgradTile& row) { return std::string(row.variant.name); });
  if (!leaves_out_slots(tile)) GTEST_SKIP() << "multiplies all slots";
  VoxelSet voxels{.coords = {}, .box = {1, {10, 10, 10}}};
  for (int i = 0; i < 125; ++i) voxels.coords.push_back({0, i / 25 * 2, i / 5 % 5 * 2, i % 5 * 2});
  int ran = 0;
  for (const Math& dtype : float_dtypes()) {
    const Algorithm one = forced("masked_implicit_gemm_splitk", tile.variant.name);
    Problem problem = parse_problem(
        std::string("subm k3x3x3 s1x1x1 d1x1x1 c64:40 ") + dtype.name + " wgrad", "test");
    problem.c_in = tile.variant.tile_n / tile.slots;
    if (one.unsupported(problem)) continue;
    SCOPED_TRACE(to_text(problem));
    const Spread spread = spread_of(std::numeric_limits<float>::quiet_NaN(), one, problem, voxels);
    EXPECT_EQ(spread.reached, std::set<int>{13});
    ++ran;
  }
  if (ran == 0) GTEST_SKIP() << "not of this device";
}

SPB_FOR_KERNELS(WgradNan, wgrad_variants());

// By halos 16 rows are multiplied together, by wgmma 64: an offset that any of them has reads gout
// of all.
TEST(WgradNanByHalos, OfGoutReachesOffsetsOfRowsBeside) {
  int ran = 0;
  for (const WgradTile& tile : kWgradTiles) {
    if (!tile.halos) continue;
    const Algorithm one = forced("masked_implicit_gemm", tile.variant.name);
    const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f16 wgrad", "test");
    if (one.unsupported(problem)) continue;
    const Spread spread = spread_of(std::numeric_limits<float>::quiet_NaN(), one, problem);
    EXPECT_TRUE(std::ranges::includes(spread.reached, spread.paired));
    EXPECT_GT(spread.reached.size(), spread.paired.size());
    ++ran;
  }
  if (ran == 0) GTEST_SKIP() << "not of this device";
}

}  // namespace
}  // namespace spb::plans
