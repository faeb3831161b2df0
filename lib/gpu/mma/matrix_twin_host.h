// SPDX-License-Identifier: Apache-2.0
// An instruction of matrix cores on the host: fragments go around by its lane table.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "gpu/mma/lane_tables.h"
#include "gpu/mma/matrix_arithmetic.h"
#include "gpu/vendor/host_device.h"

namespace spb::gpu {

/// Whose arithmetic twins of cdna have. Starts as the environment's SPB_HOST_CHIP=gfx90a says;
/// otherwise gfx942, which keeps subnormals.
extern MatrixArithmetic host_matrix_arithmetic;

/// Lanes whose fragments of A, or of B, twins take for each other's: a defect that verification has
/// to see. None where both are the same.
struct SwappedLanes {
  int one = 0, other = 0;
  bool of_b = false;
};
extern SwappedLanes host_swapped_lanes;

namespace vendor {

/// The twin of an instruction, whose table is a constant: divisions by it are shifts.
///
/// Lanes of a warp bring their fragments and wait for each other; the first one that goes on
/// multiplies for all of them and takes its sums. It may then bring what it has for the next
/// instruction before others took theirs: each lane has a place of its own, and fragments are used
/// up. The host runs the lanes of one warp until each waits for the block or is done.
template <class Atom>
class MatrixTwin {
  static constexpr LaneTable kTable = Atom::kTable;
  static constexpr Dtype kDtype = Atom::kAtom.dtype;
  static constexpr bool kInteger = kDtype == Dtype::i8;
  static constexpr int kDepth = kTable.depth, kElements = kTable.elements();
  static constexpr int kSize = kTable.size, kSums = kTable.sums(), kLanes = kTable.lanes;
  using Storage = typename Atom::Storage;
  using Sum = typename Atom::Sum;

  /// What the lanes of a warp brought of A, or of B.
  using Fragments = Storage[kLanes][kElements];

  /// A row of A or a column of B, in order of k; bytes exactly.
  struct Line {
    float values[kDepth];
    bool small;         ///< integers whose sums of products are exact in any order
    bool zero, finite;  ///< all of them
  };

  static float decode(Storage stored) {
    if constexpr (kDtype == Dtype::f32 || kDtype == Dtype::tf32 || kInteger)
      return stored;
    else
      return kDtype == Dtype::f16 ? decode_f16(stored) : decode_bf16(stored);
  }

  static constexpr float kNoByte = 251;
  // 16 products of at most 2^18, and a sum of at most 2^23: below 2^24, and nothing is cut off at
  // 2^-24 of a largest addend.
  static constexpr float kMostFactor = 512, kMostSum = 0x1p23f;
  static bool is_small_integer(float value, float most) {
    return std::abs(value) <= most &&
           static_cast<float>(static_cast<int32_t>(std::abs(value) <= most ? value : 0)) == value;
  }

  /// All rows of A or columns of B.
  struct Lines {
    bool small = true, zero = true, finite = true;

    explicit Lines(const Fragments& fragments) {
      for (int lane = 0; lane < kLanes; ++lane)
        for (int e = 0; e < kElements; ++e) {
          const float value = elements_[lane][e] = decode(fragments[lane][e]);
          small = small & is_small_integer(value, kMostFactor);
          zero = zero & (value == 0);
          finite = finite & (std::abs(value) <= std::numeric_limits<float>::max());
        }
      if constexpr (kTable.repeat) {
        // Where lanes of a line do not agree, it is not defined which of them counts: NaN, of bytes
        // what none is.
        for (int lane = 0; lane < kLanes; ++lane)
          for (int e = 0; e < kElements; ++e)
            if (const int first = kTable.lane(kTable.line(lane), 0);
                fragments[lane][e] != fragments[first][e]) {
              elements_[first][e] = kInteger ? kNoByte : std::numeric_limits<float>::quiet_NaN();
              small = zero = finite = false;
            }
      }
    }

    Line read(int index) const {
      Line line{};
      for (int group = 0; group < kTable.holders(); ++group)
        for (int e = 0; e < kElements; ++e) {
          const int lane = kTable.lane(index, group);
          line.values[kTable.k(lane, e)] = elements_[lane][e];
        }
      line.small = line.zero = line.finite = true;
      for (const float value : line.values) {
        line.small = line.small & is_small_integer(value, kMostFactor);
        line.zero = line.zero & (value == 0);
        line.finite = line.finite & (std::abs(value) <= std::numeric_limits<float>::max());
      }
      return line;
    }

   private:
    float elements_[kLanes][kElements];
  };

  /// Products of which all are zeros.
  template <class Any, class Other>
  static bool are_zeros(const Any& a, const Other& b) {
    return (a.zero && b.finite) || (b.zero && a.finite);
  }
  /// Whether a sum stays what it is when zeros are added, on every chip: neither -0 nor flushed.
  static bool stays(int32_t) { return true; }
  static bool stays(float sum) {
    return std::abs(sum) >= std::numeric_limits<float>::min() || std::bit_cast<uint32_t>(sum) == 0;
  }

  struct Warp {
    Fragments a, b;
    Sum sums[kLanes][kSums];
    int waiting = 0;  ///< lanes whose sums are made and not yet taken

    /// Tails of tiles are zeros, and exact tests have small integers: both need no rounding.
    void multiply() {
      swap_lanes();
      const Lines rows(a), columns(b);
      bool all_stay = true;
      for (const auto& of_lane : sums)
        for (const Sum sum : of_lane) all_stay = all_stay & stays(sum);
      if (all_stay && are_zeros(rows, columns)) return;

      Sum d[kSize][kSize], depths[kDepth][kSize];
      Line column[kSize];
      for (int lane = 0; lane < kLanes; ++lane)
        for (int r = 0; r < kSums; ++r) d[kTable.row(lane, r)][kTable.line(lane)] = sums[lane][r];
      for (int j = 0; j < kSize; ++j) {
        column[j] = columns.read(j);
        for (int k = 0; k < kDepth; ++k) depths[k][j] = static_cast<Sum>(column[j].values[k]);
      }
      for (int i = 0; i < kSize; ++i) {
        const Line row = rows.read(i);
        if (kInteger || (columns.small && row.small && are_small(d[i])))
          for (int k = 0; k < kDepth; ++k)
            for (int j = 0; j < kSize; ++j)
              d[i][j] += static_cast<Sum>(row.values[k]) * depths[k][j];
        else if constexpr (!kInteger)
          for (int j = 0; j < kSize; ++j) add(row, column[j], d[i][j]);
      }
      for (int lane = 0; lane < kLanes; ++lane)
        for (int r = 0; r < kSums; ++r) sums[lane][r] = d[kTable.row(lane, r)][kTable.line(lane)];
    }

   private:
    void swap_lanes() {
      const SwappedLanes& swap = host_swapped_lanes;
      Fragments& fragments = swap.of_b ? b : a;
      std::swap(fragments[swap.one % kLanes], fragments[swap.other % kLanes]);
    }
    static bool are_small(const Sum (&row)[kSize]) {
      bool small = true;
      for (const Sum sum : row) small = small & is_small_integer(static_cast<float>(sum), kMostSum);
      return small;
    }
    static void add(const Line& row, const Line& column, float& sum) {
      if (are_zeros(row, column) && stays(sum)) return;
      const auto arithmetic = kLanes == 64 ? host_matrix_arithmetic : MatrixArithmetic::fused;
      sum = add_products(arithmetic, kDtype, row.values, column.values, sum);
    }
  };

 public:
  static void multiply(Sum (&sums)[kSums], const Storage (&a)[kElements],
                       const Storage (&b)[kElements], const Site& site) {
    thread_local Warp warp;
    const int own = lane_index();
    std::ranges::copy(a, warp.a[own]);
    std::ranges::copy(b, warp.b[own]);
    std::ranges::copy(sums, warp.sums[own]);
    const WarpValues lanes = exchange_lanes(0, site);
    if (warp.waiting == 0) {
      warp.multiply();
      warp.waiting = std::popcount(lanes.lanes);
    }
    --warp.waiting;
    std::ranges::copy(warp.sums[own], sums);
  }
};

}  // namespace vendor
}  // namespace spb::gpu
