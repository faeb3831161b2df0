// SPDX-License-Identifier: Apache-2.0
#include "gpu/vendor/host_block.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace spb::gpu::vendor {
namespace {

constexpr size_t kStackBytes = 128 << 10;
// Stacks a multiple of the page size apart would all use the same cache sets.
constexpr size_t kStackPitch = kStackBytes + 17 * 64;
constexpr size_t kSharedAlignment = 1024;

[[noreturn]] void fail(const char* what, const Site& site, const Site* other = nullptr) {
  std::fprintf(stderr, "host kernel: %s at %s:%u", what, site.file_name(), site.line());
  if (other) std::fprintf(stderr, " and %s:%u", other->file_name(), other->line());
  std::fprintf(stderr, "\n");
  std::abort();
}

bool same(const Site& a, const Site& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

// The i-th of `count` in the order that host_reverse_order asks for.
unsigned ordered(unsigned i, unsigned count) { return host_reverse_order ? count - 1 - i : i; }

}  // namespace

BlockRunner::BlockRunner() : shared_(nullptr, std::free) {
  // Pages are touched, and so paid for, only by blocks that have these threads.
  void* memory = mmap(nullptr, kMaxThreads * kStackPitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stacks_ = static_cast<char*>(memory);
}

BlockRunner::~BlockRunner() {
  threads_.clear();
  munmap(stacks_, kMaxThreads * kStackPitch);
}

void BlockRunner::prepare(unsigned count, size_t shared_bytes) {
  while (threads_.size() < count) {
    const auto index = static_cast<unsigned>(threads_.size());
    threads_.emplace_back().fiber = make_fiber(index);
  }
  const unsigned warps = (count + kWarpSize - 1) / kWarpSize;
  if (warps_.size() < warps) warps_.resize(warps);
  if (shared_bytes != shared_bytes_) {  // the exact size, so that a sanitizer sees overruns
    shared_.reset(nullptr);
    void* memory = nullptr;
    if (posix_memalign(&memory, kSharedAlignment, shared_bytes)) throw std::bad_alloc();
    shared_.reset(static_cast<char*>(memory));
    shared_bytes_ = shared_bytes;
  }
  // Shared memory starts undefined: make reliance on an earlier block's values show.
  if (shared_bytes) std::memset(shared_.get(), 0xFF, shared_bytes);
}

// Kept for all blocks to come: one that has done its share of a kernel waits for the next.
std::unique_ptr<Fiber> BlockRunner::make_fiber(unsigned index) {
  char* stack = stacks_ + (index + 1) * kStackPitch - kStackBytes;
  return std::make_unique<Fiber>(stack, kStackBytes, [this, index] {
    kernel_->call(kernel_->arguments);
    if (const auto& copies = threads_[index].copies; !copies.empty())
      fail("a thread ends without waiting for its copy", copies.front().site);
    threads_[index].state = State::done;
  });
}

void BlockRunner::resume(unsigned index) {
  current_ = index;
  threadIdx = {index % shape_.x, index / shape_.x % shape_.y, index / (shape_.x * shape_.y)};
  threads_[index].fiber->resume();
}

void BlockRunner::suspend(State state, const Site& site) {
  if (!kernel_) fail("a thread waits in a kernel launched by launch_flat", site);
  Thread& thread = threads_[current_];
  thread.state = state;
  thread.site = site;
  thread.fiber->leave();
}

// All live threads wait at `gate`: checks that it is one place of the source, then lets them pass.
void BlockRunner::open(unsigned first, unsigned count, State gate) {
  const Site* site = nullptr;
  for (unsigned i = first; i < first + count; ++i) {
    Thread& thread = threads_[i];
    if (thread.state == State::done) continue;
    if (!site) site = &thread.site;
    if (thread.state != gate || !same(*site, thread.site))
      fail("threads wait at different barriers", *site, &thread.site);
    thread.state = State::ready;
  }
}

void BlockRunner::run_warp(unsigned first, unsigned count) {
  for (;;) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned index = first + ordered(i, count);
      if (threads_[index].state == State::ready) resume(index);
    }
    uint64_t at_warp = 0;
    for (unsigned i = 0; i < count; ++i)
      if (threads_[first + i].state == State::at_warp) at_warp |= uint64_t{1} << i;
    if (!at_warp) return;
    warps_[first / kWarpSize].lanes = at_warp;
    open(first, count, State::at_warp);
  }
}

void BlockRunner::run_fibers(const KernelCall& kernel, dim3 block, size_t shared_bytes) {
  const unsigned count = block.x * block.y * block.z;
  prepare(count, shared_bytes);
  shape_ = block;
  kernel_ = &kernel;
  for (unsigned i = 0; i < count; ++i) {
    threads_[i].state = State::ready;
    threads_[i].odd_collective = false;
  }
  const unsigned warps = (count + kWarpSize - 1) / kWarpSize;
  for (bool live = true; live;) {
    for (unsigned w = 0; w < warps; ++w) {
      const unsigned first = ordered(w, warps) * kWarpSize;
      run_warp(first, std::min<unsigned>(kWarpSize, count - first));
    }
    live = std::any_of(threads_.begin(), threads_.begin() + count,
                       [](const Thread& t) { return t.state != State::done; });
    if (live) open(0, count, State::at_block);
  }
  kernel_ = nullptr;
}

void BlockRunner::run_loop(const KernelCall& kernel, dim3 block) {
  const unsigned count = block.x * block.y * block.z;
  for (unsigned i = 0; i < count; ++i) {
    current_ = ordered(i, count);
    threadIdx = {current_ % block.x, current_ / block.x % block.y, current_ / (block.x * block.y)};
    kernel.call(kernel.arguments);
  }
}

void BlockRunner::wait_block(const Site& site) { suspend(State::at_block, site); }

WarpValues BlockRunner::exchange_lanes(uint64_t value, const Site& site) {
  Thread& thread = threads_[current_];
  Warp& warp = warps_[current_ / kWarpSize];
  uint64_t* values = warp.values[thread.odd_collective];
  thread.odd_collective = !thread.odd_collective;
  values[current_ % kWarpSize] = value;
  suspend(State::at_warp, site);
  return {values, warp.lanes};
}

void BlockRunner::copy_ahead(void* to, const void* from, size_t bytes, const Site& site) {
  if (!kernel_) fail("a thread copies in a kernel launched by launch_flat", site);
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0)
    fail("a copy between addresses that are not aligned to its size", site);
  threads_[current_].copies.push_back({to, from, bytes, site});
}

void BlockRunner::wait_for_copies() {
  if (!kernel_) return;
  for (const Copy& copy : threads_[current_].copies) std::memcpy(copy.to, copy.from, copy.bytes);
  threads_[current_].copies.clear();
}

BlockRunner& block_runner() {
  thread_local BlockRunner runner;
  return runner;
}

void wait_block(const Site& site) { block_runner().wait_block(site); }
WarpValues exchange_lanes(uint64_t value, const Site& site) {
  return block_runner().exchange_lanes(value, site);
}
void copy_ahead(void* to, const void* from, size_t bytes, const Site& site) {
  block_runner().copy_ahead(to, from, bytes, site);
}
void wait_for_copies() { block_runner().wait_for_copies(); }
void* shared_memory() { return block_runner().shared_memory(); }
int lane_index() { return block_runner().lane(); }

uint64_t ballot(bool predicate, const Site& site) {
  const WarpValues warp = exchange_lanes(predicate, site);
  uint64_t bits = 0;
  for (int i = 0; i < kWarpSize; ++i)
    if (warp.lanes >> i & 1) bits |= warp.values[i] << i;
  return bits;
}

}  // namespace spb::gpu::vendor
