// SPDX-License-Identifier: Apache-2.0
// A layer beside the dense convolution of all cells of its box (measurement.md, section 11).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "core/problem.h"
#include "core/record.h"
#include "gpu/dense_conv.h"
#include "run/case_data.h"
#include "run/run_options.h"

namespace spb::run {

/// Of "off", "auto", "on".
DenseUse parse_dense_use(std::string_view text, std::string_view where);

/// The dense convolution with the layer's outputs on a box of voxels that has no empty cell; or why
/// there is none: the layer is transposed, has groups, or makes other outputs.
std::variant<gpu::DenseConv, std::string> dense_layer(const Problem& problem, const Box& box);

/// Its time, measured once per problem and kept in `data`. None where `use` leaves it out; why
/// there is none otherwise is reported once per voxel set.
bench::DenseConvTime dense_conv_time(const Problem& problem, CaseData& data, DenseUse use,
                                     const gpu::OpenedDenseConv& opened,
                                     const std::function<void(const std::string&)>& report);

/// Columns dense_conv_* of a row of the phase, where that has the case's work in its time.
void add_dense_conv(Record& record, Phase phase, const bench::DenseConvTime& dense);

}  // namespace spb::run
