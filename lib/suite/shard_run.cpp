// SPDX-License-Identifier: Apache-2.0
#include "suite/shard_run.h"

#include <filesystem>

#include "report/records/append_file.h"
#include "suite/shard_anchor.h"

namespace spb::suite {

void take_shard(SuiteRunOptions& options, PlannedCases& plan, Log& log) {
  const report::Shard shard = report::parse_shard(options.shard).value();
  options.out = std::filesystem::path(options.out) / report::folder_name(shard);
  const bool is_worker = options.worker >= 0;
  plan.shard = is_worker ? read_shard(options.out, options.shard)
                         : plan_shard(plan.cases, options.shard, options.cases.reading, log);
  plan.cases = cases_of(*plan.shard, plan.cases);
  if (options.run.time) plan.anchor = anchor_case(plan.algorithms);
}

void note_shard(const ShardedPlan& plan, const std::string& out, Record& context) {
  report::replace_text(std::filesystem::path(out) / report::kShardPlanFile,
                       report::plan_text(plan.plan));
  context.named("shard") = int64_t{plan.shard.index};
  context.named("shards") = int64_t{plan.shard.count};
  context.named("shard_plan_hash") = plan.hash;
}

}  // namespace spb::suite
