// SPDX-License-Identifier: Apache-2.0
#include "report/records/read_samples.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/paths.h"
#include "report/records/csv.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// Where the columns stand in a file.
struct Columns {
  size_t run_id, case_id, round, sample, time_ns, throttled;
};

Columns find_columns(const std::vector<std::string>& header, const std::string& where) {
  const auto find = [&](const char* name) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) throw input_error(where, std::string("has no column ") + name);
    return static_cast<size_t>(found - header.begin());
  };
  return {find("run_id"), find("case_id"), find("round"),
          find("sample"), find("time_ns"), find("throttled")};
}

template <typename Number>
Number number(const std::string& text, const std::string& where) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(static_cast<double>(value)))
    throw input_error(where, "\"" + text + "\" is no number");
  return value;
}

/// What a file holds of one row.
struct RowSamples {
  std::map<int64_t, std::vector<double>> kept, throttled;  // by round
  std::pair<int64_t, int64_t> last{-1, -1};                // round and sample

  void add(int64_t round, int64_t sample, double time, bool is_throttled) {
    // A case that a resumed run repeats starts anew; its earlier samples have no row.
    if (std::pair(round, sample) <= last) *this = {};
    last = {round, sample};
    (is_throttled ? throttled : kept)[round].push_back(time);
  }
  static std::vector<double> of(const std::map<int64_t, std::vector<double>>& side, int64_t round) {
    const auto found = side.find(round);
    return found == side.end() ? std::vector<double>() : found->second;
  }
  Rounds rounds() const {
    Rounds rounds;
    std::set<int64_t> numbers;
    for (const auto* side : {&kept, &throttled})
      for (const auto& [round, times] : *side) numbers.insert(round);
    for (const int64_t round : numbers)
      rounds.push_back(counted_times(of(kept, round), of(throttled, round)));
    return rounds;
  }
};

}  // namespace

std::string sample_key(const Record& row) {
  return row.text(columns::run_id) + "\n" + row.text(columns::case_id);
}

std::map<std::string, Rounds> read_samples(std::span<const fs::path> files,
                                           const std::set<std::string>& keys) {
  std::map<std::string, RowSamples> found;
  for (const fs::path& file : files) {
    fs::path path = file.parent_path() / "samples.csv";
    if (!is_file(path)) path += ".xz";
    if (!is_file(path)) continue;
    visit_csv(path, [&](const auto& header, const auto& cells, const std::string& where) {
      const Columns column = find_columns(header, where);
      const std::string key = cells[column.run_id] + "\n" + cells[column.case_id];
      if (!keys.contains(key)) return;
      found[key].add(
          number<int64_t>(cells[column.round], where), number<int64_t>(cells[column.sample], where),
          number<double>(cells[column.time_ns], where) * 1e-3, cells[column.throttled] == "1");
    });
  }
  std::map<std::string, Rounds> samples;
  for (const auto& [key, row] : found) samples[key] = row.rounds();
  return samples;
}

}  // namespace spb::report
