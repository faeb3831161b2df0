// SPDX-License-Identifier: Apache-2.0
// Numbers of the lists of groups of offsets, which those who make and who read them agree on.
#pragma once

#include <cstdint>

#include "gpu/qualifiers.h"

namespace spb::maps {

/// Offsets of a group, at most.
inline constexpr int kMostSlots = 4;

/// Entries that one byte of OffsetGroups::step_slots tells of: the least that kernels multiply at a
/// time.
inline constexpr int kGroupStep = 32;

/// Entries of a list that are sorted together: many steps of like rows, yet their rows stay in
/// cache. Steps of 64 of sphere:512, in groups of four, multiply 1.12, 1.06 and 1.04 times the
/// pairs with 1,024, 2,048 and 4,096, and 1.89 unsorted (tests/maps/offset_groups_test.cpp counts
/// them).
inline constexpr int kGroupChunk = 2048;

/// Where the bytes of the list of `group` begin, which itself begins at entry `list_begin` of all.
/// Those of two steps that begin at a multiple of both lie together, those of two lists apart.
GPU_HOST_DEVICE constexpr int64_t group_step(int64_t list_begin, int64_t group) {
  return (list_begin / (2 * kGroupStep) + group) * 2;
}

}  // namespace spb::maps
