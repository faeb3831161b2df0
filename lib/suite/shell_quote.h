// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spb::suite {

/// One word for a shell, quoted only where it must be.
std::string shell_quote(const std::string& word);

}  // namespace spb::suite
