// An ordered queue of device work. On host, work runs at once and a stream is only a token.
#pragma once

#include "gpu/runtime.h"

namespace spb::gpu {

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;  // owns a device handle
  Stream& operator=(const Stream&) = delete;

  gpuStream_t handle() const { return handle_; }
  /// Waits for all work; throws Error (runtime) when a kernel failed.
  void synchronize() const;

 private:
  gpuStream_t handle_ = {};
};

}  // namespace spb::gpu
