// SPDX-License-Identifier: Apache-2.0
#include "bench/dense_conv.h"

#include <algorithm>
#include <new>

#include "bench/hot_timer.h"
#include "bench/random_fill.h"
#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"

namespace spb::bench {
namespace {

std::string gigabytes(int64_t bytes) {
  return std::to_string((bytes + 500'000'000) / 1'000'000'000) + " GB";
}

int64_t out_bytes(const gpu::DenseConv& conv) {
  return conv.out_elements() * info(conv.dtype).output().bytes;
}

DenseConvTime measure(const gpu::DenseConvLibrary& library, const gpu::DenseConv& conv,
                      int64_t workspace_bytes, gpu::Allocator& allocator,
                      const gpu::Stream& stream) {
  const auto tensor = [&](int64_t count, gpu::Tag tag, uint64_t seed) {
    gpu::Buffer<std::byte> data(allocator, count * info(conv.dtype).input().bytes, tag);
    random_fill(conv.dtype, data.data(), count, seed, stream);
    return data;
  };
  gpu::Buffer<std::byte> in = tensor(conv.in_elements(), gpu::Tag::input, 1);
  gpu::Buffer<std::byte> weights = tensor(conv.weight_elements(), gpu::Tag::weight, 2);
  // Read by the backward directions alone, whose dtypes have operands of one type.
  gpu::Buffer<std::byte> out =
      conv.direction == Direction::fprop
          ? gpu::Buffer<std::byte>(allocator, out_bytes(conv), gpu::Tag::output)
          : tensor(conv.out_elements(), gpu::Tag::output, 3);
  gpu::Buffer<std::byte> workspace(allocator, workspace_bytes, gpu::Tag::workspace);
  const auto plans = library.plans(
      conv, {in.data(), weights.data(), out.data(), workspace.data(), workspace.bytes()}, stream);
  DenseConvTime best;
  for (const auto& plan : plans) {
    const double time_us = hot_us(stream, [&] { plan->run(); });
    if (best.time_us == 0 || time_us < best.time_us) best = {time_us, plan->source()};
  }
  return best;
}

}  // namespace

int64_t dense_conv_bytes(const gpu::DenseConv& conv) {
  return (conv.in_elements() + conv.weight_elements()) * info(conv.dtype).input().bytes +
         out_bytes(conv);
}

DenseConvTime dense_conv_time(const gpu::DenseConvLibrary& library, const gpu::DenseConv& conv,
                              gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr int64_t kMostWorkspace = int64_t{1} << 30;
  if (const auto reason = library.unsupported(conv)) return {0, *reason};
  const int64_t free = gpu::free_memory_bytes(), bytes = dense_conv_bytes(conv);
  if (bytes > free / 2)
    return {0, "its tensors take " + gigabytes(bytes) + ", more than half of the free " +
                   gigabytes(free)};
  try {
    return measure(library, conv, std::min(kMostWorkspace, free / 4), allocator, stream);
  } catch (const Error& error) {  // of the library or of memory: the case is as good without
    return {0, error.what()};
  } catch (const std::bad_alloc&) {
    return {0, "the host's memory is exhausted"};
  }
}

}  // namespace spb::bench
