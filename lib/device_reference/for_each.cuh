// SPDX-License-Identifier: Apache-2.0
// The elements of a thread, and what becomes of their sums.
#pragma once

#include "device_reference/sums.cuh"
#include "device_reference/verdict.cuh"
#include "device_reference/work.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::device_reference {

__device__ inline double stored_at(const Work& work, int64_t element) {
  int64_t at = element;
  if (work.turned_rows > 0) {
    const int64_t columns = work.count / work.turned_rows;
    at = element % columns * work.turned_rows + element / columns;
  }
  switch (work.type) {
    case Storage::f16:
      return static_cast<double>(
          gpu::vendor::decode_f16(static_cast<const uint16_t*>(work.got)[at]));
    case Storage::bf16:
      return static_cast<double>(
          gpu::vendor::decode_bf16(static_cast<const uint16_t*>(work.got)[at]));
    default:
      return static_cast<double>(static_cast<const float*>(work.got)[at]);
  }
}

/// `sums_of(element)` makes the Sums of a flat index.
template <class SumsOf>
__device__ void for_each(const Work& work, const SumsOf& sums_of) {
  const int64_t threads = threads_of(work.count), thread = gpu::global_index();
  if (thread >= threads) return;
  ThreadTally tally;
  for (int64_t i = thread; i < work.count; i += threads) {
    const int64_t element = work.listed ? work.listed[i] : i;
    const Element found = sums_of(element).finished();
    if (work.expected)
      work.expected[i] = found;
    else
      judge(work.rule, element, found, stored_at(work, element), tally);
  }
  if (!work.expected) work.tallies[thread] = tally;
}

}  // namespace spb::device_reference
