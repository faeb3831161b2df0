// SPDX-License-Identifier: Apache-2.0
// The top of the page: what to use on each device, and how much of it is proven.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/summary/cases.h"

namespace spb::report {

/// A device as heading; on host with the note that its times only test the tool.
std::string device_heading(const DeviceCases& device);

/// For each device its heading, answer_lines(), and a sentence of how many cases are verified.
std::string answers_html(const CaseSet& set, std::span<const int64_t> runs);

}  // namespace spb::report
