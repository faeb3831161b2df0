// SPDX-License-Identifier: Apache-2.0
// Buffer sets that take turns, so that each run finds nothing of its data in the caches
// (measurement.md, section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/algorithm.h"
#include "engines/native/session.h"
#include "gpu/graph.h"

namespace spb::engines {

/// Sets of `set_bytes` needed until twice `cache_bytes` have passed, two at least.
int64_t sets_needed(int64_t set_bytes, int64_t cache_bytes);

class Rotation {
 public:
  /// The session is the first set; every other has inputs, outputs, workspace and a plan of its
  /// own. One set alone, which cannot take turns, when too many are needed, or more than half of
  /// the free memory.
  Rotation(Session& session, const Algorithm& algorithm, const Problem& problem,
           int64_t cache_bytes);

  int sets() const { return static_cast<int>(others_.size()) + 1; }
  /// Makes each set's run a graph, when it is many launches: how fast a device fetches launches
  /// from the host's memory differs by percents from process to process. Runs every set once.
  /// Whether runs are graphs now.
  bool replay_long_runs();
  /// Runs every set once, and begins anew: the first set's outputs are those that are judged, and a
  /// loop may end before all had their turn. differing_set() does not look at these runs.
  void run_all();
  /// Of the next run.
  int next() const { return next_; }
  /// Queues a run on the next set.
  void queue_run();
  /// The first set that ran and stored other bits than the first one.
  std::optional<int> differing_set() const;

 private:
  struct Set {
    std::unique_ptr<Plan> plan;
    DeviceOperands operands;
    bool ran = false;
  };
  void make(const Algorithm& algorithm, const Problem& problem, int64_t count);
  void run(size_t set);
  std::unique_ptr<gpu::Graph> capture(size_t set);

  Session& session_;
  std::vector<Set> others_;
  std::vector<std::unique_ptr<gpu::Graph>> graphs_;  // of each set, or none
  int next_ = 0;
};

}  // namespace spb::engines
