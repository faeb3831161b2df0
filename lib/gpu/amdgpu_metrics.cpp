// SPDX-License-Identifier: Apache-2.0
// Layouts: structures gpu_metrics_v1_3 to v1_8 of Linux,
// drivers/gpu/drm/amd/include/kgd_pp_interface.h. Numbers are little-endian, as the processors are.
#include "gpu/amdgpu_metrics.h"

#include <cstdint>
#include <cstring>
#include <iterator>

namespace spb::gpu {
namespace {

constexpr ThrottleReasons kUnknown{ThrottleReason::unknown};

/// The header: bytes of the structure, then its format and its content revision.
constexpr size_t kFormatAt = 2, kContentAt = 3, kHeaderBytes = 4;

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Version 1.3 has a word of bits that mean the same on all chips, at its end.
struct ReasonBits {
  uint64_t bits;
  ThrottleReason reason;
};
constexpr ReasonBits kReasonBits[] = {
    {0x0000'0000'0000'FFFF, ThrottleReason::power_cap},
    {0x0000'0000'FFFF'0000, ThrottleReason::current},
    {0x00FF'FFFF'0000'0000, ThrottleReason::thermal},
};
constexpr size_t kBitsAt = 112;

ThrottleReasons reasons_of_bits(std::string_view now) {
  if (now.size() < kBitsAt + sizeof(uint64_t)) return kUnknown;
  const auto bits = number_at<uint64_t>(now, kBitsAt);
  ThrottleReasons reasons;
  for (const ReasonBits& known : kReasonBits)
    if (bits & known.bits) reasons |= {known.reason};
  return reasons;
}

/// Versions 1.6 and later (MI300) have counters, 32 bits each, of the time for which the firmware
/// held the clocks: hot processor, power, heat of socket, regulators and memory. They wrap.
constexpr ThrottleReason kCounters[] = {ThrottleReason::thermal, ThrottleReason::power_cap,
                                        ThrottleReason::thermal, ThrottleReason::thermal,
                                        ThrottleReason::thermal};
constexpr uint32_t kNotThere = 0xFFFF'FFFF;  // what the firmware lacks: the driver begins with ones

ThrottleReasons reasons_of_counters(std::string_view before, std::string_view now, size_t at) {
  const size_t end = at + std::size(kCounters) * sizeof(uint32_t);
  if (before.size() < end || now.size() < end) return kUnknown;
  ThrottleReasons reasons;
  for (const ThrottleReason reason : kCounters) {
    const auto was = number_at<uint32_t>(before, at), is = number_at<uint32_t>(now, at);
    if (was == kNotThere && is == kNotThere)
      reasons |= kUnknown;
    else if (was != is)
      reasons |= {reason};
    at += sizeof(uint32_t);
  }
  return reasons;
}

}  // namespace

std::string amdgpu_metrics_name(std::string_view metrics) {
  if (metrics.size() < kHeaderBytes) return "no gpu_metrics";
  return "gpu_metrics " + std::to_string(int{metrics[kFormatAt]}) + "." +
         std::to_string(int{metrics[kContentAt]});
}

ThrottleReasons amdgpu_throttle_reasons(std::string_view before, std::string_view now) {
  if (now.size() < kHeaderBytes || now[kFormatAt] != 1) return kUnknown;
  if (before.substr(0, kHeaderBytes) != now.substr(0, kHeaderBytes) && now[kContentAt] != 3)
    return kUnknown;
  switch (now[kContentAt]) {
    case 3:
      return reasons_of_bits(now);
    case 6:
      return reasons_of_counters(before, now, 36);
    case 7:
    case 8:
      return reasons_of_counters(before, now, 44);
    default:  // 1.4 and 1.5 have the firmware's own bits, whose meaning no header states
      return kUnknown;
  }
}

}  // namespace spb::gpu
