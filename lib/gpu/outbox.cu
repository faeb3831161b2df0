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

Outbox::Outbox() : memory_(static_cast<char*>(page_locked(kBytes))) {}

Outbox::~Outbox() { static_cast<void>(gpuFreeHost(memory_)); }

void Outbox::begin(const Stream& stream) {
  if (!is_marked_) sent_.record(stream);
  is_marked_ = true;
  if (used_ > 0 && sent_.has_passed()) used_ = 0;
}

void Outbox::wait() {
  sent_.synchronize();
  used_ = 0;
}

void Outbox::send(void* device, const void* host, int64_t bytes, const Stream& stream) {
  auto* to = static_cast<char*>(device);
  const auto* from = static_cast<const char*>(host);
  begin(stream);
  while (bytes > 0) {
    if (used_ == kBytes) wait();
    const int64_t part = std::min(bytes, kBytes - used_);
    std::memcpy(memory_ + used_, from, static_cast<size_t>(part));
    // Buffers begin at whole words; parts of one that came in several do, too.
    if (part <= kFewBytes)
      launch_flat_few_early(take_kernel, words_of(part), stream, memory_ + used_, part, to);
    else
      check(gpuMemcpyAsync(to, memory_ + used_, static_cast<size_t>(part), gpuMemcpyHostToDevice,
                           handle_of(stream)),
            "copy to the device");
    sent_.record(stream);
    used_ += words_of(part) * kWordBytes;
    to += part;
    from += part;
    bytes -= part;
  }
}

const void* Outbox::post(const void* host, int64_t bytes, const Stream& stream) {
  if (bytes > kBytes)
    throw Error(ExitCode::runtime, "an outbox of " + std::to_string(kBytes) + " bytes was given " +
                                       std::to_string(bytes));
  begin(stream);
  if (bytes > kBytes - used_) wait();
  char* posted = memory_ + used_;
  std::memcpy(posted, host, static_cast<size_t>(bytes));
  used_ += words_of(bytes) * kWordBytes;
  is_marked_ = false;
  return posted;
}

}  // namespace spb::gpu
