// SPDX-License-Identifier: Apache-2.0
// The program with a correct algorithm and some that crash or stop in run(), or behind it.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "application.h"
#include "gpu/launch.cuh"

namespace spb {
namespace {

const Algorithm& right_one() {
  for (const Algorithm& algorithm : algorithms())
    if (std::string_view(algorithm.name) == "gather_scatter") return algorithm;
  std::abort();
}

using Crash = void (*)(const gpu::Stream&);

class CrashingPlan final : public Plan {
 public:
  CrashingPlan(std::unique_ptr<Plan> right, Crash crash)
      : right_(std::move(right)), crash_(crash) {}
  void run(const Operands& operands, const gpu::Stream& stream) override {
    right_->run(operands, stream);
    if (crash_) crash_(stream);
  }
  const PlanDescription& description() const override { return right_->description(); }
  MapSize size() const override { return right_->size(); }
  MapSet map(const gpu::Stream& stream) const override { return right_->map(stream); }

 private:
  std::unique_ptr<Plan> right_;
  Crash crash_;
};

GPU_KERNEL void write_nowhere(int32_t* nowhere) {
  if (gpu::global_index() == 0) *nowhere = 1;
}

void illegal_address(const gpu::Stream& stream) {
  gpu::launch_flat(write_nowhere, 1, stream, reinterpret_cast<int32_t*>(64));
}
void abort_process(const gpu::Stream&) { std::abort(); }
void exit_process(const gpu::Stream&) { std::_Exit(3); }
void kill_process(const gpu::Stream&) { std::raise(SIGKILL); }
void sleep_long() { std::this_thread::sleep_for(std::chrono::hours(1)); }
void hang(const gpu::Stream&) { sleep_long(); }
void hang_at_exit(const gpu::Stream&) { std::atexit(sleep_long); }
void stop_process(const gpu::Stream&) { std::raise(SIGSTOP); }
/// The parent hears the end of a process that goes on. A child talks to it over standard input.
void hang_up(const gpu::Stream&) {
  close(STDIN_FILENO);
  sleep_long();
}
void talk_on(const gpu::Stream&) {
  constexpr std::string_view kLine = "note still at it\n";
  while (write(STDIN_FILENO, kLine.data(), kLine.size()) > 0) {
  }
}

maps::MapNeeds needs(const Case& of) { return right_one().needs_of(of); }

template <Crash crash>
std::unique_ptr<Plan> plan(const Case& of, const maps::Maps& maps, maps::BuildContext context) {
  return std::make_unique<CrashingPlan>(right_one().plan_with(of, maps, context), crash);
}

std::optional<std::string> nothing_unsupported(const Problem&, const Choice&) {
  return std::nullopt;
}

const Algorithm kAlgorithms[] = {
    {"right", "no crash", 1, kEverything, nothing_unsupported, needs, plan<nullptr>},
    {"illegal_address", "a kernel writes to address 64", 1, kEverything, nothing_unsupported, needs,
     plan<illegal_address>},
    {"abort", "the process aborts", 1, kEverything, nothing_unsupported, needs,
     plan<abort_process>},
    {"exit", "the process exits", 1, kEverything, nothing_unsupported, needs, plan<exit_process>},
    {"kill", "the system kills the process", 1, kEverything, nothing_unsupported, needs,
     plan<kill_process>},
    {"hang", "run() never returns", 1, kEverything, nothing_unsupported, needs, plan<hang>},
    {"hang_at_exit", "the process never ends", 1, kEverything, nothing_unsupported, needs,
     plan<hang_at_exit>},
    {"stop", "the process is stopped", 1, kEverything, nothing_unsupported, needs,
     plan<stop_process>},
    {"hang_up", "the process leaves its parent and goes on", 1, kEverything, nothing_unsupported,
     needs, plan<hang_up>},
    {"talk_on", "the process talks without end", 1, kEverything, nothing_unsupported, needs,
     plan<talk_on>},
    {"right_again", "no crash", 1, kEverything, nothing_unsupported, needs, plan<nullptr>},
};

}  // namespace
}  // namespace spb

int main(int argc, char** argv) { return spb::application(argc, argv, spb::kAlgorithms); }
