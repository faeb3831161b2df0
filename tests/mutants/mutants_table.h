// SPDX-License-Identifier: Apache-2.0
// docs/mutants.md, of the table of mutants.
#pragma once

#include <string>

namespace spb::mutants {

std::string mutants_page();

}  // namespace spb::mutants
