// Device time of one run whose data are not in any cache (measurement.md, sections 4 and 5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bench/blocker.h"
#include "gpu/buffer.h"
#include "gpu/event.h"

namespace spb::bench {

/// The value of the column cache_method.
inline constexpr const char* kCacheMethod = "flush";

class ColdTimer {
 public:
  /// `cache_bytes` of the device's last cache; twice that is read and written before each sample.
  ColdTimer(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t cache_bytes,
            double blocker_limit_s = 10);

  /// Microseconds between events around what `queue` puts into the stream. `queue` ran once before:
  /// a kernel that is loaded now would wait for the blocker. Nothing when the blocker's watchdog
  /// had to step in: then `queue` waits for the device and the sample would be wrong.
  std::optional<double> sample_us(const std::function<void()>& queue);

  /// Empties the caches of what they hold of other data.
  void flush();

 private:
  const gpu::Stream& stream_;
  gpu::Buffer<uint64_t> flushed_;
  gpu::Event begin_, end_;
  Blocker blocker_;
};

}  // namespace spb::bench
