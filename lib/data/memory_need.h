// SPDX-License-Identifier: Apache-2.0
// What a header claims, against what the host has: told before it is allocated.
#pragma once

#include <cstdint>
#include <string_view>

namespace spb::data {

/// Throws Error (runtime) naming `where` when `rows` voxels or points are more than the memory of
/// this host holds. Files that are not compressed need no such check: their size is one.
void require_memory(int64_t rows, std::string_view where);

}  // namespace spb::data
