// SPDX-License-Identifier: Apache-2.0
// Small copies to the device that nobody waits for.
#pragma once

#include "gpu/event.h"

namespace spb::gpu {

/// Page-locked memory of a stream: what is sent lies there until the copy is done.
class Outbox {
 public:
  Outbox();
  ~Outbox();
  Outbox(const Outbox&) = delete;  // owns page-locked memory
  Outbox& operator=(const Outbox&) = delete;

  /// `device`: a multiple of 16. Waits only for what was sent or posted some kBytes ago.
  void send(void* device, const void* host, int64_t bytes, const Stream& stream);

  /// A copy where it lies, for kernels of the stream that are launched before the next call: up to
  /// kBytes. They wait for the bus once, where send() and a read would wait twice.
  const void* post(const void* host, int64_t bytes, const Stream& stream);

  static constexpr int64_t kBytes = 1 << 20;

 private:
  /// Where the next `bytes` begin, kBytes at most: in the half in use, or, where they have no room
  /// there, at the begin of the other one.
  char* take(int64_t bytes, const Stream& stream);

  char* memory_ = nullptr;  // [2, kBytes]
  int half_ = 0;
  int64_t used_ = 0;  // of the half
  Event left_[2];     // behind all that reads a half
};

}  // namespace spb::gpu
