// SPDX-License-Identifier: Apache-2.0
#include "core/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spb {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> names) {
  std::string best;
  // Further away than half the word, a suggestion is noise.
  size_t best_distance = std::max<size_t>(2, word.size() / 2) + 1;
  for (const std::string& name : names)
    if (const size_t d = edit_distance(word, name); d < best_distance) {
      best_distance = d;
      best = name;
    }
  if (!best.empty() || word.size() < 3) return best;
  const auto begun =
      std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(word); });
  return begun == names.end() ? best : *begun;
}

std::string unknown_name(std::string_view word, std::span<const std::string> names) {
  std::string text("\"");
  text.append(word).append("\" is unknown");
  if (const std::string near = nearest_name(word, names); !near.empty())
    text += "; did you mean \"" + near + "\"?";
  return text;
}

}  // namespace spb
