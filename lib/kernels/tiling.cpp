// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gpu/device_info.h"

namespace spb::plans {

namespace {

struct Device {
  int multiprocessors = 0;
  int architecture = 0;  // 90 of "sm_90"; 0 of other vendors
};

/// Listed once: ranking kernels asks thousands of times, and listing reads every property.
const Device& device() {
  static const std::vector<Device> devices = [] {
    const bool cuda = std::string_view(gpu::backend_name()) == "cuda";
    std::vector<Device> listed;
    for (const gpu::DeviceInfo& info : gpu::list_devices())
      listed.push_back({info.multiprocessors, cuda ? std::stoi(info.arch.substr(3)) : 0});
    return listed;
  }();
  return devices.at(static_cast<size_t>(gpu::device_index()));
}

/// What a device or its rows lack for a variant.
enum class Lack { nothing, dtype, one_architecture, architecture, channels };

Lack lack_of(const KernelVariant& variant, Dtype dtype, int architecture, int c_in, int c_out) {
  if (!(variant.dtypes & dtype_bit(dtype))) return Lack::dtype;
  if (variant.one_arch && variant.min_arch != architecture) return Lack::one_architecture;
  if (variant.min_arch > architecture) return Lack::architecture;
  if (c_in % variant.channel_multiple != 0 || c_out % variant.channel_multiple != 0)
    return Lack::channels;
  return Lack::nothing;
}

}  // namespace

int multiprocessors() {
  constexpr int kHost = 8;
  return gpu::on_host() ? kHost : device().multiprocessors;
}

int architecture() {
  if (gpu::on_host()) return 0;
  return std::min(device().architecture, architecture_limit());
}

bool supports(const KernelVariant& variant, Dtype dtype, int architecture, int c_in, int c_out) {
  return lack_of(variant, dtype, architecture, c_in, c_out) == Lack::nothing;
}

std::optional<std::string> unsupported(const KernelVariant& variant, Dtype dtype, int architecture,
                                       int c_in, int c_out) {
  switch (lack_of(variant, dtype, architecture, c_in, c_out)) {
    case Lack::nothing:
      break;
    case Lack::dtype:
      return "is not compiled for " + std::string(info(dtype).name);
    case Lack::one_architecture:
      return "needs an NVIDIA GPU of sm_" + std::to_string(variant.min_arch);
    case Lack::architecture:
      return "needs an NVIDIA GPU of sm_" + std::to_string(variant.min_arch) + " or newer";
    case Lack::channels:
      return "needs channels in multiples of " + std::to_string(variant.channel_multiple);
  }
  return {};
}

std::optional<std::string> unsupported_here(Dtype dtype) {
  constexpr int kFirst = 89;
  if (!(dtype_bit(dtype) & kE4m3Dtypes) || gpu::on_host() || architecture() >= kFirst) return {};
  return std::string(info(dtype).name) + " needs an NVIDIA GPU of sm_" + std::to_string(kFirst) +
         " or newer";
}

std::string tile_params(const KernelVariant& variant, int split, maps::RowOrder order) {
  return "{\"tile_m\":" + std::to_string(variant.tile_m) +
         ",\"tile_n\":" + std::to_string(variant.tile_n) +
         ",\"tile_k\":" + std::to_string(variant.tile_k) + ",\"split\":" + std::to_string(split) +
         ",\"order\":\"" + maps::name(order) + "\"}";
}

}  // namespace spb::plans
