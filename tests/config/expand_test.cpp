// SPDX-License-Identifier: Apache-2.0
#include "config/expand.h"

#include <set>

#include "config/expect_error.h"

namespace spb::config {
namespace {

const std::vector<std::string> kNames{"explicit_gemm", "implicit_gemm", "gather_scatter"};

SuiteOptions one_sphere() {
  SuiteOptions options;
  options.shapes[0].datasets = {"sphere:8"};
  return options;
}

TEST(Expand, IsTheCrossProduct) {
  SuiteOptions options = one_sphere();
  options.shapes[0].datasets = {"sphere:8", "sphere:16"};
  options.shapes[0].channels = {{16, 32}, {64, 64}};
  options.dtypes = {Dtype::f32, Dtype::f16};
  const auto cases = expand(options, kNames);
  EXPECT_EQ(cases.size(), 2u * 2 * 2 * 3 * 3);
  std::set<std::string> ids;
  for (const CaseSpec& spec : cases) EXPECT_TRUE(ids.insert(case_id(spec)).second);
}

TEST(Expand, LoadsEachDataAndBuildsEachGeometryOnce) {
  SuiteOptions options = one_sphere();
  options.shapes.push_back(options.shapes[0]);
  options.shapes[0].kernel_sizes = {{3, 3, 3}, {5, 5, 5}};
  options.shapes[0].datasets = {"a", "b"};
  options.shapes[1].datasets = {"b", "a"};
  options.shapes[1].channels = {{64, 64}};
  options.row_orders = {"file", "z"};
  const auto cases = expand(options, kNames);
  EXPECT_EQ(cases.size(), (2u * 2 + 2) * 2 * 3 * 3);
  size_t data_changes = 0, geometry_changes = 0, algorithm_changes = 0;
  for (size_t i = 1; i < cases.size(); ++i) {
    const bool data = data_id(cases[i]) != data_id(cases[i - 1]);
    data_changes += data;
    geometry_changes += data || cases[i].problem.geometry != cases[i - 1].problem.geometry;
    algorithm_changes += cases[i].algorithm != cases[i - 1].algorithm;
  }
  EXPECT_EQ(data_changes, 3u);
  EXPECT_EQ(geometry_changes, 7u);
  EXPECT_EQ(algorithm_changes, cases.size() - 1) << "algorithms must be innermost";
}

TEST(Expand, GroupsAreNumbersOrAsManyAsChannels) {
  SuiteOptions options = one_sphere();
  const std::vector<std::string> words{"1,4,depthwise"};
  set_option(options, "groups", words, "--groups");
  set_option(options, "channels", std::vector<std::string>{"8,16"}, "--channels");
  std::set<std::pair<int, int>> found;
  for (const CaseSpec& spec : expand(options, kNames))
    found.emplace(spec.problem.c_in, spec.problem.groups);
  EXPECT_EQ(found,
            (std::set<std::pair<int, int>>{{8, 1}, {8, 4}, {8, 8}, {16, 1}, {16, 4}, {16, 16}}));
}

TEST(Expand, GroupsDivideTheChannels) {
  const auto with = [](const char* channels, const char* groups) {
    SuiteOptions options = one_sphere();
    set_option(options, "channels", std::vector<std::string>{channels}, "--channels");
    set_option(options, "groups", std::vector<std::string>{groups}, "--groups");
    return expand(options, kNames);
  };
  expect_error([&] { with("64:64", "3"); }, "channels 64:64: groups: 3 does not divide 64");
  expect_error([&] { with("16:32", "depthwise"); },
               "channels 16:32: depthwise takes as many output channels as input channels");
  EXPECT_NO_THROW(with("16:32", "16"));
}

TEST(Expand, CopiesAreDataOfTheirOwn) {
  SuiteOptions options = one_sphere();
  options.shapes[0].batch_copies = {1, 4};
  const auto cases = expand(options, kNames);
  EXPECT_EQ(cases.size(), 18u);
  EXPECT_EQ(cases.back().batch_copies, 4);
  EXPECT_NE(data_id(cases.front()), data_id(cases.back()));
}

TEST(Expand, EveryCaseOnce) {
  SuiteOptions options = one_sphere();
  options.shapes.push_back(options.shapes[0]);
  options.algorithms = {"gather_scatter", "all"};
  EXPECT_EQ(expand(options, kNames).size(), 9u);
}

TEST(Expand, AStrideMakesItStrided) {
  SuiteOptions options = one_sphere();
  options.shapes[0].strides = {{1, 1, 1}, {1, 1, 2}};
  options.directions = {Direction::fprop};
  options.algorithms = {"implicit_gemm"};
  const auto cases = expand(options, kNames);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].problem.geometry.kind, ConvKind::subm);
  EXPECT_EQ(cases[1].problem.geometry.kind, ConvKind::strided);
  options.shapes[0].strides = {{1, 1, 1}};
  options.shapes[0].conv_kinds = {ConvKind::strided};
  EXPECT_EQ(expand(options, kNames).at(0).problem.geometry.kind, ConvKind::strided);
}

TEST(Expand, CarriesWhatIsNotAList) {
  SuiteOptions options = one_sphere();
  options.shapes[0].voxel_size = 0.1;
  options.bias = false;
  options.seed = 9;
  const CaseSpec spec = expand(options, kNames).at(0);
  EXPECT_EQ(spec.voxel_size, 0.1);
  EXPECT_FALSE(spec.problem.bias);
  EXPECT_EQ(spec.seed, 9u);
}

TEST(Expand, AllLeavesOutWhatIsAskedForByName) {
  SuiteOptions options = one_sphere();
  const std::vector<std::string> by_name_only{kNames[1]};
  const auto count = [&](std::vector<std::string> words) {
    options.algorithms = std::move(words);
    std::set<std::string> names;
    for (const CaseSpec& spec : expand(options, kNames, by_name_only)) names.insert(spec.algorithm);
    EXPECT_EQ(names.contains(kNames[1]), options.algorithms.size() > 1);
    return names.size();
  };
  EXPECT_EQ(count({"all"}), kNames.size() - 1);
  EXPECT_EQ(count({"all", kNames[1]}), kNames.size());
}

TEST(Expand, MistakesAreUsageErrors) {
  SuiteOptions options = one_sphere();
  options.algorithms = {"implicit_gem"};
  expect_error([&] { expand(options, kNames); }, "did you mean \"implicit_gemm\"");
  expect_error([&] { expand(SuiteOptions(), kNames); }, "no data set");
  options = one_sphere();
  options.shapes[0].kernel_sizes = {{2, 2, 2}};
  expect_error([&] { expand(options, kNames); }, "kernel_size 2x2x2");
}

TEST(Expand, MapVariantsStandBesideTheirDefault) {
  SuiteOptions options;
  options.shapes[0].datasets = {"sphere:8"};
  options.directions = {Direction::fprop};
  set_option(options, "map_variant", std::vector<std::string>{"default,half"}, "--map-variant");
  const std::string known[] = {"gather_scatter", "implicit_gemm"};
  const std::vector<CaseSpec> cases = expand(options, known);
  std::vector<std::string> texts;
  for (const CaseSpec& spec : cases) texts.push_back(spec.algorithm + ' ' + spec.map_variant);
  EXPECT_EQ(texts, (std::vector<std::string>{"gather_scatter ", "gather_scatter half",
                                             "implicit_gemm ", "implicit_gemm half"}));
}

TEST(Expand, CountsCasesBeforeItMakesThem) {
  SuiteOptions options = one_sphere();
  options.shapes[0].strides.assign(1000, {1, 1, 1});
  options.shapes[0].dilations.assign(1000, {1, 1, 1});
  options.shapes[0].channels.assign(1000, {16, 16});
  expect_error([&] { expand(options, kNames); }, "lists span 9e+09 cases, more than 1000000");
}

TEST(Expand, EveryListCounts) {
  const SuiteOptions base = one_sphere();  // of three algorithms and three directions
  constexpr size_t kLength = 120'000;
  const auto expect_refused = [&](auto&& lengthen) {
    SuiteOptions options = base;
    lengthen(options, options.shapes[0]);
    expect_error([&] { expand(options, kNames); }, "more than 1000000");
  };
  using O = SuiteOptions;
  expect_refused([](O&, Shapes& s) { s.datasets.assign(kLength, "sphere:8"); });
  expect_refused([](O&, Shapes& s) { s.batch_copies.assign(kLength, 1); });
  expect_refused([](O&, Shapes& s) { s.channels.assign(kLength, {16, 16}); });
  expect_refused([](O&, Shapes& s) { s.groups.assign(kLength, 1); });
  expect_refused([](O&, Shapes& s) { s.kernel_sizes.assign(kLength, {3, 3, 3}); });
  expect_refused([](O&, Shapes& s) { s.strides.assign(kLength, {1, 1, 1}); });
  expect_refused([](O&, Shapes& s) { s.dilations.assign(kLength, {1, 1, 1}); });
  expect_refused([](O&, Shapes& s) { s.paddings.assign(kLength, std::nullopt); });
  expect_refused([](O&, Shapes& s) { s.output_rules.assign(kLength, OutputRule::reached); });
  expect_refused([](O&, Shapes& s) { s.output_extents.assign(kLength, OutputExtent::box); });
  expect_refused([](O&, Shapes& s) { s.conv_kinds.assign(kLength, ConvKind::subm); });
  expect_refused([](O& o, Shapes&) { o.shapes.assign(kLength, o.shapes[0]); });
  expect_refused([](O& o, Shapes&) { o.row_orders.assign(kLength, "file"); });
  expect_refused([](O& o, Shapes&) { o.map_variants.assign(kLength, ""); });
  expect_refused([](O& o, Shapes&) { o.algorithms.assign(kLength, "all"); });
  expect_refused([](O& o, Shapes&) { o.dtypes.assign(kLength, Dtype::f32); });
  expect_refused([](O& o, Shapes&) { o.directions.assign(kLength * 3, Direction::fprop); });
}

}  // namespace
}  // namespace spb::config
