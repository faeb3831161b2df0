// SPDX-License-Identifier: Apache-2.0
// --shard I/N: one of N parts of a plan, for as many tasks of a scheduler. Every task deals all
// cases and keeps its own: they need neither a server nor a file that they share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/case_spec.h"
#include "report/records/shard_plan.h"
#include "suite/load.h"
#include "suite/observer.h"

namespace spb::suite {

/// One shard of a plan.
struct ShardedPlan {
  report::Shard shard;
  report::ShardPlan plan;
  std::string hash;  ///< SHA-256 of the plan's text
};

/// For CLI::Option::check(): what is wrong, or empty.
std::string shard_fault(const std::string& text);

/// The shard of each case, from the cases' costs. Cases that differ in algorithm, direction or
/// dtype alone stay together: what is ranked or compared was measured on one device. Of these
/// groups the longest goes first, each to the shard that has the least until then. Costs of a group
/// count as powers of two, so that what hardly differs is dealt by name.
std::vector<int> deal(std::span<const config::CaseSpec> cases, std::span<const double> costs_s,
                      int shards);

/// Seconds that each case may take: its measuring, and its multiplications on the CPU. Loads the
/// data for the number of voxels. Throws as load_voxels() does: on another machine the data may be
/// there, and the plans would differ.
std::vector<double> estimate_costs(std::span<const config::CaseSpec> cases,
                                   const ReadSettings& reading, Log& log);

/// Deals the cases; `option` is the value of --shard.
ShardedPlan plan_shard(std::span<const config::CaseSpec> cases, const std::string& option,
                       const ReadSettings& reading, Log& log);

/// The same as the shard's run left it in its folder: for its worker, which loads nothing for it.
ShardedPlan read_shard(const std::string& folder, const std::string& option);

/// Those of the shard, in the order of the plan, which is that of `cases`.
std::vector<config::CaseSpec> cases_of(const ShardedPlan& plan,
                                       std::span<const config::CaseSpec> cases);

}  // namespace spb::suite
