// SPDX-License-Identifier: Apache-2.0
#include "random_problem.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/error.h"
#include "data/generate.h"
#include "data/voxelize.h"
#include "dice.h"
#include "engines/native/native.h"
#include "suite/given_choices.h"

namespace spb::mutants {
namespace {

/// Of a problem, were all offsets of all rows there.
constexpr int64_t kMostProducts = 6'000'000;
constexpr int64_t kMostRows = 600;
constexpr int64_t kFewRows = 24;  // that no layer may be too large for
constexpr int kDataDraws = 32;    // until some are neither too many nor too few for a layer

struct DataShape {
  const char* format;  ///< of a generator's arguments
  int first_low, first_high, second_low = 0, second_high = 0;
  int first_step = 1;
};
constexpr DataShape kDataShapes[] = {
    {"centered_cube:{}", 2, 6},         {"isolated:{},{}", 2, 5, 1, 6},
    {"cube:{},{}", 1, 6, 2, 4},         {"line:{},{}", 2, 300, 0, 2},
    {"plane:{},{}", 2, 20, 0, 2},       {"plane:{},{}", 2, 20, 0, 2},
    {"sphere:{}", 1, 6, 0, 0, 2},       {"sphere:{}", 1, 6, 0, 0, 2},
    {"random:{},0.{:02}", 3, 12, 1, 99}};

/// The last shape as often as all others.
std::string random_data(Dice& dice) {
  const size_t last = std::size(kDataShapes) - 1;
  const DataShape& shape = kDataShapes[std::min(last, size_t(dice.between(0, 15)))];
  const int second = shape.second_high ? dice.between(shape.second_low, shape.second_high) : 0;
  const int first = dice.between(shape.first_low, shape.first_high) * shape.first_step;
  return fmt::format(fmt::runtime(shape.format), first, second);
}

std::string random_corner(Dice& dice) {
  constexpr const char* kCorners[] = {"voxel:", "empty:", "far_keys:"};
  return dice.pick(kCorners);
}

Int3 random_sizes(Dice& dice, int low, int high) {
  Int3 sizes;
  sizes.fill(dice.between(low, high));
  if (dice.one_in(2))
    for (int32_t& size : sizes) size = dice.between(low, high);
  return sizes;
}

ConvGeometry random_geometry(Dice& dice, ConvKind kind) {
  ConvGeometry geometry;
  geometry.kind = kind;
  geometry.dilation = random_sizes(dice, 1, 2);
  if (kind == ConvKind::subm) {
    geometry.kernel_size = random_sizes(dice, 0, 2);
    for (int32_t& size : geometry.kernel_size) size = 2 * size + 1;
    return geometry;
  }
  geometry.kernel_size = random_sizes(dice, 1, 5);
  geometry.stride = random_sizes(dice, 1, 3);
  if (dice.one_in(3)) geometry.padding = random_sizes(dice, 0, 3);
  if (dice.one_in(3)) geometry.output_extent = OutputExtent::complete;
  if (kind != ConvKind::generative && dice.one_in(3)) geometry.output_rule = OutputRule::floor;
  return geometry;
}

/// Small ones, multiples of what vectors hold, and any other.
int random_channels(Dice& dice) {
  constexpr int kUsual[] = {4, 8, 16, 24, 32, 48, 64, 80};
  switch (dice.between(0, 3)) {
    case 0:
      return dice.between(1, 8);
    case 1:
      return dice.between(1, 80);
    default:
      return dice.pick(kUsual);
  }
}

void set_channels(Dice& dice, GroupKind groups, Problem& problem) {
  problem.groups = groups == GroupKind::several ? dice.between(2, 4) : 1;
  const int most = 80 / problem.groups;
  problem.c_in = problem.groups * std::min(random_channels(dice), most);
  problem.c_out = problem.groups * std::min(random_channels(dice), most);
  if (groups == GroupKind::depthwise) problem.groups = problem.c_out = problem.c_in;
}

/// A third of what bytes can do becomes theirs. Dice of their own, as below.
void draw_scaled(uint64_t seed, Problem& problem) {
  constexpr Dtype kScaled[] = {Dtype::i8, Dtype::i8_f32, Dtype::e4m3, Dtype::e4m3_f16,
                               Dtype::e4m3_bf16};
  constexpr Dtype kTrained[] = {Dtype::e4m3, Dtype::e4m3_f16, Dtype::e4m3_bf16};
  Dice dice(seed, "integers");
  if (problem.groups > 1 || !dice.one_in(3)) return;
  problem.dtype = problem.direction == Direction::fprop   ? dice.pick(kScaled)
                  : problem.direction == Direction::dgrad ? dice.pick(kTrained)
                                                          : Dtype::e4m3_bf16;
  // Of what nothing comes after.
  if (problem.dtype == Dtype::i8_f32 && !problem.bias && problem.epilogue.is_none() &&
      dice.one_in(2))
    problem.dtype = Dtype::i8_i32;
  for (int* channels : {&problem.c_in, &problem.c_out}) *channels = (*channels + 3) / 4 * 4;
}

/// Whether padding leaves a cell for what a layer makes.
bool has_cells(const Box& voxels, const ConvGeometry& geometry) {
  try {
    made_grid(voxels, geometry);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Of inputs or outputs, that are not too much work.
int64_t most_rows(const Problem& problem) {
  constexpr int kTile = 16;  // tiles multiply channels that are not there, too
  const int64_t products_of_row =
      int64_t{problem.kernel_volume()} * (problem.group_c_in() + kTile) * (problem.c_out + kTile);
  return std::min(kMostRows, kMostProducts / products_of_row);
}

/// What a layer may make of a voxel.
int64_t most_made(const ConvGeometry& geometry) {
  if (geometry.kind == ConvKind::subm || geometry.output_rule == OutputRule::floor) return 1;
  if (geometry.kind == ConvKind::generative) return geometry.kernel_volume();
  const Int3& stride = geometry.stride;
  return std::max(1, geometry.kernel_volume() / (stride[0] * stride[1] * stride[2]));
}

bool suits(const VoxelSet& voxels, int batch_copies, const Problem& problem) {
  const int64_t rows = voxels.size() * batch_copies * most_made(problem.geometry);
  return rows <= most_rows(problem) && has_cells(voxels.box, problem.geometry);
}

bool takes(const Algorithm& algorithm, const Problem& problem,
           const std::map<std::string, std::string>& knobs) {
  return !algorithm.unsupported(problem, suite::given_choices(knobs).forced);
}

/// Each on top of those before it, where the algorithm takes them together.
std::map<std::string, std::string> random_knobs(Dice& dice, const Algorithm& algorithm,
                                                const Problem& problem) {
  std::map<std::string, std::string> drawn;
  if (dice.one_in(3)) return drawn;
  for (const Knob& knob : algorithm.knobs) {
    const std::vector<std::string> values = claimed_values(algorithm, knob, problem);
    if (values.empty() || dice.one_in(2)) continue;
    auto more = drawn;
    more[knob.name] = dice.pick(values);
    if (takes(algorithm, problem, more)) drawn = std::move(more);
  }
  return drawn;
}

/// Of fprop; half of them have none. Dice of their own leave the other draws as they were.
Epilogue random_epilogue(uint64_t seed, Direction direction) {
  constexpr const char* kEpilogues[] = {"relu",     "leaky_relu",      "hswish",
                                        "residual", "residual+hswish", "residual+relu"};
  Dice dice(seed, "epilogue");
  if (direction != Direction::fprop || dice.one_in(2)) return {};
  return parse_epilogue(dice.pick(kEpilogues), "random problem");
}

std::string random_map_variant(Dice& dice, const ConvGeometry& geometry) {
  const maps::MapVariant& variant = dice.pick(maps::map_variants());
  return dice.one_in(2) || maps::unsupported(variant, geometry) ? "" : variant.name;
}

}  // namespace

config::CaseSpec random_problem(uint64_t seed) {
  constexpr GroupKind kGroups[] = {GroupKind::one, GroupKind::one,       GroupKind::one,
                                   GroupKind::one, GroupKind::one,       GroupKind::one,
                                   GroupKind::one, GroupKind::depthwise, GroupKind::several};
  Dice dice(seed, "problem");
  config::CaseSpec spec;
  Problem& problem = spec.problem;
  spec.seed = seed;
  spec.row_order = data::name(static_cast<data::VoxelOrder>(dice.between(0, 3)));
  spec.batch_copies = dice.one_in(2) ? dice.between(2, 4) : 1;
  problem.dtype = dice.pick(float_dtypes()).dtype;
  problem.direction = static_cast<Direction>(dice.between(0, 2));
  problem.bias = dice.one_in(2);
  problem.epilogue = random_epilogue(seed, problem.direction);
  const auto kind = static_cast<ConvKind>(dice.between(0, 3));
  const GroupKind groups = dice.pick(kGroups);
  const bool is_corner = dice.one_in(20);
  for (;;) {
    problem.geometry = random_geometry(dice, kind);
    set_channels(dice, groups, problem);
    draw_scaled(seed, problem);
    if (invalid(problem) || most_rows(problem) < kFewRows) continue;
    for (int i = 0; i < kDataDraws; ++i) {
      spec.dataset = is_corner ? random_corner(dice) : random_data(dice);
      if (suits(data::generate(spec.dataset, seed), spec.batch_copies, problem)) return spec;
    }
  }
}

std::vector<std::string> claimed_values(const Algorithm& algorithm, const Knob& knob,
                                        const Problem& problem) {
  constexpr int kMostNumber = 6;
  std::vector<std::string> values;
  if (knob.words) values = knob.words();
  for (int number = 1; number <= std::min(knob.most, kMostNumber); ++number)
    values.push_back(std::to_string(number));
  std::erase_if(values, [&](const std::string& value) {
    return !takes(algorithm, problem, {{knob.name, value}});
  });
  return values;
}

RandomCase random_case(const config::CaseSpec& problem, const Algorithm& algorithm) {
  Dice dice(problem.seed, algorithm.name);
  RandomCase drawn{problem};
  drawn.spec.algorithm = algorithm.name;
  drawn.spec.map_variant = random_map_variant(dice, problem.problem.geometry);
  drawn.knobs = random_knobs(dice, algorithm, problem.problem);
  drawn.is_claimed = takes(algorithm, problem.problem, drawn.knobs);
  return drawn;
}

}  // namespace spb::mutants
