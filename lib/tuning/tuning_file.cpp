// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.h"
#include "core/json_text.h"
#include "report/records/append_file.h"
#include "tuning/entry_json.h"

namespace spb::tuning {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Raised when old programs would misread the file. In format 1 choices have other names.
constexpr int kFormat = 2, kOldestFormat = 1;
bool is_read(int format) { return format >= kOldestFormat && format <= kFormat; }
constexpr const char* kFix = "move it away and tune again, or run with --tuning off";

/// Part by part: create_directories of libstdc++ 12 fails, or crashes, when another process makes
/// the same folders and one of the parts is "..".
void make_folder(const fs::path& folder) {
  fs::path made;
  std::error_code failed;
  for (const fs::path& part : folder) {
    made /= part;
    fs::create_directory(made, failed);
  }
  std::error_code missing;
  if (!folder.empty() && !fs::is_directory(folder, missing))
    throw input_error(folder.string(), "cannot be made: " + failed.message(),
                      "choose another --tuning file");
}

/// Held by one process at a time. The lock's file stays: to remove it would let two hold it.
class Lock {
 public:
  explicit Lock(const fs::path& path)
      : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    int locked = -1;
    if (descriptor_ >= 0) do
        locked = flock(descriptor_, LOCK_EX);
      while (locked != 0 && errno == EINTR);
    if (locked == 0) return;
    const std::string reason = std::strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw input_error(path.string(), "cannot lock: " + reason, "choose another --tuning file");
  }
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;  // owns a file descriptor
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

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
    throw input_error(path.string(), fmt::format("is no file of spconv-bench tune: {}", why.what()),
                      kFix);
  }
  if (!is_read(format))
    throw input_error(
        path.string(),
        fmt::format("has format {}, this program reads {} to {}", format, kOldestFormat, kFormat),
        kFix);
  return entries;
}

void merge_entries(const fs::path& path, std::span<const Entry> entries) {
  make_folder(path.parent_path());
  std::error_code failed;
  if (fs::exists(path, failed)) read_entries(path);  // before a lock is left beside it
  fs::path lock_path = path;
  lock_path += ".lock";
  const Lock lock(lock_path);
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
  report::replace_text(path, file.dump(1) + "\n");
}

}  // namespace spb::tuning
