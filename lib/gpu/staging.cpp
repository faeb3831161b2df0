// SPDX-License-Identifier: Apache-2.0
#include "gpu/staging.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "core/parallel.h"
#include "gpu/buffer.h"
#include "gpu/event.h"

namespace spb::gpu {
namespace {

constexpr int64_t kBlockValues = 8 << 20;  // of one transfer
constexpr int64_t kPieceValues = 1 << 16;  // converted by one processor at a time

/// Two blocks of page-locked memory, with the marks of their last transfers.
struct Blocks {
  std::array<std::byte*, 2> memory;
  std::array<Event, 2> passed;

  Blocks() {
    for (std::byte*& block : memory) {
      block = static_cast<std::byte*>(page_locked(kBlockValues * int64_t{sizeof(float)}));
    }
  }
};

/// Never freed: the vendor's runtime is gone before static objects are.
Blocks& blocks() {
  static Blocks& only = *new Blocks;
  return only;
}

/// Calls work(begin, count) for pieces of `count` values, on all processors.
template <typename Work>
void in_pieces(int64_t count, const Work& work) {
  const int64_t pieces = (count + kPieceValues - 1) / kPieceValues;
  if (pieces <= 1) return work(int64_t{0}, count);
  parallel_for(pieces, [&](int64_t piece) {
    const int64_t begin = piece * kPieceValues;
    work(begin, std::min(kPieceValues, count - begin));
  });
}

/// Calls take(from, begin, count) for all elements, piece by piece, where they have arrived.
template <typename Take>
void in_blocks(const void* device, int64_t total, int64_t element_bytes, const Stream& stream,
               const Take& take) {
  Blocks& all = blocks();
  const auto start = [&](int64_t begin, size_t slot) {
    const int64_t count = std::min(kBlockValues, total - begin);
    transfer(all.memory[slot], static_cast<const std::byte*>(device) + begin * element_bytes,
             count * element_bytes, stream);
    all.passed[slot].record(stream);
  };
  if (total > 0) start(0, 0);
  for (int64_t begin = 0, i = 0; begin < total; begin += kBlockValues, ++i) {
    const auto slot = static_cast<size_t>(i % 2);
    if (begin + kBlockValues < total) start(begin + kBlockValues, 1 - slot);
    all.passed[slot].synchronize();
    in_pieces(std::min(kBlockValues, total - begin), [&](int64_t at, int64_t n) {
      take(all.memory[slot] + at * element_bytes, begin + at, n);
    });
  }
  stream.synchronize();
}

std::span<const float> part(std::span<const float> values, int64_t begin, int64_t count) {
  return values.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
}

}  // namespace

void upload_encoded(std::span<const float> values, Storage storage, void* device,
                    const Stream& stream) {
  const auto total = static_cast<int64_t>(values.size());
  const int64_t element = info(storage).bytes;
  Blocks& all = blocks();
  for (int64_t begin = 0, i = 0; begin < total; begin += kBlockValues, ++i) {
    const auto slot = static_cast<size_t>(i % 2);
    if (i >= 2) all.passed[slot].synchronize();
    const int64_t count = std::min(kBlockValues, total - begin);
    in_pieces(count, [&](int64_t at, int64_t n) {
      encode(part(values, begin + at, n), storage, all.memory[slot] + at * element);
    });
    transfer(static_cast<std::byte*>(device) + begin * element, all.memory[slot], count * element,
             stream);
    all.passed[slot].record(stream);
  }
  stream.synchronize();
}

void download_decoded(const void* device, Storage storage, std::span<float> values,
                      const Stream& stream) {
  in_blocks(device, static_cast<int64_t>(values.size()), info(storage).bytes, stream,
            [&](const std::byte* from, int64_t begin, int64_t count) {
              decode(from, storage,
                     values.subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
            });
}

void download(const void* device, std::span<std::byte> to, const Stream& stream) {
  in_blocks(device, static_cast<int64_t>(to.size()), 1, stream,
            [&](const std::byte* from, int64_t begin, int64_t count) {
              std::memcpy(to.data() + begin, from, static_cast<size_t>(count));
            });
}

}  // namespace spb::gpu
