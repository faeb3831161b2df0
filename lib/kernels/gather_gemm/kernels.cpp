// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/gather_gemm/portable/tiles.h"
#include "kernels/tiling.h"

namespace spb {

std::span<const KernelVariant> row_variants() {
  static const std::vector<KernelVariant> all = [] {
    std::vector<KernelVariant> variants;
    for (const plans::RowFamily& family : plans::row_families())
      variants.insert(variants.end(), family.variants.begin(), family.variants.end());
    return variants;
  }();
  return all;
}

namespace plans {
namespace {

/// Bytes per microsecond that a multiprocessor loads, in millions: with the arithmetic rates, what
/// an H200 was measured at. Loads and arithmetic overlap in part only.
constexpr double kLoadMegabytes = 0.1;
/// What a step and a tile cost besides, in microseconds.
constexpr double kStepUs = 0.03, kTileUs = 1.5;
/// Slices are written, read, and summed in a launch of their own; as fast are weights prepared.
constexpr double kSliceMegabytesPerUs = 3.0, kReduceUs = 2.5;
/// Segments whose tiles have no static schedule take longer than expected, at 64 channels 1.3
/// to 1.5 times as long as those that are (tune_all_*.json of the scans' record), and at 32
/// channels yet less.
constexpr double kUnscheduled = 1.2;

double steps_of(const KernelVariant& variant, const RowWork& work) {
  return work.offsets * static_cast<double>(tiles_of(work.depth, variant.tile_k));
}

int64_t blocks_of(const KernelVariant& variant, const RowWork& work) {
  return tiles_of(work.rows, variant.tile_m) * tiles_of(work.columns, variant.tile_n) * work.groups;
}

/// How much longer than their share of a multiprocessor `blocks` on it take: few warps leave it
/// idle while they wait for each other, many fill those times. A persistent block's next tile loads
/// while this one ends.
double slowdown(const RowKernel& kernel, int64_t blocks) {
  if (kernel.family->takes_work_tiles) return 1;
  if (blocks == 1) return kernel.variant().threads >= 256 ? 1.22 : 1.3;
  return blocks == 2 ? 1 : 0.88;
}

/// Expected microseconds of a pass with `split` slices: arithmetic and loads, times the
/// rounds in which blocks take their turns. Blocks differ in length, so that rounds overlap.
/// Persistent blocks have a static schedule of the tiles of segments: those that share a
/// multiprocessor even each other out.
double expected_us(const RowKernel& kernel, const RowWork& work, int split) {
  const KernelVariant& v = kernel.variant();
  if (kernel.family->takes_halos) return kernel.family->halo_us(kernel.index, work);
  const int element_bytes = info(work.dtype).input().bytes;
  const double macs = double(v.tile_m) * v.tile_n * v.tile_k;
  // Copies end with the depth. Of wider floats it was fitted without: their wgmma kernels would be
  // taken for 16 and 32 channels of split scans, which take a fifth longer with them.
  const int copied_k =
      info(work.dtype).is_scaled() ? std::min<int>(v.tile_k, work.depth) : v.tile_k;
  const double bytes = double(v.tile_m + v.tile_n) * copied_k * element_bytes;
  const double step_us = macs * 1e-6 / kernel.family->macs_per_us(work.dtype) +
                         bytes * 1e-6 / kLoadMegabytes + kStepUs;
  const double block_us = std::ceil(steps_of(v, work) / split) * step_us + kTileUs;
  const int64_t blocks = blocks_of(v, work) * split;
  const double full = double(blocks) / (double(multiprocessors()) * kernel.blocks);
  // Blocks that share a multiprocessor share its units.
  const int64_t sharing =
      full > 1 ? kernel.blocks : std::max<int64_t>(tiles_of(blocks, multiprocessors()), 1);
  const bool scheduled = kernel.family->takes_work_tiles && work.segments > 1;
  const double rounds = full > 1 ? full + (scheduled ? 0.5 / kernel.blocks : 0.5) : 1;
  double us = rounds * block_us * double(sharing) * slowdown(kernel, sharing);
  if (const int floats = kernel.family->prepares(work.dtype))
    us += kReduceUs +
          work.offsets * work.depth * work.columns * 4e-6 * (1 + floats) / kSliceMegabytesPerUs;
  if (work.split_k)
    us += kReduceUs +
          double(work.rows) * work.columns * work.groups * 8e-6 * split / kSliceMegabytesPerUs;
  return us;
}

double best_us(const RowKernel& kernel, const RowWork& work) {
  if (!work.split_k) return expected_us(kernel, work, 1);
  if (work.segments == 1 || !kernel.family->takes_segments)
    return expected_us(kernel, work, choose_row_split(kernel, work));
  return expected_us(kernel, work, work.segments) *
         (kernel.family->takes_work_tiles ? 1 : kUnscheduled);
}

/// Blocks that a multiprocessor of the architecture holds at a time, 0 where the variant cannot do
/// the work.
int resident_blocks(const RowFamily& family, size_t index, const RowWork& work, int on) {
  if (!supports(family.variants[index], work.dtype, on, work.depth, work.columns)) return 0;
  if (work.groups > 1 && !family.takes_groups) return 0;
  return family.resident_blocks(static_cast<int>(index), work);
}

/// Whether nothing but its name asks for a variant on a device of the architecture.
bool by_name_only(const RowFamily& family, size_t index, int on) {
  return family.variants[index].by_name_only() ||
         (family.by_name_from > 0 && on >= family.by_name_from);
}

/// each(kernel) of those that can do the work, in the order of the table, without the portable
/// ones.
template <class Each>
void for_each_kernel(const RowWork& work, const Each& each) {
  const int on = architecture();
  for (const RowFamily& family : row_families().first(row_families().size() - 1))
    for (size_t i = 0; i < family.variants.size(); ++i) {
      const RowKernel kernel{&family, static_cast<int>(i), resident_blocks(family, i, work, on)};
      if (kernel.blocks > 0 && (work.by_name || !by_name_only(family, i, on)) &&
          (!work.adds || kernel.adds_to_memory()))
        each(kernel);
    }
}

/// The variants that run everywhere, the better one first.
std::vector<RowKernel> portable_kernels(const RowWork& work) {
  if (!(kPortableRowDtypes & dtype_bit(work.dtype))) return {};
  const int better = choose_portable_row_tile(work.columns);
  return {{&row_families().back(), better, 1}, {&row_families().back(), 1 - better, 1}};
}

bool is(const KernelVariant& variant, const KernelVariant* other) {
  return other && std::string_view(variant.name) == other->name;
}

template <class Suits>
bool has_kernel(RowWork work, const KernelVariant* chosen, Suits suits) {
  work.by_name = chosen != nullptr;
  return std::ranges::any_of(rank_row_kernels(work), [&](const RowKernel& kernel) {
    return suits(kernel) && (!chosen || is(kernel.variant(), chosen));
  });
}

}  // namespace

int choose_row_split(const RowKernel& kernel, const RowWork& work) {
  const int steps = static_cast<int>(
      std::min<double>(kMostRowSlices, std::floor(steps_of(kernel.variant(), work))));
  int best = std::min(2, std::max(1, steps));
  double least = expected_us(kernel, work, best);
  for (int split = best + 1; split <= steps; ++split)
    if (const double us = expected_us(kernel, work, split); us < least) {
      least = us;
      best = split;
    }
  return best;
}

std::vector<RowKernel> rank_row_kernels(const RowWork& work) {
  std::vector<std::pair<double, RowKernel>> timed;
  for_each_kernel(work, [&](const RowKernel& kernel) {
    timed.push_back({best_us(kernel, work), kernel});
  });
  if (timed.empty()) return portable_kernels(work);
  std::ranges::stable_sort(timed, {}, [](const auto& pair) { return pair.first; });
  std::vector<RowKernel> kernels;
  for (const auto& [us, kernel] : timed) kernels.push_back(kernel);
  return kernels;
}

RowKernel choose_row_kernel(const RowWork& work, const KernelVariant* chosen) {
  if (chosen) {
    const int on = architecture();
    for (const RowFamily& family : row_families())
      for (size_t i = 0; i < family.variants.size(); ++i)
        if (is(family.variants[i], chosen))
          if (const int blocks = resident_blocks(family, i, work, on); blocks > 0)
            return {&family, static_cast<int>(i), blocks};
  }
  RowKernel best;
  double least = std::numeric_limits<double>::infinity();
  for_each_kernel(work, [&](const RowKernel& kernel) {
    if (const double us = best_us(kernel, work); us < least) {
      least = us;
      best = kernel;
    }
  });
  return best.family ? best : portable_kernels(work).front();
}

std::optional<std::string> unsupported(const RowWork& work, const KernelVariant& variant) {
  const std::string name = std::string("kernel ") + variant.name + " ";
  for (const RowFamily& family : row_families())
    for (size_t i = 0; i < family.variants.size(); ++i) {
      if (!is(family.variants[i], &variant)) continue;
      if (const auto reason =
              unsupported(variant, work.dtype, architecture(), work.depth, work.columns))
        return name + *reason;
      const int on = architecture();
      if (resident_blocks(family, i, work, on) > 0) return {};
      RowWork of_one_group = work;
      of_one_group.groups = 1;
      const bool groups = work.groups > 1 && resident_blocks(family, i, of_one_group, on) > 0;
      return name + (groups ? family.groups_reason : family.unsupported_reason);
    }
  return name + "does wgrad only";
}

bool has_adding_kernel(RowWork work, const KernelVariant* chosen) {
  work.adds = true;
  return has_kernel(work, chosen, [](const RowKernel& kernel) { return kernel.adds_to_memory(); });
}
bool has_segmented_kernel(const RowWork& work, const KernelVariant* chosen) {
  return has_kernel(work, chosen,
                    [](const RowKernel& kernel) { return kernel.family->takes_segments; });
}

}  // namespace plans
}  // namespace spb
