// SPDX-License-Identifier: Apache-2.0
// What a usage error says.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"

namespace spb {

std::string usage_message(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

}  // namespace spb
