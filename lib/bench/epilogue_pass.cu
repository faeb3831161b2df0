// SPDX-License-Identifier: Apache-2.0
#include "bench/epilogue_pass.h"

#include "bench/hot_timer.h"
#include "bench/random_fill.h"
#include "gpu/buffer.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

template <class E>
struct alignas(16) Chunk {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(typename E::Storage));
  typename E::Storage at[kCount];
};

/// `residual` may be null.
template <class E>
GPU_KERNEL void pass_kernel(Chunk<E>* outputs, const Chunk<E>* residual, int64_t chunks) {
  const int64_t i = gpu::global_index();
  if (i >= chunks) return;
  Chunk<E> own = outputs[i];
  const Chunk<E> added = residual ? residual[i] : Chunk<E>{};
  for (int c = 0; c < Chunk<E>::kCount; ++c) {
    const float sum = E::load(own.at[c]) + (residual ? E::load(added.at[c]) : 0.f);
    own.at[c] = E::store(sum <= 0 ? 0.f : sum);
  }
  outputs[i] = own;
}

}  // namespace

double epilogue_pass_us(Dtype dtype, int64_t count, bool residual, gpu::Allocator& allocator,
                        const gpu::Stream& stream) {
  if (count <= 0) return 0;
  double time_us = 0;
  gpu::dispatch(dtype, [&]<class E>(E) {
    const int64_t chunks = (count + Chunk<E>::kCount - 1) / Chunk<E>::kCount;
    const auto tensor = [&](int64_t size, gpu::Tag tag, uint64_t seed) {
      gpu::Buffer<Chunk<E>> data(allocator, size, tag);
      random_fill(dtype, data.data(), size * Chunk<E>::kCount, seed, stream);
      return data;
    };
    gpu::Buffer<Chunk<E>> outputs = tensor(chunks, gpu::Tag::output, 1);
    const gpu::Buffer<Chunk<E>> added = tensor(residual ? chunks : 0, gpu::Tag::input, 2);
    const Chunk<E>* from = residual ? added.data() : nullptr;
    time_us = hot_us(stream, [&] {
      gpu::launch_flat(pass_kernel<E>, chunks, stream, outputs.data(), from, chunks);
    });
  });
  return time_us;
}

}  // namespace spb::bench
