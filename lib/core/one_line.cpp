// SPDX-License-Identifier: Apache-2.0
#include "core/one_line.h"

namespace spb {

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t')
      c = ' ';
    else if (static_cast<unsigned char>(c) < ' ' || c == '\x7F')
      c = '?';
  return text;
}

}  // namespace spb
