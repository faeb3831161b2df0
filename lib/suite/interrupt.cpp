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
volatile std::sig_atomic_t child_of_run = 0;

void on_signal(int signal, siginfo_t* about, void*) {
  // A key press, which the kernel sends, has reached the child already: twice would end it at once.
  if (child_of_run != 0 && about->si_code != SI_KERNEL) kill(child_of_run, signal);
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
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return signals != 0; }

void pass_interrupts_to(pid_t child) {
  child_of_run = child;
  if (child != 0 && interrupted()) kill(child, SIGTERM);  // it came while the child was started
}

}  // namespace spb::suite
