// SPDX-License-Identifier: Apache-2.0
// Emptying the caches of a device, or of the host's processor, of other data.
#pragma once

#include <cstdint>

#include "gpu/buffer.h"
#include "gpu/stream.h"

namespace spb::bench {

class CacheFlush {
 public:
  /// `bytes` are read and written by each run: twice the last cache, or 0 where there is nothing
  /// to do.
  CacheFlush(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t bytes);
  /// Returns when the stream has drained.
  void run();

 private:
  const gpu::Stream& stream_;
  gpu::Buffer<uint64_t> words_;
};

}  // namespace spb::bench
