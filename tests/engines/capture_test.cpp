// SPDX-License-Identifier: Apache-2.0
// run() of every algorithm, direction and dtype: allocates nothing, and on a device a captured
// graph of it computes the same bits.
#include <gtest/gtest.h>
#include <string>
#include <tuple>

#include "algorithms/named.h"
#include "data/generate.h"
#include "engines/native/session.h"
#include "gpu/device_info.h"
#include "gpu/graph.h"
#include "verify/verify.h"

namespace spb::engines {
namespace {

using Case = std::tuple<Algorithm, Direction, Dtype, int>;  // the last: c_in

class Capture : public testing::TestWithParam<Case> {};

TEST_P(Capture, GraphGivesTheBitsOfAPlainRunAndRunAllocatesNothing) {
  const auto& [algorithm, direction, dtype, c_in] = GetParam();
  const Problem problem = taken_by(
      algorithm,
      {.geometry = {}, .c_in = c_in, .c_out = 2 * c_in, .dtype = dtype, .direction = direction});
  if (const auto reason = algorithm.unsupported(problem)) GTEST_SKIP() << *reason;
  const VoxelSet voxels = data::generate("sphere:16");
  Session session(algorithm, problem, voxels, true);
  // Small integers: also sums in any order give the same bits.
  const auto [n_in, n_out] = session.plan->size();
  session.operands.upload(verify::fill_operands(problem, n_in, n_out, verify::Fill::small, 0, 3),
                          session.stream);
  const auto poison = [&](uint8_t byte) {
    for (const gpu::Tag tag : {gpu::Tag::output, gpu::Tag::workspace})
      session.allocator.poison(tag, byte, session.stream);
  };

  poison(0xFF);
  const int64_t allocations = session.allocator.counts().allocations;
  session.run();
  EXPECT_EQ(session.allocator.counts().allocations, allocations);
  const OutputBits plain = session.operands.download(session.stream);

  const auto graph = gpu::Graph::capture(
      session.stream, [&] { session.plan->run(session.operands.pointers(), session.stream); });
  if (gpu::on_host()) {
    EXPECT_FALSE(graph);
    return;
  }
  ASSERT_TRUE(graph) << "run() cannot be captured";
  for (const uint8_t byte : {uint8_t{0x00}, uint8_t{0xFF}}) {
    poison(byte);
    graph->launch(session.stream);
    session.stream.synchronize();
    EXPECT_TRUE(same_bits(plain, session.operands.download(session.stream)));
  }
}

constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};
constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::tf32x3};

std::string case_name(const testing::TestParamInfo<Case>& info_of_case) {
  const auto& [algorithm, direction, dtype, c_in] = info_of_case.param;
  return std::string(algorithm.name) + "_" + name(direction) + "_" + info(dtype).name + "_c" +
         std::to_string(c_in);
}

INSTANTIATE_TEST_SUITE_P(All, Capture,
                         testing::Combine(testing::ValuesIn(algorithms().begin(),
                                                            algorithms().end()),
                                          testing::ValuesIn(kDirections),
                                          testing::ValuesIn(kDtypes), testing::Values(3, 32)),
                         case_name);

/// A library's call, which may do anything on the host.
Algorithm grouped_products() {
  Algorithm row = algorithm_named("gather_scatter");
  row.choice.values["kernel"] = "cublas_grouped";
  return row;
}
INSTANTIATE_TEST_SUITE_P(GroupedProducts, Capture,
                         testing::Combine(testing::Values(grouped_products()),
                                          testing::ValuesIn(kDirections),
                                          testing::ValuesIn(kDtypes), testing::Values(3, 32)),
                         case_name);

}  // namespace
}  // namespace spb::engines
