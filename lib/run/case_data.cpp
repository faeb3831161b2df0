#include "run/case_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "reference/reference.h"

namespace spb::run {
namespace {

/// Kept expectations may take a quarter of the host's memory; beyond it they are computed again for
/// each algorithm.
int64_t most_kept_bytes() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 4; }

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xFF51AFD7ED558CCDu;
  return hash ^ (hash >> 32);
}

std::string hash_text(const MapSet& map) {
  const auto pair = [](int32_t high, int32_t low) {
    return uint64_t{static_cast<uint32_t>(high)} << 32 | static_cast<uint32_t>(low);
  };
  uint64_t hash = map.out_coords.size();
  for (const Coord& c : map.out_coords)
    hash = mixed(mixed(hash, pair(c.batch, c.x)), pair(c.y, c.z));
  for (const Triple& t : map.triples)
    hash = mixed(mixed(hash, static_cast<uint64_t>(t.offset)), pair(t.out, t.in));
  return fmt::format("{:016x}", hash);
}

}  // namespace

CaseData::CaseData(std::string dataset, VoxelSet voxels)
    : dataset_(std::move(dataset)), voxels_(std::move(voxels)) {}

const MapSet& CaseData::reference_map(const ConvGeometry& geometry) {
  if (!map_ || geometry != geometry_) {
    expectations_.clear();
    map_ = std::make_unique<MapSet>(reference::build_map(voxels_, geometry));
    geometry_ = geometry;
    map_hash_ = hash_text(*map_);
  }
  return *map_;
}

const std::string& CaseData::map_hash(const ConvGeometry& geometry) {
  reference_map(geometry);
  return map_hash_;
}

std::shared_ptr<const Expectation> CaseData::expectation(const ExpectationRequest& request) {
  const MapSet& map = reference_map(request.problem.geometry);
  const auto found = std::ranges::find_if(
      expectations_, [&](const auto& kept) { return kept->request == request; });
  if (found != expectations_.end()) return *found;

  int64_t kept_bytes = 0;
  bool other_problem = false;
  for (const auto& kept : expectations_) {
    kept_bytes += kept->bytes();
    other_problem |= kept->request.problem != request.problem;
  }
  if (other_problem || kept_bytes > most_kept_bytes()) expectations_.clear();
  expectations_.push_back(std::make_shared<Expectation>(expect(request, voxels_, map)));
  return expectations_.back();
}

}  // namespace spb::run
