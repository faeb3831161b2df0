// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <utility>

#include "core/one_line.h"

namespace spb {
namespace {

std::string message(std::string_view where, std::string_view what, std::string_view fix) {
  std::string line(where);
  line.append(": ").append(what);
  if (!fix.empty()) line.append("; ").append(fix);
  return one_line(std::move(line));
}

}  // namespace

Error usage_error(std::string_view where, std::string_view what, std::string_view fix) {
  return Error(ExitCode::usage, message(where, what, fix));
}

Error input_error(std::string_view where, std::string_view what, std::string_view fix) {
  return Error(ExitCode::runtime, message(where, what, fix));
}

}  // namespace spb
