// SPDX-License-Identifier: Apache-2.0
// The shards of a sweep as one run.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/records/shard_runs.h"

namespace spb::report {

/// Conditions of compare (compare/conditions.h) that a context line tells, and git_sha: what may
/// differ where it is allowed by name. config_hash never may.
std::vector<std::string> shard_conditions();

/// Throws Error (usage) that names the first difference among the shards that is not allowed. With
/// `gpu`, what comes with a device is allowed too; two versions of a data set never are.
void check_alike(const ShardRuns& shards, const std::set<std::string>& allowed);

/// The median of a shard's anchors [us]; nothing where it has none with a time.
std::optional<double> anchor_us(const ShardRun& run);
/// By how much each shard's anchor took longer than the fastest one, 0.02 for 2 %; nothing for
/// shards without one. The largest is what times of different shards may differ by for no other
/// reason than their devices.
std::vector<std::optional<double>> anchors_rel(const ShardRuns& shards);

/// All rows in the order of the plan, ranked anew.
std::vector<Record> merged_rows(const ShardRuns& shards);

/// Writes records.jsonl (the shards one after the other, and a merge line that says what is
/// missing), results.csv, and samples.csv where shards have one; each replaces what is there at
/// once. Throws Error (usage) when the folder holds a run of something else, Error (runtime) when
/// it cannot be written.
void write_merged(const std::filesystem::path& out, const ShardRuns& shards);

}  // namespace spb::report
