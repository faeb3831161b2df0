// SPDX-License-Identifier: Apache-2.0
#include "report/page/data.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/plots/style.h"
#include "report/summary/totals.h"

namespace spb::report {
namespace {

using Json = nlohmann::ordered_json;

/// Five digits: more than any figure shows.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  const std::string text = fmt::format("{:.5g}", value);
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  constexpr double kWhole = 1e15;  // every whole number below is a double
  if (read == std::floor(read) && std::fabs(read) < kWhole) return static_cast<int64_t>(read);
  return read;
}

size_t place_of(const std::vector<std::string>& list, const std::string& text) {
  return static_cast<size_t>(std::ranges::find(list, text) - list.begin());
}

/// The first letters of the words: "GS" of gather_scatter.
std::string initials(const std::string& name) {
  std::string letters;
  bool begins = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool in_word = std::isalnum(byte) != 0;
    if (in_word && begins) letters += static_cast<char>(std::toupper(byte));
    begins = !in_word;
  }
  return letters.empty() ? "X" : letters;
}

/// Name, a short name that no other one has, color and kind of point.
Json algorithms_of(const CaseSet& set) {
  Json all = Json::array();
  std::vector<std::string> taken;
  for (const std::string& name : set.algorithms) {
    std::string label = initials(name);
    for (int next = 2; std::ranges::find(taken, label) != taken.end(); ++next)
      label = fmt::format("{}{}", initials(name), next);
    taken.push_back(label);
    const PlotStyle style = style_of(set, name);
    all.push_back({name, label, style.color, style.filled});
  }
  return all;
}

/// Label, shape and voxels.
Json workloads_of(const CaseSet& set) {
  std::vector<double> voxels(set.workloads.size(), NAN);
  for (const DeviceCases& device : set.devices)
    for (const Case& one : device.cases)
      if (std::isnan(voxels[one.workload]))
        voxels[one.workload] = number_of(*one.main, columns::n_out);
  Json all = Json::array();
  for (size_t i = 0; i < set.workloads.size(); ++i) {
    const Json count = std::isnan(voxels[i]) ? Json() : Json(static_cast<int64_t>(voxels[i]));
    all.push_back({set.workloads[i], set.shapes[i], count});
  }
  return all;
}

Json place_in(const CaseSet& set, size_t device, const Case& one) {
  return {device, one.workload, place_of(set.dtypes, one.dtype),
          place_of(set.directions, one.direction)};
}

Json times_of(const CaseSet& set, size_t device, const Case& one, std::span<const int64_t> counts) {
  Json row = place_in(set, device, one);
  row.push_back(place_of(set.algorithms, one.algorithm));
  const double plan_us = one.number(name(Phase::plan), columns::time_median_us);
  const double map_us = one.number(name(Phase::map_build), columns::time_median_us);
  // map_build makes the maps of a step; a plan of one direction may need less.
  row.push_back(rounded(map_us > plan_us ? plan_us : map_us));
  row.push_back(rounded(plan_us));
  row.push_back(rounded(time_us(one)));
  Json totals = Json::array();
  for (const int64_t count : counts) {
    const Total total = total_of(one, count);
    totals.push_back({rounded(total.us), rounded(total.lo_us), rounded(total.hi_us)});
  }
  row.push_back(totals);
  return row;
}

Json winners_of(const CaseSet& set, size_t device, const Cell& cell,
                std::span<const int64_t> counts) {
  Json row = place_in(set, device, *cell.front());
  Json winners = Json::array();
  for (const int64_t count : counts) {
    const auto winner = winner_of(cell, count);
    if (!winner) {
      winners.push_back(nullptr);
      continue;
    }
    Json found = Json::array({place_of(set.algorithms, winner->best->algorithm)});
    if (winner->next) {
      found.push_back(place_of(set.algorithms, winner->next->algorithm));
      found.push_back(rounded(winner->ratio));
      found.push_back(winner->sure ? 1 : 0);
    }
    winners.push_back(found);
  }
  row.push_back(winners);
  return row;
}

}  // namespace

std::string page_data(const CaseSet& set, std::span<const int64_t> runs) {
  const std::vector<int64_t> counts = with_many(runs);
  Json devices = Json::array(), times = Json::array(), cells = Json::array();
  for (size_t i = 0; i < set.devices.size(); ++i) {
    const DeviceCases& device = set.devices[i];
    devices.push_back({device.title(), device.cache});
    for (const Case& one : device.cases)
      if (one.ranked) times.push_back(times_of(set, i, one, counts));
    for (const Cell& cell : cells_of(device)) cells.push_back(winners_of(set, i, cell, counts));
  }
  const Json data{
      {"runs", counts},
      {"dtypes", set.dtypes},
      {"directions", set.directions},
      {"devices", devices},
      {"algorithms", algorithms_of(set)},
      {"workloads", workloads_of(set)},
      {"times",
       {{"columns",
         {"device", "workload", "dtype", "direction", "algorithm", "map_us", "plan_us", "run_us",
          "totals_us"}},
        {"rows", times}}},
      {"cells",
       {{"columns", {"device", "workload", "dtype", "direction", "winners"}}, {"rows", cells}}},
  };
  // What a record says may be no UTF-8, or end the element.
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace spb::report
