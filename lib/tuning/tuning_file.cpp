// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_file.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/error.h"
#include "core/json_text.h"
#include "report/records/append_file.h"
#include "report/records/file_lock.h"
#include "tuning/entry_json.h"

namespace spb::tuning {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Raised when old programs would misread the file. In format 1 choices have other names.
constexpr int kFormat = 2, kOldestFormat = 1;
bool is_read(int format) { return format >= kOldestFormat && format <= kFormat; }
constexpr const char* kFix = "move it away and tune again, or run with --tuning off";

}  // namespace

std::vector<Entry> read_entries(const fs::path& path) {
  const json file = parse_json(report::read_text(path), path.string());
  std::vector<Entry> entries;
  int format = 0;
  try {
    if (file.is_discarded()) throw std::invalid_argument("it is no JSON");
    if (file.at("type") != "tuning") throw std::invalid_argument("type is another");
    format = whole_number<int>(file.at("format"), "format");
    if (is_read(format))
      for (const json& entry : file.at("entries")) entries.push_back(entry_from_json(entry));
  } catch (const std::exception& why) {
    throw input_error(path.string(),
                      fmt::format("is no file of spconv-bench tune: {}", json_reason(why)), kFix);
  }
  if (!is_read(format))
    throw input_error(
        path.string(),
        fmt::format("has format {}, this program reads {} to {}", format, kOldestFormat, kFormat),
        kFix);
  return entries;
}

void merge_entries(const fs::path& path, std::span<const Entry> entries, double lock_limit_s) {
  std::error_code failed;
  if (fs::exists(path, failed)) read_entries(path);  // before a lock is left beside it
  const report::FileLock lock(path, lock_limit_s);
  if (!lock.failure().empty())
    throw input_error(path.string(), "cannot lock: " + lock.failure(),
                      "choose another --tuning file");
  if (!lock.other().empty())
    throw input_error(path.string(),
                      fmt::format("{} has held its lock for {:g} s", lock.other(), lock_limit_s),
                      "end it, or choose another --tuning file");
  std::vector<Entry> all;
  if (fs::exists(path, failed)) all = read_entries(path);
  for (const Entry& entry : entries) {
    std::erase_if(all, [&](const Entry& old) {
      return old.machine == entry.machine && old.problem_class == entry.problem_class;
    });
    all.push_back(entry);
  }
  json list = json::array();
  for (const Entry& entry : all) list.push_back(to_json(entry));
  const json file = {{"type", "tuning"}, {"format", kFormat}, {"entries", list}};
  // A data set's path may hold any bytes; a replaced character is better than a lost entry.
  report::replace_text(path, file.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace spb::tuning
