// SPDX-License-Identifier: Apache-2.0
// What lies at a path that a user may have written. std::filesystem throws where a name is longer
// than the file system takes, or a folder may not be looked into: here nothing is there then.
#pragma once

#include <filesystem>
#include <system_error>

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

}  // namespace spb
