// SPDX-License-Identifier: Apache-2.0
// What judges against what a thread finds alone.
#pragma once

#include <optional>
#include <span>

#include "device_reference/tolerance.h"
#include "device_reference/work.h"

namespace spb::device_reference {

/// The first element of which the two say other things than their roundings explain: values to
/// 1e-12 of the sum of |a b|, scales of bounded sums to 4e-6, that sum of exact ones and the number
/// of products exactly. `alone`: what DeviceReference::expect() computes, of as many elements.
std::optional<size_t> first_difference(std::span<const Element> alone,
                                       std::span<const Element> judged_by, Judged judged);

}  // namespace spb::device_reference
