// SPDX-License-Identifier: Apache-2.0
#include "run/case_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <unistd.h>
#include <utility>

#include "reference/reference.h"

namespace spb::run {
namespace {

int64_t quarter_of_memory() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 4; }

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

CaseData::CaseData(std::string dataset, VoxelSet voxels, int64_t kept_bytes)
    : dataset_(std::move(dataset)), voxels_(std::move(voxels)), kept_bytes_(kept_bytes) {}

const MapSet& CaseData::reference_map(const ConvGeometry& geometry) {
  if (!map_ || geometry != geometry_) {
    forget();
    map_ = std::make_unique<MapSet>(reference::build_map(voxels_, geometry));
    geometry_ = geometry;
    map_hash_ = hash_text(*map_);
    triples_hash_.reset();
  }
  return *map_;
}

const std::string& CaseData::map_hash(const ConvGeometry& geometry) {
  reference_map(geometry);
  return map_hash_;
}

const verify::MultisetHash& CaseData::triples_hash(const ConvGeometry& geometry) {
  const MapSet& map = reference_map(geometry);
  if (!triples_hash_) triples_hash_ = verify::multiset_hash(map.triples);
  return *triples_hash_;
}

/// Null: none is kept. Samples do not depend on the fill.
const Expectation* CaseData::on_same_sample(const ExpectationRequest& request) const {
  const auto found = std::ranges::find_if(
      expectations_, [&](const auto& kept) { return has_same_sample(kept->request, request); });
  return found == expectations_.end() ? nullptr : found->get();
}

std::shared_ptr<const Expectation> CaseData::expectation(const ExpectationRequest& request) {
  const MapSet& map = reference_map(request.problem.geometry);
  const auto is_other = [&](const auto& kept) { return kept->request.problem != request.problem; };
  if (std::ranges::any_of(expectations_, is_other)) forget();
  const auto found = std::ranges::find_if(
      expectations_, [&](const auto& kept) { return kept->request == request; });
  std::shared_ptr<Expectation> wanted;
  if (found != expectations_.end()) {
    wanted = std::move(*found);
    expectations_.erase(found);
  }
  if (!wanted)
    wanted = std::make_shared<Expectation>(expect(request, voxels_, map, on_same_sample(request)));
  else if (!wanted->has_operands())
    wanted->draw_operands(voxels_, map);
  expectations_.push_back(wanted);
  keep_to_limit();
  return wanted;
}

void CaseData::drop_other_judge(const Problem& problem) {
  if (device_judge_ && device_judge_->problem() != problem) drop_device_judge();
}

DeviceJudge& CaseData::device_judge(const Problem& problem) {
  const MapSet& map = reference_map(problem.geometry);
  drop_other_judge(problem);
  if (!device_judge_)
    device_judge_ = std::make_unique<DeviceJudge>(problem, map, input_rows(map, voxels_));
  return *device_judge_;
}

bool CaseData::drop_device_judge() { return std::exchange(device_judge_, nullptr) != nullptr; }

void CaseData::make_room() {
  if (device_judge_ && (!keeps_device_judge_ || !device_judge_->leaves_room())) drop_device_judge();
}

void CaseData::forget() {
  drop_device_judge();
  expectations_.clear();
  judged_outputs.clear();
}

void CaseData::keep_to_limit() {
  // A virtual machine's memory may grow with its use.
  const int64_t most_bytes = kept_bytes_ > 0 ? kept_bytes_ : quarter_of_memory();
  int64_t bytes = 0;
  for (const auto& kept : expectations_) bytes += kept->bytes();
  // From the last that was used on: they are asked for in turn, and the next is the one whose turn
  // was longest ago.
  for (auto& kept : expectations_ | std::views::reverse) {
    if (bytes <= most_bytes) return;
    if (kept.use_count() > 1 || !kept->has_operands()) continue;
    bytes -= kept->bytes();
    kept->drop_operands();
    bytes += kept->bytes();
  }
  if (bytes > most_bytes) expectations_.erase(expectations_.begin(), expectations_.end() - 1);
}

}  // namespace spb::run
