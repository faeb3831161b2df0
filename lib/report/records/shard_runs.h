// SPDX-License-Identifier: Apache-2.0
// The runs of a sweep's shards, read back from their folders.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/records/shard_plan.h"

namespace spb::report {

/// The run of one shard: of several in its folder the one that ended most cases, of equal ones the
/// last.
struct ShardRun {
  Shard shard;
  std::filesystem::path folder;
  std::vector<Record> contexts;                      ///< one, and one for each time it went on
  std::vector<Record> anchors;                       ///< likewise; none where nothing was timed
  std::vector<Record> summaries;                     ///< of those that were not killed
  std::map<std::string, std::vector<Record>> cases;  ///< rows of ended cases by their names
};

struct ShardRuns {
  ShardPlan plan;
  std::vector<ShardRun> runs;  ///< by shard; those without records left out
  std::vector<Shard> missing;
  std::vector<PlannedCase> unended;  ///< of the shards that are there
  std::vector<std::string> notes;    ///< one line each: a last line cut off
};

/// Reads DIR/shard-I-of-N. Throws Error (runtime) when DIR cannot be read or a file is damaged,
/// Error (nothing) when it holds no shard with records, Error (usage) for shards of sweeps that
/// were cut in another way.
ShardRuns read_shards(const std::filesystem::path& dir);

}  // namespace spb::report
