// SPDX-License-Identifier: Apache-2.0
// Waiting for a child process, never without a limit.
#pragma once

#include <optional>
#include <sys/types.h>

namespace spb {

/// How waitpid() says that the child ended, once it has; nothing when it still runs after
/// `limit_s`.
std::optional<int> wait_for_child(pid_t child, double limit_s);

struct ChildEnd {
  std::optional<int> status;  ///< nothing: not even a kill ended it, as in a driver that hangs
  bool was_killed = false;    ///< by end_child()
};

/// Waits as wait_for_child() does, then kills what still runs.
ChildEnd end_child(pid_t child, double limit_s);

}  // namespace spb
