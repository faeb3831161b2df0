// SPDX-License-Identifier: Apache-2.0
// Links from the page to the files beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/plots/plots.h"

namespace spb::report {

/// results.csv, summary.md, `records_file` unless empty, and the drawn plots by device and kind.
std::string files_section(std::span<const Plot> plots, std::string_view records_file);

}  // namespace spb::report
