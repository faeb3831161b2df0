#include "interrupt.h"

#include <csignal>
#include <unistd.h>

#include "core/error.h"

namespace spb::app {
namespace {

volatile std::sig_atomic_t signals = 0;

void on_signal(int) {
  if (signals != 0) _exit(static_cast<int>(ExitCode::interrupted));
  signals = 1;
}

}  // namespace

void handle_interrupts() {
  signals = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return signals != 0; }

}  // namespace spb::app
