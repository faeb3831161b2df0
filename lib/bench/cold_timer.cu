#include "bench/cold_timer.h"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

/// Reads and writes: a fill alone leaves part of a cache as it was (nvbench #270).
GPU_KERNEL void touch(uint64_t* words, int64_t n) {
  const int64_t i = gpu::global_index();
  if (i < n) words[i] += 1;
}

}  // namespace

ColdTimer::ColdTimer(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t cache_bytes,
                     double blocker_limit_s)
    : stream_(stream),
      flushed_(allocator, 2 * cache_bytes / int64_t{sizeof(uint64_t)}, gpu::Tag::cache),
      blocker_(blocker_limit_s) {
  gpu::fill_bytes(flushed_.data(), 0, flushed_.bytes(), stream);
  flush();
}

void ColdTimer::flush() {
  gpu::launch_flat(touch, flushed_.size(), stream_, flushed_.data(), flushed_.size());
  stream_.synchronize();
}

std::optional<double> ColdTimer::sample_us(const std::function<void()>& queue) {
  flush();
  blocker_.block(stream_);
  try {
    begin_.record(stream_);
    queue();
    end_.record(stream_);
  } catch (...) {
    blocker_.release();
    throw;
  }
  blocker_.release();
  stream_.synchronize();
  if (blocker_.timed_out()) return std::nullopt;
  return end_.microseconds_since(begin_);
}

}  // namespace spb::bench
