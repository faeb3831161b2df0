// Sort and scan: CUB, rocPRIM or the standard library, by vendor. One file each. Sorts take
// at most 2^31 - 1 items, as row indices do.
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

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator, const Stream& stream);

/// out[i] = sum of in[0..i); n entries. `in` and `out` may be the same.
void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator& allocator,
                    const Stream& stream);

}  // namespace spb::gpu
