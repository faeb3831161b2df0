// SPDX-License-Identifier: Apache-2.0
// Which problems the compiled kernels can do.
#pragma once

#include <optional>
#include <string>

#include "core/tensors.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/kernel_variants.h"
#include "kernels/wgrad/tiles.h"
#include "maps/maps.h"

namespace spb::plans {

/// Bytes are multiplied along neighbors alone: dgrad of them turns its weights first, which the
/// implicit algorithms alone do.
bool turns_weights(const Problem& problem);

/// fprop or dgrad of maps of this size, where it is known.
RowWork row_work(const Problem& problem, bool masked, bool split_k, const MapSize& size = {});

/// Whether the problem is of the kind that halos were measured with: submanifold, 3 x 3 x 3.
/// Elsewhere they share fewer rows or take more rounds, and are tried by tune alone.
bool suits_halos(const Problem& problem);

/// Whether slots of halos can name so many rows, of either side.
bool halos_name(int64_t n_in, int64_t n_out);

/// Nothing, or why a variant cannot do an fprop or dgrad problem with rows in this order, if any is
/// asked for.
std::optional<std::string> unsupported_row_variant(const Problem& problem, bool masked,
                                                   bool split_k,
                                                   std::optional<maps::RowOrder> order,
                                                   const KernelVariant& variant);

/// Whether this device has a kernel for the problem that adds_to_memory(): `chosen`, unless null.
bool has_adding_row_kernel(const Problem& problem, const KernelVariant* chosen);
/// The same of one whose family takes_segments.
bool has_segmented_row_kernel(const Problem& problem, const KernelVariant* chosen);

/// The dtype that multiplies in wgrad: e4m3_bf16 is widened, others stay.
Dtype multiplied_in_wgrad(Dtype dtype);
/// wgrad on this device, of rows yet unknown. `halos`: instead of lists, where kernels read them.
WgradTask wgrad_task(const Problem& problem, bool masked, bool split_k, bool halos);

/// Whether masked_implicit_gemm's wgrad of it is by halos, and was measured so (suits_halos()).
bool wgrad_reads_halos(const Problem& problem);
/// Where wgrad is faster by halos than by pair lists that are cut, and it alone reads them: blocks
/// write all weights. H200 records wgrad-halos, wgrad-halos-64 and scans-steps-halos.
struct HalosPay {
  int64_t least_rows = 0;
  bool of_surfaces = false;  ///< of those alone: surface_share() of 1 and more
};
/// Of so many channels, the more of both sides. Nothing: nowhere.
std::optional<HalosPay> halos_pay(int channels);
/// Whether a problem is one of these, and a kernel that reads halos takes it. `box`: of the rows.
bool wgrad_pays_by_halos(const Problem& problem, int64_t rows, const Box& box);
/// Whether its other directions are by halos, too, however few rows there are.
bool layer_reads_halos(const Problem& wgrad);
/// Whether it is a kernel of wgrad by halos.
bool is_halo_wgrad(const KernelVariant& variant);

/// Nothing, or why a variant cannot do a wgrad problem.
std::optional<std::string> unsupported_wgrad_variant(const Problem& problem, bool masked,
                                                     bool halos, const KernelVariant& variant);

}  // namespace spb::plans
