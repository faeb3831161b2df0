// SPDX-License-Identifier: Apache-2.0
#include "report/records/merge_shards.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/error.h"
#include "core/paths.h"
#include "core/statistics.h"
#include "report/compare/conditions.h"
#include "report/records/append_file.h"
#include "report/records/csv.h"
#include "report/records/data_hashes.h"
#include "report/records/jsonl.h"
#include "report/summary/rank.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// The cases of a shard in the order of the plan.
std::vector<const PlannedCase*> ended_cases(const ShardRuns& shards, const ShardRun& run) {
  std::vector<const PlannedCase*> ended;
  for (const PlannedCase& planned : shards.plan.cases)
    if (planned.shard == run.shard.index && run.cases.contains(planned.name))
      ended.push_back(&planned);
  return ended;
}

std::string first_difference(const Record& base, const Record& next,
                             const std::set<std::string>& allowed) {
  const auto differ = [&](const Column<Text>& column) {
    return base.text(column) == next.text(column)
               ? std::string()
               : fmt::format("{} {} / {}", column.name, base.text(column).substr(0, 12),
                             next.text(column).substr(0, 12));
  };
  if (const std::string text = differ(columns::config_hash); !text.empty())
    return text + "; run all shards with the same options";
  if (const std::string text = differ(columns::git_sha);
      !text.empty() && !allowed.contains(columns::git_sha.name))
    return text + "; --allow-mismatch git_sha merges anyway";
  const std::vector<Difference> found = differences(base, next, allowed);
  if (found.empty()) return {};
  return fmt::format("{0} {1}; --allow-mismatch {0} merges anyway", found.front().condition,
                     found.front().values);
}

void check_data(const ShardRuns& shards) {
  DataHashes hashes;
  for (const ShardRun& run : shards.runs)
    for (const auto& [name, rows] : run.cases)
      for (const Record& row : rows)
        if (const std::string two = hashes.add(row); !two.empty())
          throw usage_error(run.folder.string(), "makes " + two + " among the shards",
                            "run all shards on the same data");
}

/// Files of an earlier merge of the same sweep may be replaced, others not.
void check_out(const fs::path& out, const Record& context) {
  const fs::path path = out / "records.jsonl";
  if (!is_there(path)) return;
  bool is_merge = false, is_same = true;
  visit_jsonl(path, [&](const JsonlLine& line) {
    is_merge |= line.type == "merge";
    is_same &= line.type != "context" ||
               line.record.text(columns::config_hash) == context.text(columns::config_hash);
  });
  if (!is_merge || !is_same)
    throw usage_error(path.string(), "is no merge of these shards", "name another --out");
}

void write_jsonl(const fs::path& path, const ShardRuns& shards, const Record& merge) {
  for (const ShardRun& run : shards.runs) {
    for (const Record& context : run.contexts)
      if (&context != &run.contexts.back()) JsonlWriter(path, context).sync();
    JsonlWriter file(path, run.contexts.back());
    for (const Record& anchor : run.anchors) file.append("anchor", anchor);
    for (const PlannedCase* ended : ended_cases(shards, run)) {
      for (const Record& row : run.cases.at(ended->name)) file.append(row);
      file.end_case(ended->name);
    }
    for (const Record& summary : run.summaries) file.finish(summary);
    if (&run == &shards.runs.back()) file.append("merge", merge);
    file.sync();
  }
}

/// What the merge says of itself.
Record about(const ShardRuns& shards) {
  Record merge;
  merge.named("shards") = int64_t{shards.plan.shards};
  merge.named("missing_shards") = static_cast<int64_t>(shards.missing.size());
  merge.named("unended_cases") = static_cast<int64_t>(shards.unended.size());
  // An anchor that is not there counts as less than any.
  if (const auto largest = std::ranges::max(anchors_rel(shards)))
    merge.named("anchor_rel") = *largest;
  return merge;
}

/// Whether a shard has samples.
bool write_samples(const fs::path& path, const ShardRuns& shards) {
  std::string header;
  for (const ShardRun& run : shards.runs) {
    const fs::path of_shard = run.folder / "samples.csv";
    if (!is_file(of_shard)) continue;
    const std::string text = read_text(of_shard);
    const size_t body = text.find('\n') + 1;  // 0 without one
    // A kill may have cut off the last line.
    const size_t end = text.rfind('\n') + 1;
    AppendFile file(path);
    if (header.empty()) file.write(header = text.substr(0, body));
    if (text.substr(0, body) != header)
      throw input_error(of_shard.string(), "has other columns than the shards before it");
    file.write(std::string_view(text).substr(body, end - body));
    file.sync();
  }
  return !header.empty();
}

}  // namespace

std::vector<std::string> shard_conditions() {
  return {columns::git_sha.name, "gpu", "driver", "clock_policy"};
}

void check_alike(const ShardRuns& shards, const std::set<std::string>& allowed) {
  const Record& base = shards.runs.front().contexts.front();
  for (const ShardRun& run : shards.runs)
    for (const Record& context : run.contexts)
      if (const std::string text = first_difference(base, context, allowed); !text.empty())
        throw usage_error(run.folder.string(),
                          "differs from " + folder_name(shards.runs.front().shard) + ": " + text);
  check_data(shards);
}

std::optional<double> anchor_us(const ShardRun& run) {
  std::vector<double> times_us;
  for (const Record& anchor : run.anchors)
    if (const auto time_us = anchor.number(columns::time_median_us)) times_us.push_back(*time_us);
  if (times_us.empty()) return std::nullopt;
  return median(std::move(times_us));
}

std::vector<std::optional<double>> anchors_rel(const ShardRuns& shards) {
  std::vector<std::optional<double>> anchors;
  for (const ShardRun& run : shards.runs) anchors.push_back(anchor_us(run));
  std::optional<double> fastest_us;
  for (const auto& time_us : anchors)
    if (time_us) fastest_us = std::min(*time_us, fastest_us.value_or(*time_us));
  for (auto& anchor : anchors)
    if (anchor) *anchor = *anchor / *fastest_us - 1;
  return anchors;
}

std::vector<Record> merged_rows(const ShardRuns& shards) {
  std::map<int, const ShardRun*> by_index;
  for (const ShardRun& run : shards.runs) by_index[run.shard.index] = &run;
  std::vector<Record> rows;
  for (const PlannedCase& planned : shards.plan.cases) {
    if (!by_index.contains(planned.shard)) continue;
    const auto& cases = by_index.at(planned.shard)->cases;
    if (const auto found = cases.find(planned.name); found != cases.end())
      rows.insert(rows.end(), found->second.begin(), found->second.end());
  }
  fill_rank(rows);
  return rows;
}

void write_merged(const fs::path& out, const ShardRuns& shards) {
  check_out(out, shards.runs.front().contexts.front());
  replace_file(out / "records.jsonl", [&](const fs::path& path) {
    write_jsonl(path, shards, about(shards));
    return true;
  });
  replace_file(out / "samples.csv",
               [&](const fs::path& path) { return write_samples(path, shards); });
  write_csv(out / "results.csv", merged_rows(shards));
}

}  // namespace spb::report
