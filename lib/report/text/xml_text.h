// SPDX-License-Identifier: Apache-2.0
// Text of records inside HTML, SVG and XML.
#pragma once

#include <string>
#include <string_view>

namespace spb::report {

/// Text that is shown as it is, in elements and in quoted attributes. What XML 1.0 cannot hold at
/// all becomes a question mark.
std::string xml_text(std::string_view text);

}  // namespace spb::report
