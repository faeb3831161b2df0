// SPDX-License-Identifier: Apache-2.0
#include "report/records/retry.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/columns.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "report/records/append_file.h"

namespace spb::report {

namespace {

/// Whatever befalls the cases that run again, what they had is still there.
std::filesystem::path keep_copy(const std::filesystem::path& out_dir, const std::string& text) {
  for (int number = 1;; ++number) {
    auto path = out_dir / ("records.before-retry-" + std::to_string(number) + ".jsonl");
    if (is_there(path)) continue;
    replace_text(path, text);
    return path;
  }
}

}  // namespace

std::filesystem::path drop_cases(const std::filesystem::path& out_dir, const std::string& gpu_uuid,
                                 const std::set<std::string>& statuses) {
  const std::filesystem::path path = out_dir / "records.jsonl";
  const std::string text = read_text(path);
  std::istringstream lines(text);
  std::string kept, of_case;  // of_case: result lines behind the last case_end
  bool drops = false, is_ours = false;
  for (std::string line; std::getline(lines, line);) {
    const auto record = parse_json(line, path.string());
    if (!record.is_object())
      throw input_error(path.string(), "holds a line that is no JSON object");
    const std::string type = record.value("type", "");
    if (type == "context") is_ours = record.value(columns::gpu_uuid.name, "") == gpu_uuid;
    of_case += line + "\n";
    if (type == "result") {
      drops |= is_ours && statuses.contains(record.value(columns::status.name, ""));
      continue;
    }
    if (!drops || type != "case_end") kept += of_case;
    drops = false;
    of_case.clear();
  }
  kept += of_case;
  if (kept == text) return {};
  std::filesystem::path copy = keep_copy(out_dir, text);
  replace_text(path, kept);
  return copy;
}

}  // namespace spb::report
