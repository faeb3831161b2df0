// SPDX-License-Identifier: Apache-2.0
#include "report/plots/plots.h"

#include <algorithm>
#include <cctype>

#include "report/plots/kinds.h"

namespace spb::report {
namespace {

/// Letters, digits and single dashes.
std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!word.empty() && word.back() != '-')
      word += '-';
  while (word.ends_with('-')) word.pop_back();
  return word;
}

/// Names become files and words of gnuplot, and directions and dtypes are what a file said.
void add(std::vector<Plot>& plots, std::optional<Plot> plot) {
  if (!plot) return;
  std::ranges::replace_if(
      plot->name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; },
      '-');
  plots.push_back(std::move(*plot));
}

}  // namespace

std::vector<Plot> make_plots(const CaseSet& set) {
  std::vector<Plot> plots;
  for (const std::string& direction : set.directions) add(plots, devices_plot(set, direction));
  for (const DeviceCases& device : set.devices) {
    PlotScope scope{&set, &device, "", ""};
    if (set.devices.size() > 1) scope.suffix = "_" + file_word(device.title());
    const auto per_direction = [&](const auto& plot) {
      for (const std::string& direction : set.directions) {
        scope.direction = direction;
        add(plots, plot(scope));
      }
    };
    for (const Metric& metric : metrics())
      per_direction([&](const PlotScope& one) { return dot_plot(one, metric); });
    per_direction(phases_plot);
    per_direction(occupancy_plot);
    for (const std::string& dtype : set.dtypes) add(plots, roofline_plot(scope, dtype));
  }
  return plots;
}

}  // namespace spb::report
