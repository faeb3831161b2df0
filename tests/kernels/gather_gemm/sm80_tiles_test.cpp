// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>

#include "kernels/gather_gemm/sm80/tiles.h"

namespace spb::plans {
namespace {

bool some_has(Dtype dtype, Sm80RowForm form) {
  return std::ranges::any_of(kSm80RowTiles,
                             [&](const Sm80RowTile& tile) { return has_form(tile, dtype, form); });
}

// Tiles leave out what they never get; what no tile has left would run portable kernels in silence.
TEST(Sm80RowTiles, AnyChannelsAndFormsHaveATile) {
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::tf32x3, Dtype::f16, Dtype::bf16}) {
    SCOPED_TRACE(info(dtype).name);
    for (const bool wide : {true, false}) {
      EXPECT_TRUE(some_has(dtype, {.wide = wide}));
      EXPECT_TRUE(some_has(dtype, {.wide = wide, .adds = true}));
    }
    EXPECT_TRUE(some_has(dtype, {.grouped = true}));
  }
}

TEST(Sm80RowTiles, BytesHaveRowsOfWholeChunksAlone) {
  for (const Math& math : dtypes()) {
    if (!math.is_scaled()) continue;
    SCOPED_TRACE(math.name);
    const Dtype dtype = math.dtype;
    EXPECT_TRUE(some_has(dtype, {}));
    EXPECT_FALSE(some_has(dtype, {.wide = false}));
    EXPECT_FALSE(some_has(dtype, {.adds = true}));
    EXPECT_FALSE(some_has(dtype, {.grouped = true}));
  }
}

// A launch chooses the form by where rows begin, the choice of kernels by channels: they agree.
TEST(Sm80RowTiles, MultiplesOfChannelsAreOneOrAChunk) {
  for (const Sm80RowTile& tile : kSm80RowTiles)
    EXPECT_TRUE(tile.channel_multiple == 1 ||
                tile.channel_multiple * operand_bytes(tile.dtypes) == 16)
        << tile.name;
}

}  // namespace
}  // namespace spb::plans
