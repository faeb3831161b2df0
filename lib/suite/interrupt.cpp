// SPDX-License-Identifier: Apache-2.0
#include "suite/interrupt.h"

#include <csignal>
#include <string_view>
#include <unistd.h>

#include "core/error.h"

namespace spb::suite {
namespace {

volatile std::sig_atomic_t signals = 0;
volatile std::sig_atomic_t is_talkative = 0;

void on_signal(int) {
  if (signals != 0) _exit(static_cast<int>(ExitCode::interrupted));
  signals = 1;
  constexpr std::string_view kLine =
      "\ninterrupted: waiting for the case in progress; a second time quits at once\n";
  // Nothing else that prints is safe here. Nothing can be done when it fails.
  if (is_talkative != 0) static_cast<void>(!write(STDERR_FILENO, kLine.data(), kLine.size()));
}

}  // namespace

void handle_interrupts(bool says_so) {
  signals = 0;
  is_talkative = says_so;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return signals != 0; }

}  // namespace spb::suite
