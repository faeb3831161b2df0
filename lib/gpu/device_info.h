// SPDX-License-Identifier: Apache-2.0
// What a device is, as far as records and heuristics need it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spb::gpu {

struct DeviceInfo {
  int index = 0;
  std::string name;  ///< of the GPU, or of the CPU on host
  std::string arch;  ///< "sm_90", "gfx90a", "x86_64"
  std::string uuid;
  std::string driver_version;   ///< of the vendor's driver; of the kernel on host
  std::string runtime_version;  ///< that this program was built with; empty on host
  int multiprocessors = 1;      ///< SMs or CUs; hardware threads on host
  int warp_size = 32;
  int64_t memory_bytes = 0;
  int64_t cache_bytes = 0;  ///< of the last: L2, Infinity Cache, L3 on host; 0: unknown
  double clock_mhz = 0;     ///< highest of the multiprocessors; 0 where unknown
  double memory_clock_mhz = 0;
};

/// "cuda", "hip" or "host".
const char* backend_name();
/// Whether kernels run on the processor.
bool on_host();
/// All devices that can run kernels; one CPU on host. Throws Error (runtime) when there is none,
/// saying whether driver or device is missing.
std::vector<DeviceInfo> list_devices();
/// Of the calling thread; nothing else chooses one. Throws Error (runtime) for a device that this
/// build has no code for.
void use_device(int index);
/// Of the device in use, among list_devices(). Costs nothing: plans ask hundreds of times.
int device_index();
/// The same, as they were listed at the first call: plans ask for it, too.
const DeviceInfo& device_in_use();
/// Of the device in use.
int64_t last_cache_bytes();
int multiprocessor_count();
/// Device memory that is not taken, by this process or another.
int64_t free_memory_bytes();
/// Whether stamps of cycles tell the clock of the device in use (bench/clock_meter.h).
bool stamps_clock();
/// Why this build's kernels cannot run on the device; empty if they can.
std::string why_unusable(const DeviceInfo& device);
/// What is known of kernels on chips of this name, or of this build's kernels at all.
std::string proven_on(const std::string& arch = {});
/// Whether a kernel has ruined this process' context (an illegal address): nothing runs on the
/// device any more until another process begins anew.
bool context_is_lost();

}  // namespace spb::gpu
