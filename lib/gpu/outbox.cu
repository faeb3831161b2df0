// SPDX-License-Identifier: Apache-2.0
#include "gpu/outbox.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/check.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

/// Up to so many bytes a kernel reads out of the host's memory. A copy by an engine of its own
/// stands between kernels for some ten microseconds, however few bytes it has.
constexpr int64_t kFewBytes = 256 << 10;

struct alignas(16) Words {
  uint32_t of[4];
};
constexpr int64_t kWordBytes = sizeof(Words);
static_assert(Outbox::kBytes % kWordBytes == 0);

constexpr int64_t words_of(int64_t bytes) { return (bytes + kWordBytes - 1) / kWordBytes; }

/// Item = 16 bytes; the last ones have what is left.
GPU_KERNEL void take_kernel(const char* from, int64_t bytes, char* to) {
  wait_for_earlier_kernels();
  const int64_t at = global_index() * kWordBytes;
  if (at + kWordBytes <= bytes)
    *reinterpret_cast<Words*>(to + at) = *reinterpret_cast<const Words*>(from + at);
  else
    for (int64_t i = at; i < bytes; ++i) to[i] = from[i];
}

}  // namespace

Outbox::Outbox() : memory_(static_cast<char*>(page_locked(2 * kBytes))) {}

Outbox::~Outbox() { static_cast<void>(gpuFreeHost(memory_)); }

// A half is waited for when it is entered, long after it was left. Asking whether the device is
// done whenever there is something to send would find it at work each time if the host runs ahead,
// as behind a Blocker: the halves would fill up all the same, and a wait there would never end.
char* Outbox::take(int64_t bytes, const Stream& stream) {
  if (used_ + bytes > kBytes) {
    left_[half_].record(stream);
    half_ = 1 - half_;
    left_[half_].synchronize();
    used_ = 0;
  }
  char* taken = memory_ + half_ * kBytes + used_;
  used_ += words_of(bytes) * kWordBytes;
  return taken;
}

void Outbox::send(void* device, const void* host, int64_t bytes, const Stream& stream) {
  auto* to = static_cast<char*>(device);
  const auto* from = static_cast<const char*>(host);
  while (bytes > 0) {
    // Buffers begin at whole words; parts of one that came in several do, too.
    const int64_t room = used_ < kBytes ? kBytes - used_ : kBytes;
    const int64_t part = std::min(bytes, room);
    char* lies = take(part, stream);
    std::memcpy(lies, from, static_cast<size_t>(part));
    if (part <= kFewBytes)
      launch_flat_few_early(take_kernel, words_of(part), stream, lies, part, to);
    else
      check(gpuMemcpyAsync(to, lies, static_cast<size_t>(part), gpuMemcpyHostToDevice,
                           handle_of(stream)),
            "copy to the device");
    to += part;
    from += part;
    bytes -= part;
  }
}

const void* Outbox::post(const void* host, int64_t bytes, const Stream& stream) {
  if (bytes > kBytes)
    throw Error(ExitCode::runtime, "an outbox of " + std::to_string(kBytes) + " bytes was given " +
                                       std::to_string(bytes));
  char* posted = take(bytes, stream);
  std::memcpy(posted, host, static_cast<size_t>(bytes));
  return posted;
}

}  // namespace spb::gpu
