// SPDX-License-Identifier: Apache-2.0
// The options that select cases, as one table for the command line and for suite files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/case_spec.h"
#include "config/lists.h"
#include "core/columns.h"
#include "core/problem.h"
#include "core/voxel_grid.h"

namespace spb::config {

/// Problems without dtype and direction: the cross product of its lists.
struct Shapes {
  std::vector<std::string> datasets;
  std::optional<VoxelSize> voxel_size;
  std::optional<int> resolution;
  std::optional<CropRange> range;
  Frame frame = Frame::cartesian;
  std::vector<int> batch_copies{1};
  std::vector<Channels> channels{{16, 32}};
  std::vector<std::optional<int>> groups{1};  ///< nothing: depthwise, as many as channels
  std::vector<Int3> kernel_sizes{{3, 3, 3}};
  std::vector<Int3> strides{{1, 1, 1}};
  std::vector<Int3> dilations{{1, 1, 1}};
  std::vector<std::optional<Int3>> paddings{std::nullopt};
  std::vector<OutputRule> output_rules{OutputRule::reached};
  std::vector<OutputExtent> output_extents{OutputExtent::box};
  std::vector<ConvKind> conv_kinds;  ///< empty: submanifold for stride 1, strided for any other
};

/// Everything that selects cases: several blocks of shapes x algorithms x directions x dtypes.
struct SuiteOptions {
  std::vector<Shapes> shapes{Shapes{}};
  std::vector<std::string> algorithms{"all"};
  std::vector<Direction> directions{Direction::fprop, Direction::dgrad, Direction::wgrad};
  std::vector<Dtype> dtypes{Dtype::f32};
  std::vector<Epilogue> epilogues{Epilogue{}};
  std::vector<std::string> row_orders{"file"};
  std::vector<std::string> map_variants{""};  ///< empty: the usual one
  bool bias = true;
  uint64_t seed = 0;
};

/// What an option belongs to: some commands take only a part of them.
enum class Part { data, problem, suite };

/// One option, in all its places: "kernel_size" in a suite file, "--kernel-size" on the command
/// line, in the line that repeats a case and in a record.
struct Option {
  const char* name;
  const char* alias;    ///< a further flag; may be null
  const char* metavar;  ///< what stands for its value in --help
  const char* example;
  const char* text;
  Part part;
  std::array<ColumnName, 2> columns;  ///< of a record; the second may be none
  /// Its value in a case as the command line takes it; nothing when the case has none.
  std::optional<std::string> (*value)(const CaseSpec&);
  /// How data_id names its value; null for what full_text has elsewhere.
  std::string (*in_data_id)(const CaseSpec&);
  /// Exactly one of the two is set; values are those of one list option, not yet split at commas.
  void (*set_shapes)(Shapes&, std::span<const std::string> values, std::string_view where);
  void (*set_suite)(SuiteOptions&, std::span<const std::string> values, std::string_view where);
};

std::span<const Option> suite_options();
const Option* find_option(std::string_view name);

/// "--kernel-size", for the command line.
std::string flag(const Option& option);

/// The arguments that select this one case, not quoted: "sphere:8", "--kernel-size", "3x3x3" ...
std::vector<std::string> arguments_of(const CaseSpec& spec);

/// Sets an option in every block of shapes (the command line over a suite file). Voxel size and
/// resolution replace one another. Throws Error (usage) naming `where` for an unknown name or a
/// bad value.
void set_option(SuiteOptions& options, std::string_view name, std::span<const std::string> values,
                std::string_view where);

}  // namespace spb::config
