// SPDX-License-Identifier: Apache-2.0
#include "algorithms/implicit/plan_choice.h"

#include <string>
#include <vector>

#include "algorithms/claim.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/product_variants.h"

namespace spb::plans {
namespace {

constexpr unsigned kOfRows = claim_of(Direction::fprop, Direction::dgrad);

const std::vector<std::string>& order_names() {
  static const std::vector<std::string> kNames = maps::row_order_names();
  return kNames;
}
const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> kNames{"ordered", "atomic"};
  return kNames;
}

constexpr Knob kKernel{.name = "kernel",
                       .help = "kernel, instead of the algorithm's choice: see list kernels",
                       .column = columns::kernel,
                       .directions = kEveryDirection,
                       .words = kernel_names};
constexpr Knob kTileOrder{.name = "tile_order",
                          .help =
                              "what the rows of tiles are sorted by: none, plain, gray, "
                              "window, greedy, z",
                          .column = columns::algorithm_params,
                          .directions = kOfRows,
                          .words = order_names};
constexpr Knob kReduction{
    .name = "reduction",
    .help =
        "how segments or pairs add up: ordered, so that repeats are equal to the "
        "bit, or atomic, in the order of arrival, which few rows gain by "
        "[ordered]",
    .column = columns::algorithm_params,
    .directions = kOfRows,
    .words = reduction_names,
    .usual = "ordered"};
constexpr Knob kSplit{.name = "split",
                      .help = "slices of each tile's steps, which are added up later",
                      .column = columns::algorithm_params,
                      .directions = kOfRows,
                      .most = kMostRowSlices};
constexpr Knob kSegments{.name = "segments",
                         .help =
                             "parts of the kernel offsets, each with row orders of its own; "
                             "1: slices instead, which split_masked_implicit_gemm refuses",
                         .column = columns::algorithm_params,
                         .directions = kOfRows,
                         .most = maps::kMostSegments};

constexpr Knob kPlain[] = {kKernel};
constexpr Knob kSplitK[] = {kKernel, kSplit};
constexpr Knob kMasked[] = {kKernel, kTileOrder};
constexpr Knob kSegmented[] = {kKernel, kTileOrder, kReduction, kSegments};
constexpr Knob kMaskedSplitK[] = {kKernel, kTileOrder, kReduction, kSplit, kSegments};

}  // namespace

std::span<const Knob> implicit_knobs(const ImplicitOptions& options) {
  if (options.segmented) return kSegmented;
  if (options.masked) return options.split_k ? std::span<const Knob>(kMaskedSplitK) : kMasked;
  return options.split_k ? std::span<const Knob>(kSplitK) : kPlain;
}

std::span<const Knob> pair_knobs(bool reduces) {
  static constexpr Knob kReducing[] = {kKernel, kReduction};
  return reduces ? std::span<const Knob>(kReducing) : kPlain;
}

PlanChoice read(const Choice& choice) {
  PlanChoice read;
  if (const std::string* kernel = choice.find(kKernel.name))
    read.variant = &known_variant(*kernel, kKernel.name);
  read.split = choice.number(kSplit.name);
  read.segments = choice.number(kSegments.name);
  if (const std::string* order = choice.find(kTileOrder.name))
    // NOLINTNEXTLINE(bugprone-optional-value-conversion): throws for a name that none has
    read.order = maps::find_row_order(*order).value();
  const std::string* reduction = choice.find(kReduction.name);
  read.atomic = reduction && *reduction == "atomic";
  return read;
}

Choice to_choice(const PlanChoice& choice) {
  Choice written;
  if (choice.variant) written.values[kKernel.name] = choice.variant->name;
  if (choice.order) written.values[kTileOrder.name] = maps::name(*choice.order);
  if (choice.atomic) written.values[kReduction.name] = "atomic";
  if (choice.split) written.values[kSplit.name] = std::to_string(*choice.split);
  if (choice.segments) written.values[kSegments.name] = std::to_string(*choice.segments);
  return written;
}

}  // namespace spb::plans
