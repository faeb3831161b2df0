// SPDX-License-Identifier: Apache-2.0
#include "report/records/baselines.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "core/paths.h"
#include "report/records/open_input.h"
#include "report/records/read_records.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// Hidden folders are left alone: a copy in the making is one.
std::vector<std::string> baseline_names(const fs::path& folder) {
  std::vector<std::string> names;
  if (!is_folder(folder)) return names;
  for (const fs::path& path : entries_of(folder))
    if (is_folder(path) && !path.filename().string().starts_with("."))
      names.push_back(path.filename().string());
  return names;
}

/// The name by which a folder's records are found.
fs::path standard_name(const fs::path& file) {
  const bool is_jsonl = open_input(file)->peek() == '{';
  return std::string(is_jsonl ? "records.jsonl" : "results.csv") +
         (file.extension() == ".xz" ? ".xz" : "");
}

void copy_to(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to);
}

void copy_run(const fs::path& run, const std::vector<fs::path>& files, const fs::path& to) {
  fs::remove_all(to);  // of a copy that was cut off
  for (const fs::path& file : files) {
    const bool alone = is_file(run);
    const fs::path inner = alone ? fs::path() : fs::relative(file.parent_path(), run);
    const fs::path folder = (to / inner).lexically_normal();
    copy_to(file, folder / standard_name(file));
    for (const char* samples : {"samples.csv", "samples.csv.xz"})
      if (const fs::path beside = file.parent_path() / samples; is_there(beside))
        copy_to(beside, folder / samples);
  }
}

}  // namespace

fs::path save_baseline(const fs::path& folder, const std::string& name, const fs::path& run) {
  if (name.empty() || name.starts_with(".") || name.find('/') != std::string::npos)
    throw usage_error("--save-baseline", fmt::format("\"{}\" is no name of a folder", name),
                      "write one without / that does not begin with a point");
  const RecordSet records = read_records(run);
  if (records.rows.empty())
    throw Error(ExitCode::nothing, run.string() + ": no rows, nothing to keep");
  const fs::path made = folder / ("." + name);
  fs::path kept = folder / name;
  try {
    copy_run(run, records.files, made);
    fs::remove_all(kept);
    fs::rename(made, kept);
  } catch (const fs::filesystem_error& error) {
    throw input_error(kept.string(), "cannot be written: " + error.code().message());
  }
  return kept;
}

fs::path find_baseline(const fs::path& folder, const std::string& name) {
  const std::vector<std::string> names = baseline_names(folder);
  if (std::ranges::find(names, name) != names.end()) return folder / name;
  if (names.empty())
    throw usage_error("--baseline", folder.string() + " holds no baseline",
                      "make one with compare --save-baseline NAME RUN, or name --baselines DIR");
  throw usage_error("--baseline", unknown_name(name, names),
                    fmt::format("{} has {}", folder.string(), fmt::join(names, ", ")));
}

}  // namespace spb::report
