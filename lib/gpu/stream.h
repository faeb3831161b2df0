// SPDX-License-Identifier: Apache-2.0
// An ordered queue of device work. On host, work runs at once and a stream is only a token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/runtime.h"

namespace spb::gpu {

class Outbox;

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;  // owns a device handle
  Stream& operator=(const Stream&) = delete;

  gpuStream_t handle() const { return handle_; }
  /// Waits for all work; throws Error (runtime) when a kernel failed.
  void synchronize() const;
  /// How often the host has waited here.
  int64_t waits() const { return waits_; }
  /// Called around each wait of the host; null: nothing. A timer that holds the stream back must
  /// let it go there.
  struct WaitHook {
    std::function<void()> before, after;
  };
  void set_wait_hook(const WaitHook* hook) const { wait_hook_ = hook; }
  /// Copies to the device without waiting; `host` may change or go away at once.
  void send(void* device, const void* host, int64_t bytes) const;

 private:
  gpuStream_t handle_ = {};
  mutable int64_t waits_ = 0;
  mutable const WaitHook* wait_hook_ = nullptr;
  mutable std::unique_ptr<Outbox> outbox_;
};

}  // namespace spb::gpu
