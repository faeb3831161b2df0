// SPDX-License-Identifier: Apache-2.0
#include "gpu/amd_arch.h"

namespace spb::gpu {
namespace {

/// LLVM, "User Guide for AMDGPU Backend", processors: gfx6 to gfx9 have three digits, newer ones
/// four.
bool is_gfx9(std::string_view arch) { return arch.starts_with("gfx9") && arch.size() == 6; }
bool is_older(std::string_view arch) {
  return arch.size() == 6 && arch >= "gfx600" && arch < "gfx900";
}

bool has(std::string_view built, std::string_view arch) {
  while (!built.empty()) {
    const std::string_view one = built.substr(0, built.find(','));
    // Code for a generation ("gfx9-4-generic") is left to the runtime to take or refuse.
    if (one.substr(0, one.find(':')) == arch || one.ends_with("-generic")) return true;
    built.remove_prefix(one.size() == built.size() ? one.size() : one.size() + 1);
  }
  return false;
}

}  // namespace

int amd_lanes(std::string_view arch) { return is_gfx9(arch) || is_older(arch) ? 64 : 32; }

bool amd_stamps_clock(std::string_view arch) { return is_gfx9(arch); }

std::string amd_refusal(std::string_view built, std::string_view arch, int lanes) {
  if (!has(built, arch))
    return "this build has code for " + std::string(built) + ", the device is " +
           std::string(arch) + "; build with -DCMAKE_HIP_ARCHITECTURES=" + std::string(arch);
  if (lanes != amd_lanes(arch))
    return "the device has wavefronts of " + std::to_string(lanes) + " lanes, this build's for " +
           std::string(arch) + " have " + std::to_string(amd_lanes(arch));
  return {};
}

}  // namespace spb::gpu
