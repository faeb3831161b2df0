// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: the first lets the case in progress finish, the second quits at once.
#pragma once

#include <sys/types.h>

namespace spb::suite {

/// With `says_so`, the first one writes a line to stderr: a case can take minutes to end.
void handle_interrupts(bool says_so);
bool interrupted();

/// A child that takes them in the same way gets them, too, until the next call; 0: there is none.
void pass_interrupts_to(pid_t child);

}  // namespace spb::suite
