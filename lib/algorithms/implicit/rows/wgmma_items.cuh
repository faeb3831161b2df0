// The items of one block of the persistent kernel of fprop and dgrad. CUDA only.
#pragma once

#include "algorithms/implicit/rows/pass.h"
#include "gpu/launch.cuh"

namespace spb::plans {

/// One block's share of the work, in order: the hand that it was dealt, else one item of every
/// gridDim.x. The next one is on its way while the present one is worked on. With Turning, odd
/// rounds go through the blocks backwards: where items are sorted by length, no block then gets the
/// longest of every round (-5 % at R128, -1 % at R256 and R512; +3 % with 64 columns and where
/// segments follow each other).
template <bool Turning>
class Items {
 public:
  __device__ explicit Items(const RowPass& pass) : pass_(pass) {
    ahead_ = pass.hand_begin ? pass.hand_begin[blockIdx.x] : blockIdx.x;
    end_ = pass.hand_begin ? pass.hand_begin[blockIdx.x + 1] : pass.item_count;
    fetch();
    next();
  }
  __device__ bool valid() const { return valid_; }
  __device__ void next() {
    item_ = fetched_;
    valid_ = ahead_ < end_;
    uint32_t step = pass_.hand_begin ? 1 : gridDim.x;
    if (Turning && pass_.segment_count == 0) {
      step = 2 * (backwards_ ? blockIdx.x : gridDim.x - 1 - blockIdx.x) + 1;
      backwards_ = !backwards_;
    }
    ahead_ += step;
    fetch();
  }
  __device__ const RowItem& operator*() const { return item_; }
  __device__ const RowItem* operator->() const { return &item_; }

 private:
  __device__ void fetch() {
    if (ahead_ >= end_) return;
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(pass_.items) + ahead_);
    fetched_ = {words.x, words.y, words.z, words.w};
  }
  const RowPass& pass_;
  uint32_t ahead_, end_;
  RowItem item_{}, fetched_{};
  bool valid_ = false, backwards_ = false;
};

/// The lists that an item's entry counts in.
__device__ inline const RowLists& lists_of(const RowPass& pass, const RowItem& item) {
  return pass.segment_count > 0 ? pass.segments[item.slice()] : pass;
}

}  // namespace spb::plans
