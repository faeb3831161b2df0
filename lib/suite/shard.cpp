// SPDX-License-Identifier: Apache-2.0
#include "suite/shard.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/config_hash.h"
#include "core/tensors.h"
#include "suite/case_cost.h"

namespace spb::suite {
namespace {

using config::CaseSpec;

/// What a case costs whatever its size: samples of all phases.
constexpr double kMeasuringS = 1;

/// Equal for cases whose rows must come from one device.
std::string group_of(CaseSpec spec) {
  spec.algorithm.clear();
  spec.problem.direction = {};
  spec.problem.dtype = {};
  return config::full_text(spec);
}

/// The exponent of the power of two from `cost_s` on.
int rounded_up(double cost_s) {
  int exponent = 0;
  const double fraction = std::frexp(cost_s, &exponent);  // in [0.5, 1)
  return fraction == 0.5 ? exponent - 1 : exponent;
}

ShardedPlan with_hash(report::Shard shard, report::ShardPlan plan) {
  std::string hash = config::sha256_hex(report::plan_text(plan));
  return {shard, std::move(plan), std::move(hash)};
}

}  // namespace

std::string shard_fault(const std::string& text) {
  if (report::parse_shard(text)) return {};
  return fmt::format("\"{}\" is no shard I/N with I from 0 to N - 1, as 0/4", text);
}

std::vector<int> deal(std::span<const CaseSpec> cases, std::span<const double> costs_s,
                      int shards) {
  std::map<std::string, double> cost_of;
  for (size_t i = 0; i < cases.size(); ++i) cost_of[group_of(cases[i])] += costs_s[i];
  std::vector<std::pair<int, std::string>> groups;  // what goes first comes first
  for (const auto& [name, cost_s] : cost_of) groups.emplace_back(-rounded_up(cost_s), name);
  std::ranges::sort(groups);

  std::vector<double> loads(static_cast<size_t>(shards));
  std::map<std::string, int> shard_of;
  for (const auto& [negative_exponent, name] : groups) {
    const auto least = std::ranges::min_element(loads);
    *least += std::ldexp(1.0, -negative_exponent);
    shard_of[name] = static_cast<int>(least - loads.begin());
  }
  std::vector<int> dealt;
  for (const CaseSpec& spec : cases) dealt.push_back(shard_of.at(group_of(spec)));
  return dealt;
}

std::vector<double> estimate_costs(std::span<const CaseSpec> cases, const ReadSettings& reading,
                                   Log& log) {
  std::map<std::string, double> voxels;  // by data_id
  std::vector<double> costs_s;
  for (const CaseSpec& spec : cases) {
    const std::string id = fmt::format("{} {}", config::data_id(spec), spec.seed);
    if (!voxels.contains(id))
      voxels[id] = static_cast<double>(load_voxels(spec, reading, log).voxels.size());
    const double macs = voxels[id] * static_cast<double>(weight_count(spec.problem));
    costs_s.push_back(kMeasuringS + macs / kReferenceRate);
  }
  return costs_s;
}

ShardedPlan plan_shard(std::span<const CaseSpec> cases, const std::string& option,
                       const ReadSettings& reading, Log& log) {
  const report::Shard shard = report::parse_shard(option).value();
  const std::vector<int> dealt = deal(cases, estimate_costs(cases, reading, log), shard.count);
  report::ShardPlan plan{shard.count, {}};
  for (size_t i = 0; i < cases.size(); ++i)
    plan.cases.push_back({dealt[i], config::full_text(cases[i])});
  log.note(fmt::format("shard {}: {} of {} cases", option, std::ranges::count(dealt, shard.index),
                       cases.size()));
  return with_hash(shard, std::move(plan));
}

ShardedPlan read_shard(const std::string& folder, const std::string& option) {
  return with_hash(report::parse_shard(option).value(),
                   report::read_plan(std::filesystem::path(folder) / report::kShardPlanFile));
}

std::vector<CaseSpec> cases_of(const ShardedPlan& plan, std::span<const CaseSpec> cases) {
  std::vector<CaseSpec> kept;
  for (size_t i = 0; i < cases.size(); ++i)
    if (plan.plan.cases.at(i).shard == plan.shard.index) kept.push_back(cases[i]);
  return kept;
}

}  // namespace spb::suite
