// SPDX-License-Identifier: Apache-2.0
// The truth a second time, where the outputs lie: from the definition, in fp64 (verification.md,
// section 8). Shares no code with kernels, maps or the reference on the CPU, to which it is held.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/expected.h"
#include "core/host_tensors.h"
#include "core/problem.h"
#include "core/tensors.h"
#include "device_reference/tolerance.h"

namespace spb::device_reference {

/// A main output as it was stored, on the device.
struct StoredOutput {
  const void* data = nullptr;
  Storage type = Storage::f32;
  /// A gradient of weights as [kernel_volume, c_in / groups, c_out] instead of tensors()'.
  WeightLayout layout = WeightLayout::c_out_first;
};

/// Of a whole output.
struct Tally {
  int64_t compared = 0;  ///< elements: all
  int64_t mismatches = 0;
  double max_tolerance_ratio = 0, max_abs = 0, max_ulp = 0, rel_l2 = 0;
  /// Flat indices of mismatches, ascending: of each thread the first that it met, and the worst.
  std::vector<int64_t> mismatched;
  int64_t worst = -1;  ///< of them
};

/// What was found of every element of an output, bounded sums with their scales: other outputs that
/// were made of the same operands need no sums of their own. No longer-lived than who found it.
class FoundSums {
 public:
  FoundSums();
  ~FoundSums();
  FoundSums(FoundSums&&) noexcept;
  FoundSums& operator=(FoundSums&&) noexcept;

  /// On the device; judge_by() notices what is written there.
  void* data();

 private:
  friend class DeviceReference;
  struct State;
  std::unique_ptr<State> state_;
};

/// Device memory that one takes with its operands, map and partial sums, rounded up.
int64_t needed_bytes(const Problem& problem, const MapSize& size, int64_t n_pairs);

/// Of one problem on one map. Its memory is that of no plan: an allocator of its own has it.
class DeviceReference {
 public:
  /// Of wgrad, how many partial sums of 24 bytes have a place at a time: 200 MB.
  static constexpr int64_t kPartialSums = int64_t{1} << 23;

  /// Throws gpu::OutOfMemory.
  DeviceReference(const Problem& problem, const MapSet& map, int64_t n_in,
                  int64_t partial_sums = kPartialSums);
  ~DeviceReference();

  /// Operands as a multiply sees them. Of exact sums Expected has no error_scale and no
  /// partial_scale. Returns nothing, or where an operand that the device has drawn has other bits
  /// than the host draws: its first and last elements are compared, and some between.
  std::string write(const HostOperands& operands, Judged judged);
  /// Of the listed elements of out, gin or gw, [elements, 1].
  Expected expect(std::span<const int64_t> elements) const;
  /// Every element of what a run has stored. Throws Error (runtime) where not each was judged once.
  /// `found`: null, or where what was found stays, of bounded sums alone.
  Tally judge(const StoredOutput& stored, const Tolerance& tolerance,
              FoundSums* found = nullptr) const;
  /// The same by sums that judge() found, whatever operands were written since. Throws Error
  /// (runtime) where their memory holds others by now.
  Tally judge_by(const FoundSums& found, const StoredOutput& stored,
                 const Tolerance& tolerance) const;

  int64_t found_bytes() const;  ///< of the device's memory, that FoundSums take
  int64_t held_bytes() const;   ///< all that it has of the device's memory

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spb::device_reference
