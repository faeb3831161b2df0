// SPDX-License-Identifier: Apache-2.0
// What threads of wgrad's kernel on AMD's matrix cores copy to the stage: numbers alone, which
// tests walk on any machine.
#pragma once

#include "kernels/matrix_cores/places.h"

namespace spb::plans {

/// Channels lie side by side in memory and pairs in a row of the stage. So a thread loads one chunk
/// of channels of as many pairs as a chunk has elements, and turns this block in its registers.
struct MatrixBlock {
  bool of_b;  ///< of `in`, whose channels are B's rows
  int line;   ///< first channel of the tile
  int chunk;  ///< of the rows of the stage: pairs from chunk * elements on
};

GPU_HOST_DEVICE constexpr int blocks_of(const MatrixPlaces& places, int lines) {
  return lines / places.chunk_elements() * places.row_chunks();
}
constexpr int block_passes(const MatrixPlaces& places) {
  return blocks_of(places, places.tile_m() + places.tile_n()) / places.threads();
}

/// Threads side by side load channels side by side. Where a row has fewer chunks of channels than
/// eight, the next threads take pairs four chunks on, whose places lie in other banks.
GPU_HOST_DEVICE constexpr MatrixBlock block_of(const MatrixPlaces& places, int thread, int pass) {
  int index = pass * places.threads() + thread;
  const int blocks_a = blocks_of(places, places.tile_m());
  const bool of_b = index >= blocks_a;
  index -= of_b ? blocks_a : 0;
  const int columns = (of_b ? places.tile_n() : places.tile_m()) / places.chunk_elements();
  const int turn = index / columns;
  return {of_b, index % columns * places.chunk_elements(), turn % 2 * 4 + turn / 2};
}

/// Of the channel-th row of a block: counted in chunks.
GPU_HOST_DEVICE constexpr int place_of(const MatrixPlaces& places, const MatrixBlock& block,
                                       int channel) {
  return places.at((block.of_b ? places.tile_m() : 0) + block.line + channel, block.chunk);
}

constexpr bool has_sound_blocks(const MatrixPlaces& places) {
  return places.is_sound() && places.row_chunks() == 8 &&
         blocks_of(places, places.tile_m() + places.tile_n()) % places.threads() == 0;
}

}  // namespace spb::plans
