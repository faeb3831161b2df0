// SPDX-License-Identifier: Apache-2.0
// What --kernel and its kin make of all plans.
#pragma once

#include <map>
#include <string>

#include "core/choice.h"

namespace spb::suite {

struct GivenChoices {
  Choice forced;  ///< taken by every plan; empty: plans and tuning choose
  Choice usual;   ///< what plans do by themselves, and no tuned choice may do otherwise
};

/// `values`: SuiteRunOptions::knobs.
GivenChoices given_choices(const std::map<std::string, std::string>& values);

}  // namespace spb::suite
