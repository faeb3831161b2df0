// SPDX-License-Identifier: Apache-2.0
// Words of other libraries for what has a name here: fp16 and half, forward and bwd_weight.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spb::config {

/// What a user writes, and the names that it stands for.
struct Alias {
  std::string_view word;
  std::vector<std::string> names;
};

/// Of element types, as PyTorch, CUTLASS and C have them.
std::span<const Alias> dtype_aliases();

/// Of directions: PyTorch's forward and backward (which is dgrad and wgrad), spconv's and
/// FlexGEMM's fwd, bwd_input and bwd_weight.
std::span<const Alias> direction_aliases();

/// Each word that is an alias replaced by its names; others stay.
std::vector<std::string> without_aliases(std::span<const std::string> words,
                                         std::span<const Alias> aliases);

}  // namespace spb::config
