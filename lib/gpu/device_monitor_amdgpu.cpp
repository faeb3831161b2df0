// SPDX-License-Identifier: Apache-2.0
// Files of Linux' amdgpu driver: its hwmon values are documented in the kernel's
// Documentation/gpu/amdgpu/thermal.rst, gpu_metrics in
// drivers/gpu/drm/amd/include/kgd_pp_interface.h.
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpu/device_monitor.h"

namespace spb::gpu {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file, double scale) {
  std::ifstream stream(file);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value * scale;
}

/// Version 1.3 of gpu_metrics states reasons that mean the same on all chips.
struct ReasonBits {
  uint64_t bits;
  ThrottleReason reason;
};
constexpr ReasonBits kReasonBits[] = {
    {0x0000'0000'0000'FFFF, ThrottleReason::power_cap},
    {0x0000'0000'FFFF'0000, ThrottleReason::current},
    {0x00FF'FFFF'0000'0000, ThrottleReason::thermal},
};
constexpr size_t kReasonsOffset = 112, kMetricsBytes = 120;

class Amdgpu final : public DeviceMonitor {
 public:
  Amdgpu(fs::path device, fs::path hwmon) : device_(std::move(device)), hwmon_(std::move(hwmon)) {}

  DeviceState read() override {
    DeviceState state;
    state.sm_clock_mhz = number_in(hwmon_ / "freq1_input", 1e-6);
    state.mem_clock_mhz = number_in(hwmon_ / "freq2_input", 1e-6);
    state.power_w = number_in(hwmon_ / "power1_average", 1e-6);
    if (!state.power_w) state.power_w = number_in(hwmon_ / "power1_input", 1e-6);
    state.temp_c = number_in(hwmon_ / "temp1_input", 1e-3);
    read_reasons(state);
    return state;
  }

 private:
  void read_reasons(DeviceState& state) const {
    std::array<char, kMetricsBytes> metrics{};
    std::ifstream file(device_ / "gpu_metrics", std::ios::binary);
    if (!file.read(metrics.data(), kMetricsBytes) || metrics[2] != 1 || metrics[3] != 3) return;
    uint64_t bits = 0;
    std::memcpy(&bits, &metrics[kReasonsOffset], sizeof bits);
    for (const ReasonBits& known : kReasonBits)
      if (bits & known.bits) state.reasons |= {known.reason};
  }

  fs::path device_, hwmon_;
};

}  // namespace

OpenedMonitor open_amdgpu(const std::string& uuid, const fs::path& devices) {
  constexpr std::string_view kPrefix = "PCI-";
  const fs::path device =
      devices / (uuid.starts_with(kPrefix) ? uuid.substr(kPrefix.size()) : uuid);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(device / "hwmon", none))
    return {std::make_unique<Amdgpu>(device, entry.path()), "amdgpu hwmon"};
  return {nullptr, "none: " + (device / "hwmon").string() + " is not there"};
}

}  // namespace spb::gpu
