// SPDX-License-Identifier: Apache-2.0
// One block of a kernel on one OS thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/vendor/host.h"
#include "gpu/vendor/host_fiber.h"

namespace spb::gpu::vendor {

class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;  // fibers and shared memory point into it
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Runs one block; threads may wait for each other.
  void run_fibers(const KernelCall& kernel, dim3 block, size_t shared_bytes);
  /// Runs one block as a loop over its threads; waiting aborts.
  void run_loop(const KernelCall& kernel, dim3 block);

  void wait_block(const Site& site);
  WarpValues exchange_lanes(uint64_t value, const Site& site);
  void* shared_memory() { return shared_.get(); }
  /// Done by the thread's next wait_for_copies(), as late as a device may be.
  void copy_ahead(void* to, const void* from, size_t bytes, const Site& site);
  void wait_for_copies();
  int lane() const { return static_cast<int>(current_ % kWarpSize); }

 private:
  enum class State : uint8_t { ready, at_warp, at_block, done };
  struct Copy {
    void* to;
    const void* from;
    size_t bytes;
    Site site;
  };
  struct Thread {
    std::unique_ptr<Fiber> fiber;
    State state = State::done;
    bool odd_collective = false;
    Site site;
    std::vector<Copy> copies;
  };
  struct Warp {
    uint64_t values[2][kWarpSize];  // of odd and even collectives: a lane is at most one ahead
    uint64_t lanes = 0;             // that took part in the last collective
  };

  void prepare(unsigned count, size_t shared_bytes);
  std::unique_ptr<Fiber> make_fiber(unsigned index);
  void resume(unsigned index);
  void suspend(State state, const Site& site);
  void run_warp(unsigned first, unsigned count);
  void open(unsigned first, unsigned count, State gate);

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::unique_ptr<char[], void (*)(void*)> shared_;
  size_t shared_bytes_ = 0;
  char* stacks_ = nullptr;
  dim3 shape_;
  unsigned current_ = 0;
  const KernelCall* kernel_ = nullptr;  // whose threads may wait
};

/// The runner of the calling OS thread.
BlockRunner& block_runner();

}  // namespace spb::gpu::vendor
