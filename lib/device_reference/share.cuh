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
    case Storage::i8:
      return static_cast<const int8_t*>(work.got)[at];
    case Storage::i32:
      return static_cast<const int32_t*>(work.got)[at];
    case Storage::e4m3:
      return static_cast<double>(
          gpu::vendor::decode_e4m3(static_cast<const uint8_t*>(work.got)[at]));
    case Storage::f32:
      break;
  }
  return static_cast<double>(static_cast<const float*>(work.got)[at]);
}

/// One thread's part of the work.
class Share {
 public:
  __device__ explicit Share(const Work& work) : work_(work) {
    if (!work.expected) tally_ = work.tallies[gpu::global_index()];
  }
  /// `at`: of the work's elements, listed or not.
  __device__ void take(int64_t at, int64_t element, const Element& expected) {
    if (work_.expected) {
      work_.expected[at] = expected;
      return;
    }
    judge(work_.rule, element, expected, stored_at(work_, element), tally_);
    if (work_.kept && element % work_.kept_step == 0)
      work_.kept[element / work_.kept_step] = expected;
    if (work_.found)
      work_.found[element] = {expected.value, expected.error_scale, expected.partial_scale,
                              expected.terms};
  }
  __device__ void finish() {
    if (!work_.expected) work_.tallies[gpu::global_index()] = tally_;
  }

 private:
  const Work& work_;
  ThreadTally tally_;
};

/// Calls launch(Wanted{}) with what the work needs of sums.
template <class Launch>
void with_wanted(const Work& work, Judged judged, const Launch& launch) {
  if (judged != Judged::bounded)
    launch(Exact{});
  else if (work.expected)
    launch(All{});
  else
    launch(Bounded{});
}

}  // namespace spb::device_reference
