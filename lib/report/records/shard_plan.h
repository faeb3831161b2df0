// SPDX-License-Identifier: Apache-2.0
// Which shard of a sweep runs what, as each shard leaves it beside its records.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spb::report {

/// Part `index`, from 0, of `count`.
struct Shard {
  int index = 0, count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// "2/8", and back; nothing for any other text, as 8/8.
std::string to_text(const Shard& shard);
std::optional<Shard> parse_shard(const std::string& text);

/// The folder of a shard below that of its sweep, "shard-2-of-8", and back.
std::string folder_name(const Shard& shard);
std::optional<Shard> shard_of_folder(const std::string& name);

struct PlannedCase {
  int shard = 0;
  std::string name;  ///< as RecordFiles::end_case() gets it
  friend bool operator==(const PlannedCase&, const PlannedCase&) = default;
};

/// All cases of a sweep in the order of the run that is not cut into shards.
struct ShardPlan {
  int shards = 1;
  std::vector<PlannedCase> cases;
  friend bool operator==(const ShardPlan&, const ShardPlan&) = default;
};

inline constexpr const char* kShardPlanFile = "shard_plan.txt";

/// A line a case, "2/8 NAME".
std::string plan_text(const ShardPlan& plan);
/// Throws Error (runtime) with path and line when it cannot be read or is no such file.
ShardPlan read_plan(const std::filesystem::path& path);

}  // namespace spb::report
