// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: the first lets the case in progress finish, the second quits at once.
#pragma once

namespace spb::suite {

/// With `says_so`, the first one writes a line to stderr: a case can take minutes to end.
void handle_interrupts(bool says_so);
bool interrupted();

}  // namespace spb::suite
