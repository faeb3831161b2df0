// SPDX-License-Identifier: Apache-2.0
// The plots of a report, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/summary/cases.h"

namespace spb::report {

struct Plot {
  std::string name;                     ///< of its files, without ending
  std::string kind;                     ///< heading of the plots that belong together
  const DeviceCases* device = nullptr;  ///< whose cases are drawn; null: those of several
  std::string title;                    ///< what is drawn, with units
  std::string description;              ///< how to read it
  int width = 0, height = 0;
  std::string script;  ///< gnuplot commands, one `plot` at the end
};

/// All plots that the rows have values for: with several GPUs their fastest times; per device time,
/// speedup over the baseline, memory, redundancy, phases and dense convolutions by direction, a
/// roofline by dtype.
/// Plots of a device and kind stand together. `set` must outlive them.
std::vector<Plot> make_plots(const CaseSet& set);

/// Whether a program `gnuplot` is on the PATH.
bool has_gnuplot();

/// A page of plots takes seconds.
inline constexpr double kGnuplotLimitS = 300;

/// Writes NAME.svg and NAME.png of each plot to `folder`, which is made. The files hold no dates,
/// versions or random names. Throws Error (runtime) with the words of gnuplot when it is missing or
/// fails, or is ended because it takes longer than `limit_s`.
void draw_plots(const std::vector<Plot>& plots, const std::filesystem::path& folder,
                double limit_s = kGnuplotLimitS);

}  // namespace spb::report
