// SPDX-License-Identifier: Apache-2.0
#include "run/case_data.h"

#include <gtest/gtest.h>

#include "data/generate.h"

namespace spb::run {
namespace {

TEST(CaseData, KeepsTheMapOfOneGeometry) {
  CaseData data("sphere:8", data::generate("sphere:8"));
  const ConvGeometry subm;
  const ConvGeometry strided{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
  EXPECT_EQ(data.reference_map(subm).triples.size(), 2544u);
  const MapSet* first = &data.reference_map(subm);
  EXPECT_EQ(first, &data.reference_map(subm));
  const std::string hash = data.map_hash(subm);
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_NE(data.map_hash(strided), hash);
  EXPECT_LT(data.reference_map(strided).out_coords.size(), 192u);
  EXPECT_EQ(data.map_hash(subm), hash);
}

TEST(CaseData, KeepsExpectationsOfOneProblem) {
  CaseData data("sphere:8", data::generate("sphere:8"));
  ExpectationRequest request{.problem = {}, .fill = verify::Fill::relu, .seed = 3};
  const auto first = data.expectation(request);
  EXPECT_EQ(first, data.expectation(request));
  request.seed = 4;
  EXPECT_NE(data.expectation(request)->operands.in, first->operands.in);
  request.seed = 3;
  EXPECT_EQ(first, data.expectation(request));
  request.problem.c_out = 5;
  EXPECT_EQ(data.expectation(request)->result.main.cols, 5);
  EXPECT_EQ(first.use_count(), 1);  // let go with its problem, and still here
  EXPECT_EQ(first->result.main.cols, 16);
}

TEST(CaseData, OperandsAreDrawnAgainWhereMemoryIsShort) {
  const VoxelSet voxels = data::generate("sphere:8");
  const MapSet map = reference::build_map(voxels, {});
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    ExpectationRequest request{
        .problem = {.geometry = {}, .c_in = 32, .c_out = 8, .direction = direction},
        .fill = verify::Fill::wide_b,
        .exact = true,
        .sampled = true,
        .sample_macs = 1};
    constexpr size_t kRequests = 5;
    std::vector<Expectation> right;
    int64_t all_bytes = 0, operand_bytes = 0;
    for (request.seed = 0; request.seed < kRequests; ++request.seed) {
      right.push_back(expect(request, voxels, map));
      right.back().exact_sums(map, 192);
      Expectation without = right.back();
      without.drop_operands();
      all_bytes += right.back().bytes();
      operand_bytes += right.back().bytes() - without.bytes();
    }
    CaseData data("sphere:8", voxels, all_bytes - operand_bytes / 2);
    std::vector<const Expectation*> seen(kRequests);
    int drawn_again = 0;
    for (int pass = 0; pass < 3; ++pass)
      for (request.seed = 0; request.seed < kRequests; ++request.seed) {
        const Expectation*& before = seen[request.seed];
        drawn_again += before && !before->has_operands();
        const auto e = data.expectation(request);
        EXPECT_TRUE(!before || before == e.get()) << "computed again";
        before = e.get();
        const Expectation& wanted = right[request.seed];
        EXPECT_EQ(e->operands.in, wanted.operands.in);
        EXPECT_EQ(e->operands.gout, wanted.operands.gout);
        EXPECT_EQ(e->operands.weights, wanted.operands.weights);
        EXPECT_EQ(e->operands.bias, wanted.operands.bias);
        EXPECT_EQ(e->exact_sums(map, 192).want, wanted.exact_sums(map, 192).want);
      }
    EXPECT_GT(drawn_again, 0);
    const auto held = data.expectation(request = right[0].request);
    for (const Expectation& other : right) data.expectation(other.request);
    EXPECT_TRUE(held->has_operands()) << "taken from who uses them";
  }
}

TEST(CaseData, RowsOfASampleAreThoseOfItsRequest) {
  const VoxelSet voxels = data::generate("sphere:16");
  const MapSet map = reference::build_map(voxels, {});
  CaseData data("sphere:16", voxels);
  ExpectationRequest request{.problem = {}, .sampled = true, .sample_macs = 1};
  for (request.seed = 1; request.seed < 3; ++request.seed)
    for (request.sample_size.least_rows = 32; request.sample_size.least_rows < 34;
         ++request.sample_size.least_rows) {
      const auto rows = verify::sample_rows(request.problem, voxels, map, request.sample_macs,
                                            request.seed, request.sample_size);
      for (const verify::Fill fill :
           {verify::Fill::relu, verify::Fill::small, verify::Fill::wide_a}) {
        request.fill = fill;
        EXPECT_EQ(data.expectation(request)->rows, rows);
      }
    }
  request.drawn_only = true;
  EXPECT_TRUE(data.expectation(request)->rows.empty());
}

TEST(CaseData, HashesTriplesOfTheMapThatItHas) {
  const VoxelSet voxels = data::generate("sphere:8");
  const ConvGeometry strided{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
  CaseData data("sphere:8", voxels);
  for (const ConvGeometry& geometry : {ConvGeometry{}, strided, ConvGeometry{}})
    EXPECT_EQ(data.triples_hash(geometry),
              verify::multiset_hash(reference::build_map(voxels, geometry).triples));
}

TEST(CaseData, OperandsAloneHaveNoResult) {
  CaseData data("sphere:8", data::generate("sphere:8"));
  const auto drawn =
      data.expectation({.problem = {}, .fill = verify::Fill::relu, .drawn_only = true, .seed = 3});
  EXPECT_EQ(drawn->operands.in.size(), 192u * 16);
  EXPECT_TRUE(drawn->result.main.value.empty());
  const auto& map = data.reference_map({});
  EXPECT_EQ(drawn->bounded_sums(map, 192).terms.size(), 192u);
}

TEST(CaseData, RemembersWhatIsDone) {
  CaseData data("", {});
  EXPECT_FALSE(data.is_done("a"));
  data.set_done("a");
  EXPECT_TRUE(data.is_done("a"));
  EXPECT_FALSE(data.is_done("b"));
}

}  // namespace
}  // namespace spb::run
