#include <cmath>

#include "gpu/launch.cuh"
#include "kernels/tiling.h"
#include "kernels/wgrad/groups.h"
#include "kernels/wgrad/row_jumps.h"

namespace spb::plans {
namespace {

/// rows[position, group] = row where it has any offset of the group, else -1.
GPU_KERNEL void members_kernel(const int32_t* map, RowJumps jumps, int groups, int slots,
                               int kernel_volume, int32_t* rows) {
  const int64_t entry = gpu::global_index();
  if (entry >= jumps.rows * groups) return;
  const int64_t row = jumps.row(entry / groups);
  const int first = static_cast<int>(entry % groups) * slots;
  int32_t member = -1;
  for (int o = first; o < first + slots && o < kernel_volume; ++o)
    if (map[row * kernel_volume + o] >= 0) member = static_cast<int32_t>(row);
  rows[entry] = member;
}

GPU_KERNEL void inputs_kernel(const int32_t* map, const int32_t* out_index, const int64_t* begin,
                              int64_t entries, int groups, int slots, int kernel_volume,
                              int32_t* in_index) {
  const int64_t entry = gpu::global_index();
  if (entry >= entries) return;
  int group = 0;
  while (group + 1 < groups && entry >= begin[group + 1]) ++group;
  const int32_t* from = map + int64_t{out_index[entry]} * kernel_volume;
  for (int s = 0; s < slots; ++s) {
    const int o = group * slots + s;
    in_index[s * entries + entry] = o < kernel_volume ? from[o] : -1;
  }
}

}  // namespace

bool are_sparse(const OffsetGroups& groups, int64_t rows) {
  const double share = 1 - std::pow(2. / 3, groups.slots);
  const auto lists = static_cast<double>(groups.begin_host.size() - 1);
  return static_cast<double>(groups.entries()) < share * lists * static_cast<double>(rows);
}

OffsetGroups build_offset_groups(const maps::NeighborMap& map, int slots,
                                 maps::BuildContext context) {
  auto& [allocator, stream] = context;
  const int kv = map.kernel_volume, groups = static_cast<int>(tiles_of(kv, slots));
  // A map from positions whose offsets are the groups and whose neighbors are the rows: its pair
  // lists have the rows of each group.
  maps::NeighborMap members;
  members.n_out = map.n_out;
  members.kernel_volume = groups;
  members.rows = gpu::Buffer<int32_t>(allocator, map.n_out * groups, gpu::Tag::workspace);
  gpu::launch_flat(members_kernel, map.n_out * groups, stream, map.rows.data(), RowJumps(map.n_out),
                   groups, slots, kv, members.rows.data());
  maps::KernelMap lists = maps::build_kernel_map(members, context);

  OffsetGroups result;
  result.slots = slots;
  result.kernel_volume = kv;
  result.out_index = std::move(lists.in_index);
  result.begin = std::move(lists.offset_begin);
  result.begin_host = std::move(lists.offset_begin_host);
  const int64_t entries = result.entries();
  result.in_index = gpu::Buffer<int32_t>(allocator, slots * entries, gpu::Tag::plan);
  gpu::launch_flat(inputs_kernel, entries, stream, map.rows.data(), result.out_index.data(),
                   result.begin.data(), entries, groups, slots, kv, result.in_index.data());
  return result;
}

std::vector<Triple> download_pairs(const OffsetGroups& groups, const gpu::Stream& stream) {
  const std::vector<int32_t> in = groups.in_index.download(stream);
  const std::vector<int32_t> out = groups.out_index.download(stream);
  std::vector<Triple> pairs;
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g)
    for (auto i = static_cast<size_t>(groups.begin_host[g]);
         i < static_cast<size_t>(groups.begin_host[g + 1]); ++i)
      for (size_t s = 0; s < static_cast<size_t>(groups.slots); ++s) {
        const int32_t row = in[s * out.size() + i];
        const auto offset = static_cast<int32_t>(g * static_cast<size_t>(groups.slots) + s);
        if (row >= 0) pairs.push_back({offset, out[i], row});
      }
  return pairs;
}

}  // namespace spb::plans
