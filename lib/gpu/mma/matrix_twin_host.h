// SPDX-License-Identifier: Apache-2.0
// An instruction of AMD's matrix cores on the host: fragments go around by its lane table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
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
template <class Atom>
class MatrixTwin {
  static constexpr LaneTable kTable = Atom::kTable;
  static constexpr Dtype kDtype = Atom::kAtom.dtype;
  static constexpr bool kInteger = kDtype == Dtype::i8;
  static constexpr int kDepth = kTable.depth, kElements = kTable.elements();
  using Storage = typename Atom::Storage;
  using Sum = typename Atom::Sum;
  static constexpr size_t kWords = std::max<size_t>(1, kElements * sizeof(Storage) / 8);

  /// A row of A or a column of B, in order of k; integers exactly.
  struct Line {
    float values[kDepth];
    bool small;         ///< integers whose sums of products are exact in any order
    bool zero, finite;  ///< all of them
  };

  /// The fragments of all lanes of the warp.
  struct Fragments {
    Storage elements[kTable.lanes][kWords * 8 / sizeof(Storage)];

    Fragments(const Storage (&own)[kElements], bool of_b, const Site& site) {
      for (size_t w = 0; w < kWords; ++w) {
        uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(own) + w * 8,
                    std::min<size_t>(8, sizeof own - w * 8));
        const WarpValues warp = exchange_lanes(word, site);
        for (int lane = 0; lane < kTable.lanes; ++lane)
          std::memcpy(reinterpret_cast<char*>(elements[lane]) + w * 8, &warp.values[lane], 8);
      }
      if (const SwappedLanes& swap = host_swapped_lanes; swap.of_b == of_b)
        std::swap(elements[swap.one % kTable.lanes], elements[swap.other % kTable.lanes]);
    }

    /// Where lanes repeat a line and do not agree, it is not defined which of them counts: NaN, of
    /// integers what none is.
    void read(int index, Line& line) const {
      for (int group = 0; group < kTable.holders(); ++group)
        for (int e = 0; e < kElements; ++e) {
          const int lane = index + group * kTable.size;
          line.values[kTable.k(lane, e)] = decode(elements[lane][e]);
        }
      if constexpr (kTable.repeat)
        for (int e = 0; e < kElements; ++e)
          if (elements[index][e] != elements[index + kTable.size][e])
            line.values[kTable.k(index, e)] =
                kInteger ? kNoByte : std::numeric_limits<float>::quiet_NaN();
      bool small = true, zero = true, finite = true;
      for (const float value : line.values) {
        small = small & is_small_integer(value, kMostFactor);
        zero = zero & (value == 0);
        finite = finite & (std::abs(value) <= std::numeric_limits<float>::max());
      }
      line.small = small;
      line.zero = zero;
      line.finite = finite;
    }
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

  static int32_t added(int32_t sum, const Line& row, const Line& column, MatrixArithmetic) {
    for (int k = 0; k < kDepth; ++k)
      sum += static_cast<int32_t>(row.values[k]) * static_cast<int32_t>(column.values[k]);
    return sum;
  }
  static float added(float sum, const Line& row, const Line& column, MatrixArithmetic arithmetic) {
    // Tails of tiles are zeros, and exact tests have small integers: both need no rounding.
    const bool adds_nothing = (row.zero && column.finite) || (column.zero && row.finite);
    if (adds_nothing && arithmetic != MatrixArithmetic::gfx90a && sum != 0) return sum;
    if (!row.small || !column.small || !is_small_integer(sum, kMostSum))
      return add_products(arithmetic, kDtype, row.values, column.values, sum);
    for (int k = 0; k < kDepth; ++k) sum += row.values[k] * column.values[k];
    return sum;
  }

 public:
  static void multiply(Sum (&sums)[kTable.sums()], const Storage (&a)[kElements],
                       const Storage (&b)[kElements], const Site& site) {
    const Fragments all_a(a, false, site), all_b(b, true, site);
    const int own = lane_index();
    const auto arithmetic = kTable.lanes == 64 ? host_matrix_arithmetic : MatrixArithmetic::fused;
    Line row, column;
    all_b.read(kTable.line(own), column);
    for (int r = 0; r < kTable.sums(); ++r) {
      all_a.read(kTable.row(own, r), row);
      sums[r] = added(sums[r], row, column, arithmetic);
    }
  }
};

}  // namespace vendor
}  // namespace spb::gpu
