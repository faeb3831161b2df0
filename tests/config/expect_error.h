// SPDX-License-Identifier: Apache-2.0
// Expectations about the one line that a user sees.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"

namespace spb::config {

/// Expects Error of `code` whose message contains `part`.
template <typename Action>
void expect_error(Action&& action, const std::string& part, ExitCode code = ExitCode::usage) {
  try {
    action();
    ADD_FAILURE() << "no error that says: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << "\"" << error.what() << "\" does not say: " << part;
  }
}

}  // namespace spb::config
