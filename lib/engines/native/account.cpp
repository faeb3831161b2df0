// SPDX-License-Identifier: Apache-2.0
#include "engines/native/account.h"

#include <algorithm>
#include <memory>

#include "engines/native/device_operands.h"
#include "gpu/device_info.h"

namespace spb::engines {

MemoryUse account(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels,
                  const MapSize& size) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  DeviceOperands device(problem, size, allocator);
  for (const gpu::Tag tag : {gpu::Tag::input, gpu::Tag::weight}) allocator.poison(tag, 0, stream);
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);

  MemoryUse use;
  stream.synchronize();
  const int64_t free_before = gpu::free_memory_bytes(), device_before = allocator.device_bytes();
  const gpu::MemoryCounts& counts = allocator.counts();
  const int64_t before = counts.live_bytes;
  allocator.reset_peaks();
  std::unique_ptr<Plan> plan = algorithm.plan(problem, coords, allocator, stream);
  stream.synchronize();
  use.peak_plan_bytes = counts.peak_bytes - before;
  const auto live = [&](gpu::Tag tag) { return counts.live_by_tag[static_cast<int>(tag)]; };
  use.workspace_bytes = live(gpu::Tag::workspace);
  use.persistent_bytes = counts.live_bytes - before - use.workspace_bytes;

  const int64_t allocations = counts.allocations;
  plan->run(device.pointers(), stream);
  stream.synchronize();
  use.run_alloc_count = counts.allocations - allocations;
  if (allocator.keeps_released()) {
    const int64_t taken = free_before - gpu::free_memory_bytes();
    use.untracked_bytes = std::max<int64_t>(0, taken - allocator.device_bytes() + device_before);
  }
  plan.reset();
  use.peak_total_bytes = counts.peak_bytes;
  use.leak_bytes = counts.live_bytes - before;
  return use;
}

}  // namespace spb::engines
