// The table that a person reads in a terminal.
#pragma once

#include <span>
#include <string>

#include "core/record.h"

namespace spb::report {

/// Constant columns once above, units in headers, three significant digits, the fastest verified
/// row of each case marked; unverified rows are never ranked; host rows stand in a table of their
/// own. UTF-8, no color. Empty for no records.
std::string table(std::span<const Record> records);

}  // namespace spb::report
