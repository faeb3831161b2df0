// SPDX-License-Identifier: Apache-2.0
// A file that only grows, whose every write has reached the operating system or thrown.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace spb::report {

/// Appends to a file, or to standard output when the path is "-". A write that fails (disk full)
/// throws Error (runtime) at once: a lost record is never silent.
class AppendFile {
 public:
  /// Creates missing directories and the file. A last line that a killed run left without its
  /// line end is dropped: every record is one line. Throws Error (runtime) when the file cannot be
  /// written.
  explicit AppendFile(const std::filesystem::path& path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;  // owns a file descriptor
  AppendFile& operator=(const AppendFile&) = delete;

  void write(std::string_view text);
  /// Waits until all of it is stored: a quota, or a disk over a network, may refuse only then what
  /// it took before. Throws Error (runtime).
  void sync();
  const std::filesystem::path& path() const { return path_; }
  bool was_empty() const { return was_empty_; }  ///< when it was opened

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool was_empty_ = true;
};

/// Replaces the file, or makes it, by one that `write` makes at another path: a kill at any moment
/// leaves the old or the new file, a failure nothing beside it. A symbolic link stays one; a device
/// or a pipe is written to. `write` syncs what it makes. Where it returns false, all stays as it
/// is. Throws what `write` throws, Error (runtime) when the file cannot be replaced.
void replace_file(const std::filesystem::path& path,
                  const std::function<bool(const std::filesystem::path&)>& write);

/// The same with a text. Throws Error (runtime) when it cannot be written.
void replace_text(const std::filesystem::path& path, std::string_view text);

/// The file, opened for reading. Throws Error (runtime) when it cannot be.
std::ifstream open_text(const std::filesystem::path& path);

/// The whole file, a regular one: a device may never end. Throws Error (runtime) when it cannot be
/// read.
std::string read_text(const std::filesystem::path& path);

}  // namespace spb::report
