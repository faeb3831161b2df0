// SPDX-License-Identifier: Apache-2.0
// All kernels of fprop and dgrad as one table, and which of them a problem gets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/gather_gemm/params.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// What the choice of a kernel depends on.
struct RowWork {
  Dtype dtype = Dtype::f32;
  bool transposed = false;  ///< weights of dgrad: depth is their slowest index
  int64_t rows = 0;
  int depth = 0, columns = 0;  ///< of a group
  double offsets = 0;          ///< per row tile: the kernel volume, or the average once it is known
  bool split_k = false;        ///< a tile's steps are cut into slices
  bool masked = false;         ///< tiles list their offsets
  bool adds = false;           ///< sums are added to memory: of kernels that adds_to_memory()
  int segments = 1;            ///< beyond 1: the slices of kernels that take segments
  bool along_z = true;         ///< rows may be ordered as halos need them
  bool suits_halos = true;     ///< the times expected of them hold
  int groups = 1;
  bool by_name = false;  ///< kernels that are taken by_name_only() are meant, too
};

/// Whether kernels add their sums to memory in passes over pair tiles (GatherGemmParams::atomic):
/// to rows that occur once in a launch, or to any.
enum class Adds { never, once, freely };

/// Kernels that are compiled, launched and asked alike.
struct RowFamily {
  std::span<const KernelVariant> variants;
  /// Blocks that a multiprocessor of the current device holds at a time; 0 where the variant cannot
  /// do the work. Asked only where unsupported() sees none.
  int (*resident_blocks)(int index, const RowWork& work);
  void (*launch)(int index, Dtype dtype, const GatherGemmParams& params, const gpu::Stream& stream);
  /// Products summed by one instruction; 0 for scalar multiply-adds.
  int (*mma_depth)(Dtype dtype);
  /// Arithmetic::flushes_subnormals; null: none does.
  bool (*flushes_subnormals)(int index, Dtype dtype) = nullptr;
  /// Multiply-adds that a multiprocessor reaches per microsecond, in millions; null where the
  /// family takes halos.
  double (*macs_per_us)(Dtype dtype) = nullptr;
  bool reads_tile_index = false;  ///< in masked passes
  bool takes_segments = false;    ///< GatherGemmParams::segments, and RowLists::tile_order
  bool takes_work_tiles = false;  ///< GatherGemmParams::work_tiles instead of a block per tile
  bool takes_groups = false;      ///< GatherGemmParams::groups
  /// Why its kernels cannot do groups where they can do one: "takes ...".
  const char* groups_reason = "takes one group of channels";
  bool takes_halos = false;  ///< GatherGemmParams::halos instead of tile lists
  /// Of those: expected microseconds of a pass.
  double (*halo_us)(int index, const RowWork& work) = nullptr;
  /// Why its kernels cannot do what no unsupported() speaks of: "takes ...".
  const char* unsupported_reason =
      "is no part of this algorithm, or has no room for so much on this device";
  /// GatherGemmParams::semaphores and atomic, by which segments need one partial alone, for tiles
  /// of so many columns; 0: none.
  int semaphores_from_columns = 0;
  /// Of passes over pair tiles (maps/pairs/pair_tiles.h). Asked only where the kernel can do the
  /// work; null: the family takes none.
  Adds (*adds_pairs)(int index, const RowWork& work) = nullptr;
  /// Architectures from which on newer families have better kernels, and these are taken by their
  /// names alone; 0: none.
  int by_name_from = 0;
  /// Floats per weight that each launch first makes in GatherGemmParams::prepared; null: none.
  int (*prepared_floats)(Dtype dtype) = nullptr;
  int prepares(Dtype dtype) const { return prepared_floats ? prepared_floats(dtype) : 0; }
};

/// The families of this build. The last one runs everywhere.
std::span<const RowFamily> row_families();

struct RowKernel {
  const RowFamily* family = nullptr;
  int index = 0;   ///< into family->variants
  int blocks = 1;  ///< per multiprocessor
  const KernelVariant& variant() const { return family->variants[static_cast<size_t>(index)]; }
  bool adds_to_memory() const {
    return family->semaphores_from_columns > 0 &&
           variant().tile_n >= family->semaphores_from_columns;
  }
};

/// The kernels of this device that can do the work, those expected to be fastest first. What runs
/// everywhere is slow: it is there only for want of others.
std::vector<RowKernel> rank_row_kernels(const RowWork& work);

/// `chosen`, unless null, where it can do the work, else the first of rank_row_kernels(), which it
/// does without ranking: each step of a layer asks several times.
RowKernel choose_row_kernel(const RowWork& work, const KernelVariant* chosen = nullptr);

inline constexpr int kMostRowSlices = 64;
/// Groups of channels: they are the z of a grid.
inline constexpr int kMostGroups = 65535;

/// Slices for each tile of a split-K pass: at least 2 where there are as many steps. The workspace
/// stays below that of kMostRowSlices.
int choose_row_split(const RowKernel& kernel, const RowWork& work);

/// Nothing, or why a variant cannot do the work on this device.
std::optional<std::string> unsupported(const RowWork& work, const KernelVariant& variant);

/// Whether this device has a kernel for the work that adds_to_memory(): `chosen`, unless null.
bool has_adding_kernel(RowWork work, const KernelVariant* chosen);
/// The same of one whose family takes_segments.
bool has_segmented_kernel(const RowWork& work, const KernelVariant* chosen);

}  // namespace spb::plans
