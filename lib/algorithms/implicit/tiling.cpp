#include "algorithms/implicit/tiling.h"

#include <string_view>

#include "gpu/device_info.h"

namespace spb::plans {

int multiprocessors() {
  constexpr int kHost = 8;
  static const int count = std::string_view(gpu::backend_name()) == "host"
                               ? kHost
                               : gpu::list_devices().at(0).multiprocessors;
  return count;
}

int architecture() {
  if (std::string_view(gpu::backend_name()) != "cuda") return 0;
  static const int number = std::stoi(gpu::list_devices().at(0).arch.substr(3));  // "sm_90"
  return number;
}

std::string tile_params(const KernelVariant& variant, int split, maps::RowOrder order) {
  return "{\"tile_m\":" + std::to_string(variant.tile_m) +
         ",\"tile_n\":" + std::to_string(variant.tile_n) +
         ",\"tile_k\":" + std::to_string(variant.tile_k) + ",\"split\":" + std::to_string(split) +
         ",\"order\":\"" + maps::name(order) + "\"}";
}

}  // namespace spb::plans
