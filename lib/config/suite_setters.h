// SPDX-License-Identifier: Apache-2.0
// How the words of an option become what a suite plans: the setters of the table in
// suite_options.cpp. Errors (usage) name `where` the words stood.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/suite_options.h"

namespace spb::config {

using Values = std::span<const std::string>;
using Where = std::string_view;

std::string joined(Values values);
const std::string& only(Values values, Where where);
void set_directions(SuiteOptions& options, Values values, Where where);
void set_dtypes(SuiteOptions& options, Values values, Where where);
void set_datasets(Shapes& shapes, Values values, Where where);
void set_voxel_size(Shapes& shapes, Values values, Where where);
void set_resolution(Shapes& shapes, Values values, Where where);
void set_conv_kinds(Shapes& shapes, Values values, Where where);
void set_paddings(Shapes& shapes, Values values, Where where);
void set_output_rules(Shapes& shapes, Values values, Where where);
void set_output_extents(Shapes& shapes, Values values, Where where);
void set_groups(Shapes& shapes, Values values, Where where);
void set_epilogues(SuiteOptions& options, Values values, Where where);
void set_map_variants(SuiteOptions& options, Values values, Where where);

}  // namespace spb::config
