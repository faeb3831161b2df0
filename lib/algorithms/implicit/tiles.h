// The tile variants of the implicit kernels, and which one a problem gets.
#pragma once

namespace spb::plans {

/// The sizes of one variant: TileM x TileN sums, TileK deep steps.
struct TileShape {
  const char* kernel;  ///< name in records
  int tile_m, tile_n, tile_k;
};

/// fprop and dgrad: rows by output columns.
inline constexpr TileShape kRowTiles[] = {{"fma_64x32x32", 64, 32, 32},
                                          {"fma_64x64x32", 64, 64, 32}};
/// wgrad: output channels by input channels, rows are the depth.
inline constexpr TileShape kWgradTiles[] = {{"fma_32x32x32", 32, 32, 32},
                                            {"fma_64x64x32", 64, 64, 32}};

/// Index into kRowTiles for `columns` written channels: the narrow tile where the wide one would
/// compute mostly padding.
constexpr int choose_row_tile(int columns) {
  return columns % 64 != 0 && columns % 64 <= 32 ? 0 : 1;
}

/// Index into kWgradTiles.
constexpr int choose_wgrad_tile(int c_out, int c_in) { return c_out > 32 && c_in > 32 ? 1 : 0; }

}  // namespace spb::plans
