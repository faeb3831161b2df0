// The table of table.h as Markdown.
#pragma once

#include <span>
#include <string>

#include "core/record.h"

namespace spb::report {

/// A list of the constant columns, a pipe table, and its notes. Empty for no records.
std::string markdown(std::span<const Record> records);

}  // namespace spb::report
