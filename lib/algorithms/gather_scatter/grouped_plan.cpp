// SPDX-License-Identifier: Apache-2.0
// All pairs' rows are gathered, offset by offset, into one matrix; one call of a library multiplies
// those of each offset by its weights; then each output row's products are added up in the order of
// offsets. wgrad gathers both sides, and the products are the gradients.
// An offset's rows begin at a multiple of kRowsApart and end in rows of zeros up to the next.
// Workspace: the gathered rows of all offsets, and their products as outputs are stored: of 16 bits
// each is rounded once before it is added, which the arithmetic class says.
#include "algorithms/gather_scatter/grouped_plan.h"

#include <cstddef>
#include <span>

#include "algorithms/common/gemm_plan.h"
#include "kernels/common/addresses.h"
#include "kernels/common/sum_positions.h"
#include "maps/download.h"
#include "maps/pairs/pair_tiles.h"

namespace spb::plans {
namespace {

/// So that matrices are aligned, whatever the channels, and depths of wgrad are multiples of 64, of
/// which cuBLAS leaves none out.
constexpr int kRowsApart = 64;

class GroupedProductsPlan final : public GemmPlan {
 public:
  GroupedProductsPlan(const Case& of, const KernelVariant& variant, const maps::Maps& maps,
                      maps::BuildContext context)
      : GemmPlan(of, maps, context),
        is_wgrad_(problem_.direction == Direction::wgrad),
        writes_inputs_(problem_.direction == Direction::dgrad),
        tiles_(maps::build_pair_tiles(*maps.pairs,
                                      is_transposed(problem_.geometry.kind) != writes_inputs_,
                                      kRowsApart, context)) {
    const auto rows_of = [&](int channels) {
      return gpu::Buffer<std::byte>(context.allocator, positions() * channels * element_bytes(),
                                    gpu::Tag::workspace);
    };
    if (reads_in()) gathered_in_ = rows_of(problem_.c_in);
    if (reads_gout()) gathered_gout_ = rows_of(problem_.c_out);
    if (!is_wgrad_) {
      products_ = rows_of(view().n);
      table_ = maps::position_table(tiles_, view().m, context);
      allocate_weights(context);
    }
    list_products(*maps.pairs, context);
    description_.kernel = variant.name;
    description_.params_json = "{\"products\":" + std::to_string(sizes_.size()) + "}";
    description_.executed_macs =
        executed_macs(problem_, is_wgrad_ ? positions() : maps.pairs->n_pairs());
    if (!is_wgrad_ && is_rounded()) description_.arithmetic.partials = problem_.dtype;
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    const int32_t *written = tiles_.lists.order.data(), *read = tiles_.lists.tile_index.data();
    if (reads_in())
      gather_rows(copy(), operands.in, writes_inputs_ ? written : read, positions(), problem_.c_in,
                  gathered_in_.data(), stream);
    if (reads_gout())
      gather_rows(copy(), operands.gout, writes_inputs_ ? read : written, positions(),
                  problem_.c_out, gathered_gout_.data(), stream);
    if (is_wgrad_)
      run_wgrad(operands, stream);
    else
      run_rows(operands, stream);
  }

  MapSet map(const gpu::Stream& stream) const override {
    GatherMap sides(problem_);
    sides.mirrored = false;  // pairs are stored by the offset of their weights
    return map_set(maps::download_pairs(tiles_.lists, stream), sides, stream);
  }

 private:
  GemmView view() const { return gemm_view(problem_, size()); }
  int64_t positions() const { return tiles_.lists.n_rows; }
  bool reads_in() const { return !writes_inputs_; }
  bool reads_gout() const { return is_wgrad_ || writes_inputs_; }
  bool is_rounded() const { return element_bytes() != sizeof(float); }

  /// A product for each offset that has pairs: its size, the place of its weights, and where the
  /// plan's own matrices of it begin.
  void list_products(const maps::KernelMap& pairs, maps::BuildContext context) {
    std::vector<int64_t> weights;
    std::vector<const void*> in, gout;
    std::vector<void*> products;
    const auto at = [&](gpu::Buffer<std::byte>& rows, int64_t first, int channels) {
      return rows.data() + first * channels * element_bytes();
    };
    for (size_t o = 0; o + 1 < tiles_.tile_begin.size(); ++o) {
      const int64_t count = pairs.offset_begin_host[o + 1] - pairs.offset_begin_host[o];
      if (count == 0) continue;
      const int64_t first = tiles_.tile_begin[o] * kRowsApart;
      const int64_t end = tiles_.tile_begin[o + 1] * kRowsApart;
      weights.push_back(static_cast<int64_t>(o) * problem_.c_in * element_bytes());
      if (reads_in()) in.push_back(at(gathered_in_, first, problem_.c_in));
      if (reads_gout()) gout.push_back(at(gathered_gout_, first, problem_.c_out));
      if (is_wgrad_) {
        sizes_.push_back({problem_.c_out, problem_.c_in, end - first});
      } else {
        sizes_.push_back({count, view().n, view().k});
        products.push_back(at(products_, first, view().n));
      }
    }
    const auto send = [&](const auto& list, gpu::Tag tag) {
      gpu::Buffer<typename std::decay_t<decltype(list)>::value_type> buffer(
          context.allocator, static_cast<int64_t>(list.size()), tag);
      buffer.send(list, context.stream);
      return buffer;
    };
    weight_places_ = send(weights, gpu::Tag::plan);
    in_ = send(in, gpu::Tag::plan);
    gout_ = send(gout, gpu::Tag::plan);
    listed_products_ = send(products, gpu::Tag::plan);
    of_weights_ = gpu::Buffer<void*>(context.allocator, weight_places_.size(), gpu::Tag::workspace);
  }

  /// The address of each product's weights, or of their gradients.
  void* const* list_weights(const void* weights, const gpu::Stream& stream) {
    list_addresses(weights, weight_places_.data(), weight_places_.size(), of_weights_.data(),
                   stream);
    return of_weights_.data();
  }

  void run_rows(const Operands& operands, const gpu::Stream& stream) {
    const GemmView of = view();
    void* const* weights = list_weights(weights_for_products(operands.weights, stream), stream);
    multiply_grouped(sizes_, {of.transposed ? gout_.data() : in_.data(), of.k, false},
                     {weights, weight_row_pitch(problem_), !of.transposed}, listed_products_.data(),
                     of.n, stream);
    sum_positions(problem_.dtype, products_.data(), is_rounded(), table_.data(), of.m,
                  problem_.kernel_volume(), of.n, epilogue_of(operands), operands.target(of),
                  stream);
  }

  void run_wgrad(const Operands& operands, const gpu::Stream& stream) {
    // Of offsets without pairs, which have no product.
    if (std::ssize(sizes_) < problem_.kernel_volume())
      gpu::fill_bytes(operands.gw, 0, weight_count(problem_) * element_bytes(), stream);
    multiply_grouped(sizes_, {gout_.data(), problem_.c_out, true},
                     {in_.data(), problem_.c_in, false}, list_weights(operands.gw, stream),
                     weight_row_pitch(problem_), stream);
    run_bias_gradient(problem_.dtype, operands, stream);
  }

  const bool is_wgrad_, writes_inputs_;
  maps::PairTiles tiles_;
  std::vector<gpu::GemmSize> sizes_;    // of each product, and below what it multiplies and writes
  gpu::Buffer<int64_t> weight_places_;  // bytes from the first weight
  gpu::Buffer<const void*> in_, gout_;
  gpu::Buffer<void*> listed_products_, of_weights_;
  gpu::Buffer<std::byte> gathered_in_, gathered_gout_, products_;  // [positions, channels]
  gpu::Buffer<int32_t> table_;                                     // [rows, kernel_volume]
};

}  // namespace

std::optional<std::string> unsupported_grouped_products(const Problem& problem,
                                                        const KernelVariant& variant) {
  const std::string kernel = std::string("kernel ") + variant.name + ' ';
  if (const auto reason = gpu::gemm_grouped_unsupported()) return kernel + *reason;
  if (info(problem.dtype).is_integer())
    return kernel + "multiplies floats; cuBLAS has no products of several sizes in " +
           info(problem.dtype).name;
  const int multiple =
      gpu::gemm_grouped_alignment(problem.dtype) / info(problem.dtype).input().bytes;
  if (problem.c_in % multiple == 0) return {};
  return kernel + "needs c_in in " + (multiple == 8 ? "eights" : "fours") + " for " +
         info(problem.dtype).name + ": each offset's weights must begin at a multiple of 16 bytes";
}

std::unique_ptr<Plan> plan_grouped_products(const Case& of, const KernelVariant& variant,
                                            const maps::Maps& maps, maps::BuildContext context) {
  return std::make_unique<GroupedProductsPlan>(of, variant, maps, context);
}

}  // namespace spb::plans
