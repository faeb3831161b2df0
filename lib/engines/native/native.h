// SPDX-License-Identifier: Apache-2.0
// The algorithms of this project behind the seam.
#pragma once

#include "algorithms/algorithm.h"
#include "engines/contender.h"
#include "maps/table/map_variant.h"

namespace spb::engines {

class Native final : public Implementation {
 public:
  explicit Native(const Algorithm& algorithm, const maps::MapVariant& variant = {})
      : algorithm_(algorithm), variant_(variant) {
    algorithm_.hash = variant.hash;
  }

  std::string name() const override { return algorithm_.name; }
  int version() const override { return algorithm_.version; }
  std::string choice_source() const override { return spb::name(algorithm_.choice.source); }
  std::string map_variant() const override { return variant_.name; }
  std::optional<std::string> unsupported(const Problem& problem) const override {
    if (auto reason = maps::unsupported(variant_, problem.geometry)) return reason;
    return algorithm_.unsupported(problem);
  }
  void check_room(const Problem& problem, const VoxelSet& voxels) const override;
  std::unique_ptr<Contender> prepare(const Problem& problem, const VoxelSet& voxels,
                                     bool guards) const override;
  MemoryUse memory(const Problem& problem, const VoxelSet& voxels,
                   const MapSize& size) const override;

 private:
  Algorithm algorithm_;  // a copy: its choice is its own
  maps::MapVariant variant_;
};

}  // namespace spb::engines
