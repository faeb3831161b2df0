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

  /// `device`: a multiple of 16. Waits only when its memory is full of copies not done yet, which
  /// none are after a wait.
  void send(void* device, const void* host, int64_t bytes, const Stream& stream);

  /// A copy where it lies, for kernels of the stream that are launched before the next call: up to
  /// kBytes. They wait for the bus once, where send() and a read would wait twice.
  const void* post(const void* host, int64_t bytes, const Stream& stream);

  static constexpr int64_t kBytes = 1 << 20;

 private:
  /// Takes note of what the last call left unmarked, and begins anew where all of it is done.
  void begin(const Stream& stream);
  void wait();

  char* memory_ = nullptr;  // [kBytes]
  int64_t used_ = 0;
  bool is_marked_ = true;  // by sent_: all that reads the memory
  Event sent_;
};

}  // namespace spb::gpu
