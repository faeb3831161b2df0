// SPDX-License-Identifier: Apache-2.0
#include "suite/out_folder.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "core/error.h"
#include "core/paths.h"
#include "data/generate.h"
#include "suite/load.h"

namespace spb::suite {
namespace {

namespace fs = std::filesystem;

// A process that was killed just now may still be ending.
constexpr double kLockS = 1;

Error holds_a_run(const SuiteRunOptions& options) {
  return usage_error("--out", fmt::format("{} holds a run already", options.out),
                     "name another folder, or give --resume to go on with it");
}

/// The records that are to be written. Nothing is left in a folder that is none for them.
fs::path checked(const SuiteRunOptions& options) {
  const fs::path out = options.out;
  std::error_code none;
  if (options.resume || fs::exists(out / "records.jsonl", none)) return out / "records.jsonl";
  if (fs::exists(out / "records.jsonl.xz", none)) throw holds_a_run(options);
  // Its rows would be replaced by those of this run alone.
  if (fs::exists(out / "results.csv", none))
    throw usage_error(
        "--out", fmt::format("{} holds a results.csv without the records of its run", options.out),
        "name another folder, or move it away");
  return out / "records.jsonl";
}

}  // namespace

OutFolder::OutFolder(const SuiteRunOptions& options, Log& log) : lock_(checked(options), kLockS) {
  if (!lock_.other().empty())
    throw usage_error("--out", fmt::format("{} is written by {}", options.out, lock_.other()),
                      "wait for its end, or name another folder");
  if (!lock_.failure().empty())
    log.warning(fmt::format(
        "--out: {} lies where files cannot be locked ({}): a second run there would not be noticed",
        options.out, lock_.failure()));
  // Another run there would be taken for a part of this one.
  if (!options.resume && is_file(fs::path(options.out) / "records.jsonl"))
    throw holds_a_run(options);
}

void check_names(std::span<const config::CaseSpec> cases) {
  std::map<std::string, std::string> by_name;
  std::string checked;
  for (const config::CaseSpec& spec : cases) {
    if (spec.dataset == checked || data::is_generator(spec.dataset)) continue;
    checked = spec.dataset;
    const std::string name = record_name(spec.dataset);
    const std::string& first = by_name.try_emplace(name, spec.dataset).first->second;
    if (first != spec.dataset && data_sha256(first) != data_sha256(spec.dataset))
      throw usage_error(
          spec.dataset,
          fmt::format("is {} in records, as is {}, which holds other data", name, first),
          "rename one of them, or run each into a folder of its own");
  }
}

void check_unchanged(std::span<const Record> rows, report::DataHashes& hashes) {
  for (const Record& row : rows)
    if (const std::string two = hashes.add(row); !two.empty())
      throw input_error(row.text(columns::dataset), "was changed while the run went on: " + two,
                        "put the first one back and give --resume, or begin anew");
}

}  // namespace spb::suite
