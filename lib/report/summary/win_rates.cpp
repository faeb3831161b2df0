// SPDX-License-Identifier: Apache-2.0
#include "report/summary/win_rates.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "report/summary/rank.h"

namespace spb::report {
namespace {

/// A row of the table holds what is up to `most` and beyond the row before.
struct Band {
  int64_t most;
  const char* text;
};
constexpr int64_t kNoEnd = INT64_MAX;
constexpr Band kOutputs[] = {{10'000, "up to 10k"}, {100'000, "up to 100k"}, {kNoEnd, "more"}};
constexpr Band kChannels[] = {{64, "up to 64"}, {256, "up to 256"}, {kNoEnd, "more"}};

size_t band_of(std::span<const Band> bands, int64_t value) {
  size_t band = 0;
  while (value > bands[band].most) ++band;
  return band;
}

bool is_hot(const Record& record) { return record.get(columns::cache) == CacheState::hot; }

/// "masked_implicit_gemm 67 %, implicit_gemm 33 %": the most frequent first.
std::string shares(const std::map<std::string, int>& wins, int all) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [algorithm, count] : wins) sorted.emplace_back(-count, algorithm);
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [count, algorithm] : sorted)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", algorithm,
                        std::round(-100.0 * count / all));
  return text;
}

}  // namespace

std::vector<Win> wins(std::span<const Record> ranked) {
  const bool any_hot = std::ranges::any_of(ranked, is_hot);
  std::map<std::string, std::vector<const Record*>> competitions;
  for (const Record& record : ranked)
    if (record.get(columns::rank) && record.get(columns::phase) == Phase::kernel &&
        is_hot(record) == any_hot)
      competitions[competition(record)].push_back(&record);
  std::vector<Win> all;
  for (const auto& [key, rows] : competitions) {
    if (rows.size() < 2) continue;
    const Record& best = **std::ranges::min_element(
        rows, {}, [](const Record* row) { return row->get(columns::rank); });
    all.push_back(
        {best.text(columns::algorithm), best.text(columns::direction),
         best.get(columns::n_out).value_or(0),
         std::max(best.get(columns::c_in).value_or(0), best.get(columns::c_out).value_or(0))});
  }
  return all;
}

std::vector<std::vector<std::string>> win_rates(std::span<const Win> wins) {
  std::map<std::tuple<std::string, size_t, size_t>, std::map<std::string, int>> rows;
  for (const Win& win : wins)
    ++rows[{win.direction, band_of(kOutputs, win.n_out), band_of(kChannels, win.channels)}]
          [win.algorithm];
  std::vector<std::vector<std::string>> lines{
      {"direction", "outputs", "channels", "cases", "fastest in"}};
  for (const auto& [row, counts] : rows) {
    const auto& [direction, outputs, channels] = row;
    int all = 0;
    for (const auto& [algorithm, count] : counts) all += count;
    lines.push_back({direction, kOutputs[outputs].text, kChannels[channels].text,
                     fmt::format("{}", all), shares(counts, all)});
  }
  return lines;
}

}  // namespace spb::report
