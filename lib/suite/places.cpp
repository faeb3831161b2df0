// SPDX-License-Identifier: Apache-2.0
#include "suite/places.h"

#include <cctype>
#include <cstdlib>
#include <system_error>

#include "core/error.h"
#include "core/paths.h"

namespace spb::suite {
namespace {

namespace fs = std::filesystem;

/// Of the sources for a program in its build folder, of the installation for any other: one that
/// was installed must not live on the sources that it happens to come from.
fs::path home() {
  if (const char* set = std::getenv("SPCONV_BENCH_HOME"); set && *set) return set;
  std::error_code ignored;  // without /proc there is no data folder, which is said
  const fs::path program = fs::canonical("/proc/self/exe", ignored);
  const fs::path to_build = program.lexically_relative(SPB_BUILD_FOLDER);
  if (!to_build.empty() && *to_build.begin() != "..") return SPB_HOME;
  return program.parent_path().parent_path() / "share" / "spconv-bench";
}

fs::path folder_in_home(const fs::path& name) {
  fs::path folder = home() / name;
  if (!is_folder(folder))
    throw input_error(folder.string(), "not there: this program lacks its data folder",
                      "install it again, or set SPCONV_BENCH_HOME to the folder of configs/ and "
                      "datasets/");
  return folder;
}

}  // namespace

fs::path suites_folder() { return folder_in_home("configs/suites"); }
fs::path datasets_folder() { return folder_in_home("datasets"); }

fs::path cache_folder() {
  const char* folder = std::getenv("XDG_CACHE_HOME");
  if (folder && *folder) return fs::path(folder) / "spconv-bench";
  const char* user = std::getenv("HOME");
  return fs::path(user && *user ? user : ".") / ".cache" / "spconv-bench";
}

std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    if (plain || (!word.empty() && word.back() != '_')) word += plain ? c : '_';
  }
  return word;
}

}  // namespace spb::suite
