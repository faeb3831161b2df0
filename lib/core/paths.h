// SPDX-License-Identifier: Apache-2.0
// What lies at a path that a user may have written. std::filesystem throws where a name is longer
// than the file system takes, or a folder may not be looked into: here nothing is there then. It
// also throws where a folder breaks off while it is listed; here that is one line for the user.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.h"

namespace spb {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}
inline bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}
inline bool is_folder(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

/// The paths of all that a folder holds, by name; none, and why in `failed`, where it cannot be
/// listed to its end.
inline std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                     std::error_code& failed) {
  std::vector<std::filesystem::path> entries;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(failed))
    entries.push_back(entry->path());
  if (failed) entries.clear();
  std::ranges::sort(entries);
  return entries;
}
/// The same. Throws Error (runtime) where it cannot be listed; `fix` may be empty.
inline std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                     std::string_view fix = {}) {
  std::error_code failed;
  std::vector<std::filesystem::path> entries = entries_of(folder, failed);
  if (failed) throw input_error(folder.string(), "cannot be read: " + failed.message(), fix);
  return entries;
}
/// Of them the folders, links to folders aside: they may lead back. Throws as entries_of() does.
inline std::vector<std::filesystem::path> folders_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders = entries_of(folder);
  std::error_code unknown;
  std::erase_if(folders, [&](const std::filesystem::path& path) {
    return !is_folder(path) || std::filesystem::is_symlink(path, unknown);
  });
  return folders;
}

}  // namespace spb
