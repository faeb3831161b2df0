// SPDX-License-Identifier: Apache-2.0
#include "algorithms/implicit/choices.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "algorithms/implicit/kernel_support.h"
#include "algorithms/implicit/plan_choice.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/schedule/lists.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/tiles.h"
#include "maps/orders/window.h"

namespace spb::plans {
namespace {

constexpr size_t kLikelyVariants = 4, kLikelyWgradVariants = 5, kLikelySplit = 2;

constexpr int kLikelySegments[] = {1, 2, 3, 5}, kAllSegments[] = {1, 2, 3, 4, 5, 6, 7, 8};
constexpr int kSplits[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/// About what are_sparse() of maps/pairs/offset_groups.h says, by the mean of all offsets.
bool is_sparse(const SizedProblem& sized) {
  return 3 * sized.n_pairs < sized.n_out * sized.problem.kernel_volume();
}

/// The plan's own first.
std::vector<PlanChoice> wgrad_choices(const ImplicitOptions& options, const SizedProblem& sized,
                                      ChoiceRange range) {
  WgradTask task = wgrad_task(sized.problem, options.masked, options.split_k, !options.pairs);
  task.rows = sized.n_out;
  task.shares_rows = !is_sparse(sized);
  task.halos = task.halos && halos_name(sized.n_in, sized.n_out);
  std::vector<int> tiles = rank_wgrad_tiles(task);
  if (tiles.empty()) return {};
  const auto own = std::ranges::find(tiles, choose_wgrad_tile(task));
  std::rotate(tiles.begin(), own, own + 1);
  if (range != ChoiceRange::all) tiles.resize(std::min(tiles.size(), kLikelyWgradVariants));
  std::vector<PlanChoice> choices;
  for (const int tile : tiles)
    if (const KernelVariant* variant = find_variant(kWgradTiles[tile].variant.name))
      choices.push_back({.variant = variant});
  return choices;
}

class RowChoices {
 public:
  RowChoices(const ImplicitOptions& options, const SizedProblem& sized, ChoiceRange range)
      : options_(options), sized_(sized), range_(range), all_(range == ChoiceRange::all) {}

  std::vector<PlanChoice> list() {
    RowWork segmented = work();
    segmented.segments = own_segments();
    std::vector<RowKernel> kernels = rank_row_kernels(segmented);
    if (!all_) kernels.resize(std::min(kernels.size(), kLikelyVariants));
    for (const RowKernel& kernel : kernels) add(kernel, {});
    for (const RowKernel& kernel : first(kernels, kLikelySplit)) {
      if (!options_.split_k) break;
      if (has_segments(kernel)) add_segments(kernel);
      if (!options_.segmented) add_splits(kernel);
    }
    std::erase_if(kernels, [](const RowKernel& kernel) { return kernel.family->takes_halos; });
    if (options_.masked)
      for (const RowKernel& kernel : first(kernels, 1)) add_orders(kernel);
    return std::move(choices_);
  }

 private:
  int64_t rows() const { return work().rows; }
  RowWork work() const {
    RowWork work =
        row_work(sized_.problem, options_.masked, options_.split_k, {sized_.n_in, sized_.n_out});
    work.along_z = halos_name(sized_.n_in, sized_.n_out);
    work.suits_halos = suits_halos(sized_.problem);
    return work;
  }
  /// All of them where all choices are asked for.
  std::span<const RowKernel> first(std::span<const RowKernel> kernels, size_t count) const {
    return kernels.first(all_ ? kernels.size() : std::min(count, kernels.size()));
  }
  int own_segments() const { return options_.segmented ? kUsualSegments : usual_segments(work()); }
  bool has_segments(const RowKernel& kernel) const {
    return options_.masked && (options_.segmented || kernel.family->takes_segments);
  }

  void add(const RowKernel& kernel, PlanChoice choice) {
    choice.variant = find_variant(kernel.variant().name);
    choices_.push_back(choice);
  }
  void add_segments(const RowKernel& kernel) {
    const std::span<const int> tried =
        all_ ? std::span<const int>(kAllSegments) : std::span<const int>(kLikelySegments);
    const int kernel_volume = sized_.problem.kernel_volume();
    for (const int segments : tried)
      if (segments < kernel_volume && segments != own_segments() &&
          !(options_.segmented && segments == 1))
        add(kernel, {.segments = segments});
  }
  /// Half and twice what a plan of all offsets would take, or all that leave every slice a step.
  void add_splits(const RowKernel& kernel) {
    const RowWork of_tile = work();
    const int own = choose_row_split(kernel, of_tile);
    const int64_t steps =
        sized_.problem.kernel_volume() * tiles_of(of_tile.depth, kernel.variant().tile_k);
    const std::vector<int> tried = all_ ? std::vector<int>(std::begin(kSplits), std::end(kSplits))
                                        : std::vector<int>{own / 2, 2 * own};
    for (const int split : tried) {
      if (split < 2 || split > std::min<int64_t>(steps, kMostRowSlices)) continue;
      PlanChoice choice{.split = split};
      if (has_segments(kernel)) choice.segments = 1;
      add(kernel, choice);
    }
  }
  void add_orders(const RowKernel& kernel) {
    using maps::RowOrder;
    for (const RowOrder order :
         {RowOrder::gray, RowOrder::window, RowOrder::plain, RowOrder::none, RowOrder::greedy}) {
      if (order == RowOrder::window && rows() <= maps::kWindow) continue;  // one window is gray
      if (order == usual_order(rows())) continue;
      const bool quick = order == RowOrder::gray || order == RowOrder::window;
      const bool slow = order == RowOrder::greedy && range_ == ChoiceRange::likely_for_many_runs;
      if (all_ || quick || slow) add(kernel, {.order = order});
    }
  }

  const ImplicitOptions& options_;
  const SizedProblem& sized_;
  const ChoiceRange range_;
  const bool all_;
  std::vector<PlanChoice> choices_;
};

}  // namespace

std::vector<Choice> implicit_choices(const ImplicitOptions& options, const SizedProblem& sized,
                                     ChoiceRange range) {
  const std::vector<PlanChoice> choices = sized.problem.direction == Direction::wgrad
                                              ? wgrad_choices(options, sized, range)
                                              : RowChoices(options, sized, range).list();
  std::vector<Choice> written;
  std::ranges::transform(choices, std::back_inserter(written), to_choice);
  return written;
}

}  // namespace spb::plans
