// SPDX-License-Identifier: Apache-2.0
#include "report/records/shard_runs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/error.h"
#include "core/paths.h"
#include "report/records/jsonl.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// All runs in the file, each with the name run_id, in order of appearance.
std::vector<ShardRun> read_runs(const fs::path& path, bool& whole) {
  std::vector<ShardRun> runs;
  ShardRun* current = nullptr;
  std::vector<Record> open;  // rows of a case that has not ended yet
  whole = visit_jsonl(path, [&](JsonlLine& line) {
    if (line.type == "context") {
      const std::string run_id = line.record.text(columns::run_id);
      const auto known = std::ranges::find_if(runs, [&](const ShardRun& run) {
        return run.contexts.front().text(columns::run_id) == run_id;
      });
      current = known == runs.end() ? &runs.emplace_back() : &*known;
      current->contexts.push_back(std::move(line.record));
      open.clear();
      return;
    }
    if (!current) throw input_error(line.where, "comes before any context line");
    if (line.type == "result") open.push_back(std::move(line.record));
    if (line.type == "anchor") current->anchors.push_back(std::move(line.record));
    if (line.type == "summary") current->summaries.push_back(std::move(line.record));
    if (line.type == "case_end") current->cases[line.record.text_of("case")] = std::move(open);
    if (line.type == "case_end") open.clear();
  });
  return runs;
}

void check_shard(const ShardRun& run, const fs::path& path) {
  for (const Record& context : run.contexts)
    if (context.number_of("shard") != run.shard.index ||
        context.number_of("shards") != run.shard.count)
      throw input_error(path.string(), "is no run of --shard " + to_text(run.shard),
                        "move it to the folder of its shard");
}

/// By shard. Others than folders of shards are none of merge's business.
std::vector<std::pair<Shard, fs::path>> find_folders(const fs::path& dir) {
  std::vector<std::pair<Shard, fs::path>> folders;
  for (const fs::path& path : entries_of(dir, "name the --out of run --shard"))
    if (const auto shard = shard_of_folder(path.filename().string()); shard && is_folder(path))
      folders.emplace_back(*shard, path);
  std::ranges::sort(folders, {}, [](const auto& folder) {
    return std::pair(folder.first.count, folder.first.index);
  });
  if (!folders.empty() && folders.front().first.count != folders.back().first.count)
    throw usage_error(dir.string(),
                      fmt::format("holds sweeps of {} and of {} shards",
                                  folders.front().first.count, folders.back().first.count),
                      "move one of them away");
  return folders;
}

/// The plan is the same everywhere, or the shards may run cases twice, or never.
void add_plan(const ShardRun& run, ShardRuns& all) {
  ShardPlan plan = read_plan(run.folder / kShardPlanFile);
  if (all.runs.empty())
    all.plan = std::move(plan);
  else if (all.plan != plan)
    throw usage_error(run.folder.string(),
                      fmt::format("its {} is not that of {}", kShardPlanFile,
                                  folder_name(all.runs.front().shard)),
                      "run all shards with the same program, options and data");
}

}  // namespace

ShardRuns read_shards(const fs::path& dir) {
  const auto folders = find_folders(dir);
  ShardRuns all;
  for (const auto& [shard, folder] : folders) {
    const fs::path path = folder / "records.jsonl";
    if (!is_file(path)) continue;  // killed before its first line
    bool whole = true;
    std::vector<ShardRun> runs = read_runs(path, whole);
    if (runs.empty()) continue;
    if (!whole) all.notes.push_back(path.string() + ": its last line is cut off and left out");
    auto best = runs.begin();
    for (auto run = runs.begin(); run != runs.end(); ++run)
      if (run->cases.size() >= best->cases.size()) best = run;
    best->shard = shard;
    best->folder = folder;
    check_shard(*best, path);
    add_plan(*best, all);
    all.runs.push_back(std::move(*best));
  }
  if (all.runs.empty())
    throw Error(ExitCode::nothing,
                dir.string() + ": holds no records in shard-I-of-N, the folders of run --shard");

  std::map<int, const ShardRun*> by_index;
  for (const ShardRun& run : all.runs) by_index[run.shard.index] = &run;
  const int count = all.runs.front().shard.count;
  for (int index = 0; index < count; ++index)
    if (!by_index.contains(index)) all.missing.push_back({index, count});
  std::ranges::copy_if(all.plan.cases, std::back_inserter(all.unended), [&](const PlannedCase& c) {
    return by_index.contains(c.shard) && !by_index.at(c.shard)->cases.contains(c.name);
  });
  return all;
}

}  // namespace spb::report
