// SPDX-License-Identifier: Apache-2.0
#include "device_reference/share.cuh"

namespace spb::device_reference {
namespace {

GPU_KERNEL void found_sums_kernel(const FoundSum* found, Work work) {
  const int64_t threads = threads_of(work.count), thread = gpu::global_index();
  if (thread >= threads) return;
  Share share(work);
  for (int64_t at = thread; at < work.count; at += threads) {
    const FoundSum sum = found[at];
    share.take(0, at, {sum.value, sum.error_scale, sum.partial_scale, 0, sum.terms});
  }
  share.finish();
}

}  // namespace

void judge_found(const FoundSum* found, const Work& work, const gpu::Stream& stream) {
  gpu::launch_flat(found_sums_kernel, threads_of(work.count), stream, found, work);
}

}  // namespace spb::device_reference
