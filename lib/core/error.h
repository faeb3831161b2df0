// SPDX-License-Identifier: Apache-2.0
// The errors a user sees: one line that says what, where, why and how to fix it, with its exit
// code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spb {

/// Process exit codes, part of the command line's contract. If several apply:
/// 2, 130, 4, 1, 3, 6, 5.
enum class ExitCode {
  ok = 0,
  incorrect = 1,      ///< verification failed
  usage = 2,          ///< command line or configuration
  gate = 3,           ///< performance or memory gate failed
  runtime = 4,        ///< device, memory, I/O, unreadable data
  nothing = 5,        ///< nothing matched, ran or compared
  inconclusive = 6,   ///< a comparison that decides nothing, and found nothing worse
  interrupted = 130,  ///< partial results saved
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// "WHERE: WHAT; FIX" with exit code 2. `where` is an option or "file:line"; `fix` may be empty.
Error usage_error(std::string_view where, std::string_view what, std::string_view fix = {});

/// "WHERE: WHAT; FIX" with exit code 4. `where` is a path, with a line or byte offset when known.
Error input_error(std::string_view where, std::string_view what, std::string_view fix = {});

}  // namespace spb
