// SPDX-License-Identifier: Apache-2.0
#include "config/suite_options.h"

#include "config/aliases.h"
#include "config/expand.h"
#include "config/expect_error.h"

namespace spb::config {
namespace {

void set(SuiteOptions& options, const char* name, std::vector<std::string> values) {
  set_option(options, name, values, std::string("--") + name);
}

TEST(SuiteOptions, EveryOptionAcceptsItsExample) {
  for (const Option& option : suite_options()) {
    SuiteOptions options;
    EXPECT_NO_THROW(set(options, option.name, {option.example})) << option.name;
    EXPECT_NE(option.set_shapes == nullptr, option.set_suite == nullptr) << option.name;
    EXPECT_EQ(find_option(option.name), &option);
  }
}

// "[3]" in the text of --kernel-size is what holds without it.
TEST(SuiteOptions, TextsNameTheRealDefaults) {
  const auto cases = [](const SuiteOptions& options) {
    std::vector<std::string> texts;
    const std::string known[] = {"gather_scatter", "explicit_gemm"};
    for (const CaseSpec& spec : expand(options, known)) texts.push_back(full_text(spec));
    return texts;
  };
  SuiteOptions usual;
  set(usual, "datasets", {"sphere:8"});
  int named = 0;
  for (const Option& option : suite_options()) {
    const std::string text = option.text;
    const size_t begin = text.find('['), end = text.find(']');
    if (begin == std::string::npos || std::string_view(option.name) == "dtypes") continue;
    SuiteOptions options = usual;
    set(options, option.name, {text.substr(begin + 1, end - begin - 1)});
    EXPECT_EQ(cases(options), cases(usual)) << text;
    ++named;
  }
  EXPECT_GE(named, 9);
}

TEST(SuiteOptions, KnowTheFieldsWords) {
  SuiteOptions options;
  set(options, "dtypes", {"half,bfloat16,fp32"});
  EXPECT_EQ(options.dtypes, (std::vector<Dtype>{Dtype::f16, Dtype::bf16, Dtype::f32}));
  set(options, "directions", {"forward,bwd_weight"});
  EXPECT_EQ(options.directions, (std::vector<Direction>{Direction::fprop, Direction::wgrad}));
  set(options, "directions", {"backward"});
  EXPECT_EQ(options.directions, (std::vector<Direction>{Direction::dgrad, Direction::wgrad}));
  for (const Alias& alias : dtype_aliases())
    EXPECT_NO_THROW(set(options, "dtypes", {std::string(alias.word)})) << alias.word;
  for (const Alias& alias : direction_aliases())
    EXPECT_NO_THROW(set(options, "directions", {std::string(alias.word)})) << alias.word;
}

TEST(SuiteOptions, AreStored) {
  SuiteOptions options;
  options.shapes.resize(2);
  set(options, "datasets", {"a.bin", "random:8,0.5"});
  set(options, "channels", {"16:32", "64"});
  set(options, "dtypes", {"all"});
  set(options, "directions", {"wgrad"});
  set(options, "bias", {"false"});
  set(options, "seed", {"7"});
  for (const Shapes& shapes : options.shapes) {
    EXPECT_EQ(shapes.datasets, (std::vector<std::string>{"a.bin", "random:8,0.5"}));
    EXPECT_EQ(shapes.channels, (std::vector<Channels>{{16, 32}, {64, 64}}));
  }
  EXPECT_EQ(options.dtypes.size(), float_dtypes().size());
  EXPECT_EQ(options.directions, std::vector<Direction>{Direction::wgrad});
  EXPECT_FALSE(options.bias);
  EXPECT_EQ(options.seed, 7u);
}

TEST(SuiteOptions, VoxelSizeAndResolutionReplaceOneAnother) {
  SuiteOptions options;
  set(options, "voxel_size", {"0.1"});
  set(options, "resolution", {"64"});
  EXPECT_FALSE(options.shapes[0].voxel_size);
  EXPECT_EQ(options.shapes[0].resolution, 64);
  set(options, "voxel_size", {"0.1"});
  EXPECT_EQ(options.shapes[0].voxel_size, 0.1);
  EXPECT_FALSE(options.shapes[0].resolution);
}

TEST(SuiteOptions, TakeTheGridOfADetector) {
  SuiteOptions options;
  set(options, "voxel_size", {"0.05x0.05x0.1"});
  set(options, "range", {"0,-40,-3:70.4,40,1"});
  set(options, "frame", {"cylinder"});
  EXPECT_EQ(options.shapes[0].voxel_size, VoxelSize(0.05, 0.05, 0.1));
  EXPECT_EQ(options.shapes[0].range, (CropRange{{0, -40, -3}, {70.4, 40, 1}}));
  EXPECT_EQ(options.shapes[0].frame, Frame::cylinder);
  set(options, "datasets", {"scan.bin"});
  const std::string known[] = {"gather_scatter"};
  const std::vector<std::string> words = arguments_of(expand(options, known).at(0));
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.begin() + 7),
            (std::vector<std::string>{"scan.bin", "--voxel-size", "0.05x0.05x0.1", "--range",
                                      "0,-40,-3:70.4,40,1", "--frame", "cylinder"}));
}

TEST(SuiteOptions, MistakesNameTheOptionAndTheNearestWord) {
  SuiteOptions options;
  expect_error([&] { set(options, "chanels", {"16"}); }, "did you mean \"channels\"");
  expect_error([&] { set(options, "dtypes", {"fp17"}); }, "--dtypes: ");
  expect_error([&] { set(options, "directions", {"fprob"}); }, "did you mean \"fprop\"");
  expect_error([&] { set(options, "conv_kind", {"sub"}); }, "--conv_kind: ");
  expect_error([&] { set(options, "voxel_size", {"0.1", "0.2"}); }, "exactly one value");
  expect_error([&] { set(options, "voxel_size", {"0.1x0.1"}); }, "--voxel_size: \"0.1x0.1\"");
  expect_error([&] { set(options, "range", {"0,0,0:0,1,1"}); }, "--range: goes from 0 to 0");
  expect_error([&] { set(options, "frame", {"polar"}); }, "--frame: ");
  expect_error([&] { set(options, "seed", {"-1"}); }, "--seed: ");
  expect_error([&] { set(options, "groups", {"0"}); }, "--groups: ");
  expect_error([&] { set(options, "groups", {"deepwise"}); }, "--groups: ");
  expect_error([&] { set(options, "resolution", {"99999999999"}); }, "--resolution: ");
  expect_error([&] { set(options, "datasets", {""}); }, "--datasets: ");
}

}  // namespace
}  // namespace spb::config
