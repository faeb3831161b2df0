// SPDX-License-Identifier: Apache-2.0
#include "gpu/atomic.cuh"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "both_orders.h"
#include "gpu/buffer.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

constexpr int kItems = 5000;

template <class T>
GPU_KERNEL void add_kernel(T* sum, int32_t* seen) {
  const int64_t i = global_index();
  if (i < kItems) seen[static_cast<int64_t>(atomic_add(sum, T(1)))] = 1;
}

template <class T>
GPU_KERNEL void extremes_kernel(T* least, T* most) {
  const int64_t i = global_index();
  if (i >= kItems) return;
  const T value = static_cast<T>((i * 7919) % kItems) + T(3);
  atomic_min(least, value);
  atomic_max(most, value);
}

template <class T>
GPU_KERNEL void or_kernel(T* bits) {
  const int64_t i = global_index();
  if (i < int64_t{8} * int64_t{sizeof(T)}) atomic_or(bits, T(1) << i);
}

// Every item takes the first free slot.
template <class T>
GPU_KERNEL void claim_kernel(T* slots) {
  const int64_t i = global_index();
  if (i >= kItems) return;
  for (int64_t slot = (i * 31) % kItems;; slot = (slot + 1) % kItems)
    if (atomic_cas(&slots[slot], 0, static_cast<T>(i + 1)) == 0) return;
}

class Atomic : public BothOrders {
 protected:
  template <class T>
  void add() {
    Buffer<T> sum(memory_, 1, Tag::output);
    Buffer<int32_t> seen(memory_, kItems, Tag::output);
    fill_bytes(sum.data(), 0, sum.bytes(), stream_);
    fill_bytes(seen.data(), 0, seen.bytes(), stream_);
    launch_flat(add_kernel<T>, kItems, stream_, sum.data(), seen.data());
    EXPECT_EQ(sum.download(stream_)[0], T(kItems));
    EXPECT_EQ(seen.download(stream_), std::vector<int32_t>(kItems, 1));
  }
  template <class T>
  void extremes() {
    Buffer<T> least(memory_, 1, Tag::output), most(memory_, 1, Tag::output);
    least.upload(std::vector<T>{1 << 20}, stream_);
    most.upload(std::vector<T>{0}, stream_);
    launch_flat(extremes_kernel<T>, kItems, stream_, least.data(), most.data());
    EXPECT_EQ(least.download(stream_)[0], T(3));
    EXPECT_EQ(most.download(stream_)[0], T(kItems + 2));
  }
  template <class T>
  void bits() {
    Buffer<T> word(memory_, 1, Tag::output);
    fill_bytes(word.data(), 0, word.bytes(), stream_);
    launch_flat(or_kernel<T>, 64, stream_, word.data());
    EXPECT_EQ(word.download(stream_)[0], T(~T(0)));
  }
  template <class T>
  void claim() {
    Buffer<T> slots(memory_, kItems, Tag::output);
    fill_bytes(slots.data(), 0, slots.bytes(), stream_);
    launch_flat(claim_kernel<T>, kItems, stream_, slots.data());
    std::vector<T> owners = slots.download(stream_), expected(kItems);
    std::sort(owners.begin(), owners.end());
    std::iota(expected.begin(), expected.end(), T(1));
    EXPECT_EQ(owners, expected);
  }
  Stream stream_;
  Allocator memory_;
};

TEST_P(Atomic, AddReturnsEachOldValueOnce) {
  add<uint32_t>();
  add<int32_t>();
  add<uint64_t>();
  add<int64_t>();
  add<float>();
}

TEST_P(Atomic, MinAndMax) {
  extremes<uint32_t>();
  extremes<int32_t>();
  extremes<uint64_t>();
}

TEST_P(Atomic, OrSetsEveryBit) {
  bits<uint32_t>();
  bits<uint64_t>();
}

TEST_P(Atomic, CasGivesASlotToOneThread) {
  claim<uint32_t>();
  claim<int32_t>();
  claim<uint64_t>();
}

SPB_BOTH_ORDERS(Atomic);

}  // namespace
}  // namespace spb::gpu
