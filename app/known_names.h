// SPDX-License-Identifier: Apache-2.0
// Options that take names out of a few, as --allow-mismatch.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace spb::app {

/// The names in a list with commas between; none for an empty text. Throws Error (usage) naming
/// `where` for one that is not known.
std::set<std::string> parse_names(const std::string& list, const std::vector<std::string>& known,
                                  const char* where);

}  // namespace spb::app
