// SPDX-License-Identifier: Apache-2.0
// What the name of an AMD chip ("gfx90a") tells about it.
#pragma once

#include <string>
#include <string_view>

namespace spb::gpu {

/// Lanes of a wavefront of code for the chip, as the compiler makes it unless it is told otherwise.
int amd_lanes(std::string_view arch);

/// Whether stamps of cycles (vendor/hip_device.cuh) tell the clock: on gfx9 alone.
bool amd_stamps_clock(std::string_view arch);

/// Why kernels that were compiled for the chips of `built` ("gfx90a,gfx942:xnack-") cannot run on
/// a device; empty if they can. `lanes` is what the runtime says of the device.
std::string amd_refusal(std::string_view built, std::string_view arch, int lanes);

}  // namespace spb::gpu
