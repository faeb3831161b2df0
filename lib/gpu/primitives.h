// SPDX-License-Identifier: Apache-2.0
// Sort and scan: CUB, rocPRIM or the standard library, by vendor, one file each; sort_groups() is
// our own, in group_sort.cu. Sorts take at most 2^31 - 1 items, as row indices do.
#pragma once

#include <cstdint>

#include "gpu/allocator.h"

namespace spb::gpu {

/// Stable ascending radix sort of n keys with their payload, by bits [0, key_bits). In place;
/// scratch comes from `allocator` (tag workspace) and is released before return. Does not wait.
void sort_pairs(uint32_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream);
void sort_pairs(uint64_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream);

/// The same between two buffers, which both are overwritten. Returns the index of the one that
/// holds the result; in place, half of the sorts would end with a copy.
int sort_pairs(uint32_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream);
int sort_pairs(uint64_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream);

/// Items that are sorted apart from others: `segments` times the same `rows`, cut in windows.
struct RowGroups {
  int64_t rows = 0;    ///< of a segment
  int64_t window = 1;  ///< rows of a group, the last of a segment may have fewer; >= 1
  int32_t segments = 1;

  /// Of a segment; one where there are no rows.
  constexpr int64_t windows() const { return rows > 0 ? (rows - 1) / window + 1 : 1; }
};

/// Whether sort_groups() is the fastest way to sort these groups on this vendor, and can.
bool sorts_groups(const RowGroups& groups);

/// uint32_t of scratch that sort_groups() needs zero before it.
int64_t sort_groups_zeros(const RowGroups& groups, int key_bits);

/// Stable ascending sort of the keys [segments, rows] in each group, by bits [0, key_bits). Gives
/// the rows, which count from 0 in each segment, and returns which of the two buffers holds them;
/// keys are lost. Does not wait.
int sort_groups(uint32_t* const (&keys)[2], int32_t* const (&rows)[2], const RowGroups& groups,
                int key_bits, uint32_t* zeros, const Stream& stream);

/// The same of keys that were written by a kernel which counted them: count_groups() of
/// group_tiles.cuh, on the same stream with the same groups, bits and zeros.
int sort_counted_groups(uint32_t* const (&keys)[2], int32_t* const (&rows)[2],
                        const RowGroups& groups, int key_bits, uint32_t* zeros,
                        const Stream& stream);

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator, const Stream& stream);

/// out[i] = sum of in[0..i); n entries. `in` and `out` may be the same.
void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator& allocator,
                    const Stream& stream);

}  // namespace spb::gpu
