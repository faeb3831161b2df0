#include "run/case_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "reference/reference.h"

namespace spb::run {
namespace {

/// Kept expectations may take this much; beyond it they are computed again for each algorithm.
constexpr int64_t kKeptBytes = int64_t{1} << 29;

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

const Expectation& CaseData::expectation(const ExpectationRequest& request) {
  const MapSet& map = reference_map(request.problem.geometry);
  const auto found = std::ranges::find_if(
      expectations_, [&](const auto& kept) { return kept->request == request; });
  if (found != expectations_.end()) return **found;

  int64_t kept_bytes = 0;
  bool other_problem = false;
  for (const auto& kept : expectations_) {
    kept_bytes += bytes(*kept);
    other_problem |= kept->request.problem != request.problem;
  }
  if (other_problem || kept_bytes > kKeptBytes) expectations_.clear();
  expectations_.push_back(std::make_unique<Expectation>(expect(request, voxels_, map)));
  return *expectations_.back();
}

bool CaseData::first_time(const std::string& what) {
  if (std::ranges::find(done_, what) != done_.end()) return false;
  done_.push_back(what);
  return true;
}

}  // namespace spb::run
