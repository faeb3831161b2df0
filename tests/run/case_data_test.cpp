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
  const Expectation* first = &data.expectation(request);
  EXPECT_EQ(first, &data.expectation(request));
  const std::vector<float> in = first->operands.in;
  request.seed = 4;
  EXPECT_NE(data.expectation(request).operands.in, in);
  request.problem.c_out = 5;
  EXPECT_EQ(data.expectation(request).result.main.cols, 5);
}

TEST(CaseData, FirstTimeIsTrueOnce) {
  CaseData data("", {});
  EXPECT_TRUE(data.first_time("a"));
  EXPECT_FALSE(data.first_time("a"));
  EXPECT_TRUE(data.first_time("b"));
}

}  // namespace
}  // namespace spb::run
