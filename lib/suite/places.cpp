// SPDX-License-Identifier: Apache-2.0
#include "suite/places.h"

#include <cctype>
#include <cstdlib>

namespace spb::suite {
namespace {

std::filesystem::path home() {
  const char* set = std::getenv("SPCONV_BENCH_HOME");
  return set ? set : SPB_HOME;
}

}  // namespace

std::filesystem::path suites_folder() { return home() / "configs" / "suites"; }
std::filesystem::path datasets_folder() { return home() / "datasets"; }

std::filesystem::path cache_folder() {
  namespace fs = std::filesystem;
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
