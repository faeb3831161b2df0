// SPDX-License-Identifier: Apache-2.0
// Files: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (a line for each property, its name and a
// decimal number; sizes of caches in kilobytes).
#include "gpu/amd_caches.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <system_error>

#include "core/paths.h"

namespace spb::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

std::optional<int64_t> property(const fs::path& file, std::string_view name) {
  std::ifstream stream(file);
  std::string found;
  int64_t value = 0;
  while (stream >> found >> value)
    if (found == name) return value;
  return std::nullopt;
}

/// Domain, bus and device as one number. The function is left out: on cards that are split into
/// nodes, kernels put a node's number there, others into bits 28 to 31.
std::optional<int64_t> slot_of(std::string_view pci) {
  unsigned domain = 0, bus = 0, device = 0;
  if (std::sscanf(std::string(pci).c_str(), "%x:%x:%x", &domain, &bus, &device) != 3)
    return std::nullopt;
  return int64_t{domain} << 13 | bus << 5 | device;
}

std::optional<int64_t> slot_of_node(const fs::path& node) {
  const auto location = property(node / "properties", "location_id");
  if (!location) return std::nullopt;
  const int64_t domain = property(node / "properties", "domain").value_or(0);
  return domain << 13 | (*location & 0xFFFF) >> 3;
}

struct ArchCache {
  std::string_view arch;  // or how the names of a family begin
  int64_t bytes;
};
/// ROCm documentation, "AMD GPU specifications": column L3. Of Radeons the largest with the chip's
/// generation: a cache taken for too large costs memory, one taken for too small makes runs warm.
constexpr ArchCache kArchCaches[] = {
    {"gfx942", 256 * kMiB}, {"gfx950", 256 * kMiB}, {"gfx11", 96 * kMiB}, {"gfx12", 96 * kMiB}};

}  // namespace

int64_t listed_cache_bytes(std::string_view pci, const fs::path& nodes) {
  const auto slot = slot_of(pci);
  int64_t most = 0;
  std::error_code none;
  for (const fs::path& node : entries_of(nodes, none)) {
    // A processor's node has no location: 0, which is no card's address.
    if (!slot || *slot == 0 || slot_of_node(node) != slot) continue;
    for (const fs::path& cache : entries_of(node / "caches", none))
      most = std::max(most, property(cache / "properties", "size").value_or(0) * kKiB);
  }
  return most;
}

int64_t infinity_cache_bytes(std::string_view arch) {
  for (const ArchCache& row : kArchCaches)
    if (arch.starts_with(row.arch)) return row.bytes;
  return 0;
}

int64_t last_amd_cache_bytes(int64_t l2_bytes, int64_t listed_bytes, std::string_view arch) {
  // Old kernels list the L2 and nothing behind it.
  const int64_t known = listed_bytes > l2_bytes ? listed_bytes : infinity_cache_bytes(arch);
  return std::max(l2_bytes, known);
}

}  // namespace spb::gpu
