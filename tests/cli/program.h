// SPDX-License-Identifier: Apache-2.0
// The real program, run as a user runs it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "temporary_folder.h"

namespace spb::cli {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal when killed
  std::string out, err;
  double seconds = 0;
};

/// A running program; stdout and stderr go to files.
class Program {
 public:
  /// `words` are separated by blanks; none may hold one.
  Program(const std::string& words, const std::filesystem::path& folder);
  /// Another executable than the program itself.
  Program(const std::string& executable, const std::string& words,
          const std::filesystem::path& folder);
  void send(int signal) const;
  void send_to_group(int signal) const;  ///< to its children too, as a key press does
  bool is_running() const;
  pid_t pid() const { return child_; }
  Outcome wait();
  /// Kills it where it does not end in time.
  Outcome wait_for(double limit_s);

 private:
  std::filesystem::path out_, err_;
  pid_t child_ = -1;
  double start_ = 0;
};

/// Where the program runs.
class TemporaryFolder : public spb::TemporaryFolder {
 public:
  Outcome run(const std::string& words) const { return Program(words, path()).wait(); }
};

std::string read(const std::filesystem::path& path);
size_t count_lines(const std::string& text);
/// That the program lists.
const std::vector<std::string>& algorithm_names();
/// Those that `all` means for layers of one group.
size_t algorithm_count();
bool contains(const std::string& text, std::string_view part);

}  // namespace spb::cli
