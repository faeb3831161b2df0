// SPDX-License-Identifier: Apache-2.0
// Up to where rows are sorted together.
#pragma once

#include <cstdint>

namespace spb::maps {

/// Rows per window of RowOrder::window. From runs of a prototype on an H200: windows of 64k rows
/// win at 1.0M rows of 128 channels and at 4.1M of 64, a global order wins up to 0.25M rows of 256.
inline constexpr int64_t kWindow = 1 << 16;

/// Beyond this many rows a global order scatters reads over more memory than a cache holds; rows
/// are then sorted in windows.
inline constexpr int64_t kGlobalOrderRows = 1 << 19;

}  // namespace spb::maps
