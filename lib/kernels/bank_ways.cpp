// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "kernels/kernel_variants.h"

namespace spb {
namespace {

struct Row {
  const char* kernel;
  BankWays ways;
};

// Kernels that are not listed have no conflicts. docs/kernels.md says where these come from; a test
// walks all kernels.
constexpr Row kConflicts[] = {
    // The slab of 16-bit sums where warps have 32 columns: no pitch serves its stores, which take
    // eight rows at a time, and its loads, which take two.
    {"mma_128x64x64", {2, 1}},
    {"mma_128x32x64", {2, 1}},
    {"mma_64x64x64", {2, 1}},
    {"mma_128x64x32", {2, 1}},
    {"mma_128x32x32", {2, 1}},
    // Rows of one color meet where a halo is ragged; rows of eight colors are free.
    {"halo_256x32x32", {2, 1}},
    {"halo_mma_256x32x32", {2, 1}},
    {"halo_mma_256x16x16", {2, 1}},
    {"halo_mma_32x32x256_s2", {2, 1}},
    {"halo_mma_16x16x256_s2", {2, 1}},
    {"halo_wgmma_64x64x256_s2", {2, 1}},
    // Copies of a block of one warp: four threads share a row, and what eight copy overlaps.
    {"mma_32x32x32_s4", {1, 2}},
    {"mma_32x32x32_s4_tf32", {1, 2}},
    // Portable kernels, told for single elements: eight threads' first columns are eight apart, and
    // each thread of wgrad stores a row of its own.
    {"fma_64x64x32", {2, 32}},
    {"fma_32x32x32", {1, 32}},
};

}  // namespace

BankWays bank_ways(const KernelVariant& variant) {
  for (const Row& row : kConflicts)
    if (std::string_view(row.kernel) == variant.name) return row.ways;
  return {};
}

}  // namespace spb
