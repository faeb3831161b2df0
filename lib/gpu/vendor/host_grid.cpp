// SPDX-License-Identifier: Apache-2.0
// Shares the blocks of a grid out among a pool of OS threads that lives as long as the program.
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "gpu/vendor/host_block.h"

namespace spb::gpu {
namespace {

bool reverse_from_environment() {
  const char* value = std::getenv("SPB_HOST_REVERSE");
  return value && std::string_view(value) == "1";
}

}  // namespace

bool host_reverse_order = reverse_from_environment();

namespace vendor {
namespace {

struct Grid {
  const KernelCall& kernel;
  dim3 shape, block;
  size_t shared_bytes;
  bool barriers;
  uint64_t block_count;
  std::atomic<uint64_t> next{0};
};

void run_blocks(Grid& grid) {
  BlockRunner& runner = block_runner();
  blockDim = grid.block;
  gridDim = grid.shape;
  for (uint64_t i; (i = grid.next++) < grid.block_count;) {
    const uint64_t index = host_reverse_order ? grid.block_count - 1 - i : i;
    const uint64_t rest = index / grid.shape.x;
    blockIdx = {static_cast<unsigned>(index % grid.shape.x),
                static_cast<unsigned>(rest % grid.shape.y),
                static_cast<unsigned>(rest / grid.shape.y)};
    if (grid.barriers)
      runner.run_fibers(grid.kernel, grid.block, grid.shared_bytes);
    else
      runner.run_loop(grid.kernel, grid.block);
  }
}

class Pool {
 public:
  Pool() {
    for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void run(Grid& grid) {
    std::lock_guard one_grid_at_a_time(launch_mutex_);
    {
      std::lock_guard lock(mutex_);
      grid_ = &grid;
      ++generation_;
      busy_ = workers_.size();
    }
    wake_.notify_all();
    run_blocks(grid);
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      Grid* grid = grid_;
      lock.unlock();
      run_blocks(*grid);
      lock.lock();
      if (--busy_ == 0) idle_.notify_one();
    }
  }

  std::vector<std::thread> workers_;
  std::mutex launch_mutex_, mutex_;
  std::condition_variable wake_, idle_;
  Grid* grid_ = nullptr;
  uint64_t generation_ = 0;
  size_t busy_ = 0;
  bool stop_ = false;
};

}  // namespace

void run_grid(const KernelCall& kernel, dim3 grid, dim3 block, size_t shared_bytes, bool barriers) {
  Grid work{kernel, grid, block, shared_bytes, barriers, uint64_t{grid.x} * grid.y * grid.z};
  if (work.block_count == 1) return run_blocks(work);
  static Pool pool;
  pool.run(work);
}

}  // namespace vendor
}  // namespace spb::gpu
