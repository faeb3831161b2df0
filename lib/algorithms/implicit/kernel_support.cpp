// SPDX-License-Identifier: Apache-2.0
#include "algorithms/implicit/kernel_support.h"

#include <algorithm>
#include <string_view>

#include "gpu/mma/matrix_cores_in_use.h"
#include "kernels/schedule/lists.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/halo/places.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {
bool turns_weights(const Problem& problem) {
  return problem.direction == Direction::dgrad && info(problem.dtype).is_scaled();
}

RowWork row_work(const Problem& problem, bool masked, bool split_k, const MapSize& size) {
  const GemmView view = gemm_view(problem, size);
  return {.dtype = kernel_dtype(problem.dtype),
          .transposed = view.transposed && !turns_weights(problem),
          .rows = view.m,
          .depth = view.k,
          .columns = view.n,
          .offsets = static_cast<double>(problem.kernel_volume()),
          .split_k = split_k,
          .masked = masked,
          .groups = view.groups};
}

bool suits_halos(const Problem& problem) {
  return problem.geometry.kind == ConvKind::subm && problem.geometry.kernel_size == Int3{3, 3, 3};
}

bool halos_name(int64_t n_in, int64_t n_out) {
  return std::max(n_in, n_out) <= maps::HaloLists::kMostRows;
}

std::optional<std::string> unsupported_row_variant(const Problem& problem, bool masked,
                                                   bool split_k,
                                                   std::optional<maps::RowOrder> order,
                                                   const KernelVariant& variant) {
  RowWork work = row_work(problem, masked, split_k);
  work.along_z = may_be_along_z(order);
  return unsupported(work, variant);
}

bool has_adding_row_kernel(const Problem& problem, const KernelVariant* chosen) {
  return has_adding_kernel(row_work(problem, true, true), chosen);
}

bool has_segmented_row_kernel(const Problem& problem, const KernelVariant* chosen) {
  return has_segmented_kernel(row_work(problem, true, true), chosen);
}

Dtype multiplied_in_wgrad(Dtype dtype) { return dtype == Dtype::e4m3_bf16 ? Dtype::bf16 : dtype; }

WgradTask wgrad_task(const Problem& problem, bool masked, bool split_k, bool halos) {
  return {.dtype = multiplied_in_wgrad(problem.dtype),
          .c_out = problem.group_c_out(),
          .c_in = problem.group_c_in(),
          .kernel_volume = problem.kernel_volume(),
          .masked = masked,
          .split = split_k,
          .architecture = architecture(),
          .multiprocessors = multiprocessors(),
          .has_offset_groups = !is_transposed(problem.geometry.kind),
          .groups = problem.groups,
          .matrix_cores = gpu::matrix_cores_in_use(),
          .halos = halos && masked && !split_k &&
                   problem.kernel_volume() <= HaloWgradPlaces::kMostOffsets &&
                   multiplied_in_wgrad(problem.dtype) == problem.dtype};
}

bool wgrad_reads_halos(const Problem& problem) {
  const WgradTask task = wgrad_task(problem, true, false, true);
  return suits_halos(problem) && !rank_wgrad_tiles(task).empty() &&
         kWgradTiles[choose_wgrad_tile(task)].halos;
}

std::optional<HalosPay> halos_pay(int channels) {
  // Scans lose nothing with 32 channels; with 64 an eighth to a fourth of a step, however many lie
  // in a batch.
  struct {
    int channels;
    HalosPay pay;
  } constexpr kPay[] = {{16, {}}, {32, {200'000}}, {64, {60'000, true}}};
  for (const auto& of : kPay)
    if (channels <= of.channels) return of.pay;
  return std::nullopt;
}

bool wgrad_pays_by_halos(const Problem& problem, int64_t rows, const Box& box) {
  const auto pay = halos_pay(std::max(problem.c_in, problem.c_out));
  return pay && rows >= pay->least_rows && (!pay->of_surfaces || surface_share(rows, box) >= 1) &&
         wgrad_reads_halos(problem);
}

bool layer_reads_halos(const Problem& wgrad) {
  const auto takes_halos = [&](Direction direction) {
    Problem problem = wgrad;
    problem.direction = direction;
    RowWork work = row_work(problem, true, false);
    work.rows = 1;
    return choose_row_kernel(work).family->takes_halos;
  };
  return wgrad_reads_halos(wgrad) && takes_halos(Direction::fprop) && takes_halos(Direction::dgrad);
}

bool is_halo_wgrad(const KernelVariant& variant) {
  return std::ranges::any_of(kWgradTiles, [&](const WgradTile& tile) {
    return tile.halos && std::string_view(tile.variant.name) == variant.name;
  });
}

std::optional<std::string> unsupported_wgrad_variant(const Problem& problem, bool masked,
                                                     bool halos, const KernelVariant& variant) {
  return unsupported(wgrad_task(problem, masked, false, halos), variant);
}

}  // namespace spb::plans
