// SPDX-License-Identifier: Apache-2.0
#include "suite/find_tuning.h"

#include <fmt/format.h>
#include <system_error>

#include "suite/build_info.h"
#include "suite/places.h"
#include "tuning/tuning_file.h"

namespace spb::suite {

namespace fs = std::filesystem;

fs::path default_tuning_path(const gpu::DeviceInfo& device) {
  return cache_folder() / fmt::format("tuning-{}.json", file_word(device.name));
}

tuning::Machine machine_of(const gpu::DeviceInfo& device) {
  return {device.name, device.driver_version, build_info().version};
}

std::shared_ptr<const tuning::Tuned> find_tuning(const std::string& option,
                                                 const gpu::DeviceInfo& device) {
  if (option == "off") return nullptr;
  const fs::path path = option.empty() ? default_tuning_path(device) : fs::path(option);
  std::error_code unreadable;  // a cache of somebody else: as good as none
  if (option.empty() && !fs::exists(path, unreadable)) return nullptr;
  return std::make_shared<tuning::Tuned>(tuning::read_entries(path), machine_of(device));
}

}  // namespace spb::suite
