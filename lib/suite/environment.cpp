// SPDX-License-Identifier: Apache-2.0
#include "suite/environment.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <string_view>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "config/lists.h"
#include "core/error.h"
#include "gpu/device_monitor.h"
#include "suite/build_info.h"
#include "suite/shell_quote.h"

extern char** environ;

namespace spb::suite {
namespace {

std::string utc(const char* format) {
  const std::time_t now = std::time(nullptr);
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format)), fmt::gmtime(now));
}

/// Variables that change results, from an allow list: a full dump leaks secrets.
bool is_recorded(std::string_view variable) {
  for (const char* prefix :
       {"CUDA_", "HIP_", "ROCR_", "ROCBLAS_", "GPU_", "OMP_NUM_THREADS=", "SPCONV_BENCH_"})
    if (variable.starts_with(prefix)) return true;
  return false;
}

/// What drives the clock of a device, or of the host's processor; empty where it is not told.
std::string clock_policy() {
  if (!gpu::on_host()) return "free";
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string governor;
  return file >> governor ? "governor:" + governor : "";
}

}  // namespace

std::string utc_now() { return utc("%Y-%m-%dT%H:%M:%SZ"); }

std::string new_run_id() {
  std::random_device random;
  return utc("%Y%m%dT%H%M%SZ") + fmt::format("-{:06x}", random() & 0xFFFFFF);
}

std::vector<gpu::DeviceInfo> choose_devices(const std::string& text) {
  std::vector<gpu::DeviceInfo> devices = gpu::list_devices();
  if (text == "all") return devices;
  std::vector<gpu::DeviceInfo> chosen;
  for (const std::string& word : config::split_list(text, "--device")) {
    const int64_t index = config::parse_integer(word, 0, "--device");
    if (index >= static_cast<int64_t>(devices.size()))
      throw usage_error("--device", fmt::format("{} is none of {} devices", index, devices.size()),
                        "see list devices");
    chosen.push_back(devices[static_cast<size_t>(index)]);
  }
  return chosen;
}

Record run_columns(const std::string& run_id, const gpu::DeviceInfo& info) {
  const BuildInfo& build = build_info();
  Record columns;
  columns[columns::run_id] = run_id;
  columns[columns::gpu_name] = info.name;
  columns[columns::gpu_uuid] = info.uuid;
  columns[columns::gpu_arch] = info.arch;
  columns[columns::driver_version] = info.driver_version;
  columns[columns::runtime_version] = info.runtime_version;
  columns[columns::clock_policy] = clock_policy();
  columns[columns::tool_version] = build.version;
  columns[columns::git_sha] = build.git_sha;
  columns[columns::git_dirty] = build.git_dirty;
  columns[columns::build_type] = build.build_type;
  return columns;
}

Record context(const Record& columns, const gpu::DeviceInfo& device,
               std::span<const std::string> command_line) {
  Record record = columns;
  // The program without its folder, which says nothing to a reader on another machine.
  std::string words;
  for (const std::string& word : command_line)
    words +=
        words.empty() ? std::filesystem::path(word).filename().string() : " " + shell_quote(word);
  record.named("command_line") = words;
  record.named("start_utc") = utc_now();
  record.named("compiler") = std::string(build_info().compiler);
  record[columns::backend] = gpu::backend_name();
  record.named("monitor") = gpu::open_monitor(device.uuid).note;
  record.named("device_index") = int64_t{device.index};
  record.named("multiprocessors") = int64_t{device.multiprocessors};
  record.named("device_memory_bytes") = device.memory_bytes;
  record.named("last_cache_bytes") = device.cache_bytes;
  if (device.clock_mhz > 0) record.named("max_sm_clock_mhz") = device.clock_mhz;
  if (device.memory_clock_mhz > 0) record.named("max_mem_clock_mhz") = device.memory_clock_mhz;
  record.named("processors") = int64_t{std::thread::hardware_concurrency()};
  utsname machine{};
  if (uname(&machine) == 0) {
    record.named("os") = fmt::format("{} {}", machine.sysname, machine.release);
    record.named("machine") = std::string(machine.machine);
  }
  std::string variables;
  for (char** variable = environ; *variable; ++variable)
    if (is_recorded(*variable))
      variables += (variables.empty() ? "" : " ") + shell_quote(*variable);
  record.named("environment") = variables;
  return record;
}

}  // namespace spb::suite
