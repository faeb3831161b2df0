// SPDX-License-Identifier: Apache-2.0
// Why a device's clocks are held down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>

namespace spb::gpu {

/// In the order in which records name them; the last: no one could tell.
enum class ThrottleReason : uint8_t {
  current,
  hw_power_brake,
  hw_slowdown,
  hw_thermal,
  power_cap,
  sw_power_cap,
  sw_thermal,
  sync_boost,
  thermal,
  unknown,
};

struct ThrottleReasonInfo {
  const char* name;  ///< that of the vendor's interface, as in the column throttle_reasons
  bool throttles;    ///< heat or the hardware: times are not those of the device
  bool caps_power;   ///< large devices live at their power limit: recorded only
};
inline constexpr ThrottleReasonInfo kThrottleReasons[] = {
    {"current", true, false},    {"hw_power_brake", true, false}, {"hw_slowdown", true, false},
    {"hw_thermal", true, false}, {"power_cap", false, true},      {"sw_power_cap", false, true},
    {"sw_thermal", true, false}, {"sync_boost", false, false},    {"thermal", true, false},
    {"unknown", false, false},  // the interface does not say: neither held down nor free
};

/// A set of them.
class ThrottleReasons {
 public:
  constexpr ThrottleReasons() = default;
  constexpr ThrottleReasons(std::initializer_list<ThrottleReason> reasons) {
    for (const ThrottleReason reason : reasons) bits_ |= bit(static_cast<size_t>(reason));
  }
  /// What bits() gave, for another process of the same program.
  static constexpr ThrottleReasons of_bits(unsigned bits) {
    ThrottleReasons reasons;
    reasons.bits_ = bits;
    return reasons;
  }
  constexpr unsigned bits() const { return bits_; }

  constexpr ThrottleReasons& operator|=(ThrottleReasons others) {
    bits_ |= others.bits_;
    return *this;
  }
  constexpr bool throttle() const { return any(&ThrottleReasonInfo::throttles); }
  constexpr bool cap_power() const { return any(&ThrottleReasonInfo::caps_power); }
  /// For records: names with blanks between.
  std::string text() const {
    std::string names;
    for (size_t i = 0; i < std::size(kThrottleReasons); ++i)
      if (bits_ & bit(i))
        names += (names.empty() ? "" : " ") + std::string(kThrottleReasons[i].name);
    return names;
  }
  friend constexpr bool operator==(ThrottleReasons, ThrottleReasons) = default;

 private:
  static constexpr unsigned bit(size_t index) { return 1u << index; }
  constexpr bool any(bool ThrottleReasonInfo::*property) const {
    for (size_t i = 0; i < std::size(kThrottleReasons); ++i)
      if (bits_ & bit(i) && kThrottleReasons[i].*property) return true;
    return false;
  }

  unsigned bits_ = 0;
};

}  // namespace spb::gpu
