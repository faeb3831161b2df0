// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

namespace spb {
namespace {

std::string one_line(std::string_view where, std::string_view what, std::string_view fix) {
  std::string line(where);
  line.append(": ").append(what);
  if (!fix.empty()) line.append("; ").append(fix);
  // What a file holds must not steer a terminal.
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t')
      c = ' ';
    else if (static_cast<unsigned char>(c) < ' ' || c == '\x7F')
      c = '?';
  return line;
}

}  // namespace

Error usage_error(std::string_view where, std::string_view what, std::string_view fix) {
  return Error(ExitCode::usage, one_line(where, what, fix));
}

Error input_error(std::string_view where, std::string_view what, std::string_view fix) {
  return Error(ExitCode::runtime, one_line(where, what, fix));
}

}  // namespace spb
