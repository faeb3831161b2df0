// SPDX-License-Identifier: Apache-2.0
#include "run/dense_layer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "run/work.h"

namespace spb::run {
namespace {

std::string text_of(const gpu::DenseConv& c) {
  return fmt::format("{} {} {} in {} out {} kernel {} stride {} dilation {} padding {} {}:{}",
                     info(c.dtype).name, name(c.direction), c.batches, to_text(c.in),
                     to_text(c.out), to_text(c.kernel), to_text(c.stride), to_text(c.dilation),
                     to_text(c.padding), c.c_in, c.c_out);
}

}  // namespace

DenseUse parse_dense_use(std::string_view text, std::string_view where) {
  if (text == "off") return DenseUse::off;
  if (text == "auto") return DenseUse::automatic;
  if (text == "on") return DenseUse::on;
  throw usage_error(where, fmt::format("\"{}\" is unknown", text), "use on, off or auto");
}

std::variant<gpu::DenseConv, std::string> dense_layer(const Problem& problem, const Box& box) {
  const ConvGeometry& g = problem.geometry;
  if (is_transposed(g.kind)) return fmt::format("of {} layers", name(g.kind));
  if (problem.groups > 1) return std::string("of several groups of channels");
  const MadeGrid made = made_grid(box, g);
  gpu::DenseConv conv{.dtype = problem.dtype,
                      .direction = problem.direction,
                      .batches = box.batch_size,
                      .in = box.shape,
                      .out = made.box.shape,
                      .kernel = g.kernel_size,
                      .stride = g.stride,
                      .dilation = g.dilation,
                      .c_in = problem.c_in,
                      .c_out = problem.c_out};
  for (size_t a = 0; a < 3; ++a) {
    if (conv.in[a] < 1 || conv.out[a] < 1) return std::string("of a box without cells");
    const int64_t span = (g.kernel_size[a] - int64_t{1}) * g.dilation[a];
    const int64_t padding =
        g.padding ? (*g.padding)[a] : int64_t{(g.kernel_size[a] - 1) / 2} * g.dilation[a];
    const int64_t cells = conv.in[a] + 2 * padding - span;
    // Where they are as many, the first one is the same, too.
    if (cells < 1 || conv.out[a] != (cells - 1) / g.stride[a] + 1)
      return fmt::format("has the {} outputs of this layer", to_text(conv.out));
    conv.padding[a] = static_cast<int32_t>(padding);
  }
  return conv;
}

bench::DenseConvTime dense_conv_time(const Problem& problem, CaseData& data, DenseUse use,
                                     const gpu::OpenedDenseConv& opened,
                                     const std::function<void(const std::string&)>& report) {
  if (use == DenseUse::off) return {};
  if (use == DenseUse::automatic && occupancy(data.voxels()) < 1) return {};
  const auto none = [&](const std::string& why) {
    const std::string line = "warning: no dense convolution: " + why;
    if (!data.is_done(line)) report(line);
    data.set_done(line);
    return bench::DenseConvTime{0, why};
  };
  if (!opened.library && use == DenseUse::automatic && !gpu::vendor_has_dense_conv()) return {};
  if (!opened.library) return none(opened.note);
  const auto layer = dense_layer(problem, data.voxels().box);
  if (const auto* why = std::get_if<std::string>(&layer)) return none("none " + *why);
  const auto& conv = std::get<gpu::DenseConv>(layer);
  const std::string key = text_of(conv);
  auto found = data.dense_convs.find(key);
  if (found == data.dense_convs.end()) {
    data.drop_device_judge();  // a box takes many times what its voxels take
    const gpu::Stream stream;
    gpu::Allocator allocator;
    found = data.dense_convs
                .emplace(key, bench::dense_conv_time(*opened.library, conv, allocator, stream))
                .first;
  }
  return found->second.time_us > 0 ? found->second : none(key + ": " + found->second.source);
}

void add_dense_conv(Record& record, Phase phase, const bench::DenseConvTime& dense) {
  if (phase != Phase::kernel && phase != Phase::end_to_end) return;
  const auto median = record.number(columns::time_median_us);
  if (dense.time_us <= 0 || !median || *median <= 0) return;
  record[columns::dense_conv_us] = dense.time_us;
  record[columns::dense_conv_pct] = 100 * dense.time_us / *median;
  record[columns::dense_conv_source] = dense.source;
}

}  // namespace spb::run
