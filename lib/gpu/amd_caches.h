// SPDX-License-Identifier: Apache-2.0
// The last cache before the memory of an AMD card. HIP tells the L2 alone, of one XCD (4 MB of an
// MI300); behind it is the Infinity Cache, and what fits there is no cold run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spb::gpu {

/// The largest cache that the amdkfd driver lists for the card at this address ("0000:03:00.0"), in
/// bytes; 0 where it lists none. `nodes` is another folder in tests.
int64_t listed_cache_bytes(
    std::string_view pci, const std::filesystem::path& nodes = "/sys/class/kfd/kfd/topology/nodes");

/// The Infinity Cache of the chip, or the largest of the cards with it; 0 where none is known.
int64_t infinity_cache_bytes(std::string_view arch);

/// What cold runs must push out: the largest of the L2, of what is listed, and, where no cache
/// behind the L2 is listed, of what the chip is known for.
int64_t last_amd_cache_bytes(int64_t l2_bytes, int64_t listed_bytes, std::string_view arch);

}  // namespace spb::gpu
