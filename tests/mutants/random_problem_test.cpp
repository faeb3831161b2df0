// SPDX-License-Identifier: Apache-2.0
// That the random problems of CI reach everything that is claimed. What is claimed is verified:
// never_flagged_test takes no other answer.
#include "random_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "maps/table/map_variant.h"
#include "suite/given_choices.h"

namespace spb::mutants {
namespace {

using config::CaseSpec;
using Words = std::vector<std::string>;

constexpr int kLeast = 2;  // claimed cases that have it

std::string choice_word(const std::string& knob, const std::string& value) {
  return "--" + knob + " " + value;
}

/// Ranges of numbers, and what corners there are.
void add_sizes(const CaseSpec& spec, Words& words) {
  const Problem& problem = spec.problem;
  const ConvGeometry& geometry = problem.geometry;
  const auto add = [&](bool is, const std::string& word) {
    if (is) words.push_back(word);
  };
  for (const int channels : {problem.c_in, problem.c_out}) {
    add(channels == 1, "1 channel");
    add(channels % 2 != 0 && channels > 16, "many odd channels");
    add(channels >= 64, "64 channels or more");
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    words.push_back(fmt::format("kernel size {}", geometry.kernel_size[axis]));
    words.push_back(fmt::format("stride {}", geometry.stride[axis]));
    words.push_back(fmt::format("dilation {}", geometry.dilation[axis]));
  }
  words.push_back(fmt::format("batch copies {}", spec.batch_copies));
  add(geometry.kernel_volume() >= 27, "27 offsets or more");
  add(geometry.kernel_volume() >= 100, "100 offsets or more");
  add(geometry.kernel_size[0] != geometry.kernel_size[1], "anisotropic");
  add(geometry.padding.has_value(), "padding");
}

/// What a case has that must appear.
Words words_of(const RandomCase& drawn) {
  const CaseSpec& spec = drawn.spec;
  const Problem& problem = spec.problem;
  Words words{
      spec.algorithm,
      std::string("map variant ") + (spec.map_variant.empty() ? "default" : spec.map_variant),
      name(problem.geometry.kind),
      name(problem.direction),
      name(problem.geometry.output_rule),
      name(problem.geometry.output_extent),
      info(problem.dtype).name,
      "order " + spec.row_order,
      "data " + spec.dataset.substr(0, spec.dataset.find(':')),
      problem.bias ? "bias" : "no bias",
      group_kind(problem) == GroupKind::depthwise ? "channels alone" : "channels together"};
  add_sizes(spec, words);
  for (const auto& [knob, value] : drawn.knobs) words.push_back(choice_word(knob, value));
  return words;
}

/// Words of knobs that an algorithm takes for one of the problems. Devices have dozens of kernels,
/// each of which tests/stress runs by itself.
std::set<std::string> claimed_choices(const std::vector<CaseSpec>& problems) {
  constexpr size_t kMostWords = 16;
  std::set<std::string> claimed;
  for (const CaseSpec& problem : problems)
    for (const Algorithm& algorithm : algorithms())
      for (const Knob& knob : algorithm.knobs)
        if (knob.words && knob.words().size() <= kMostWords)
          for (const std::string& value : claimed_values(algorithm, knob, problem.problem))
            claimed.insert(choice_word(knob.name, value));
  return claimed;
}

/// What must appear, whatever the device.
Words expected_words() {
  Words words{"subm",
              "strided",
              "inverse",
              "generative",
              "fprop",
              "dgrad",
              "wgrad",
              "reached",
              "floor",
              "box",
              "complete",
              "bias",
              "no bias",
              "channels together",
              "channels alone",
              "1 channel",
              "many odd channels",
              "64 channels or more",
              "27 offsets or more",
              "100 offsets or more",
              "anisotropic",
              "padding",
              "map variant default"};
  for (const Algorithm& algorithm : algorithms()) words.emplace_back(algorithm.name);
  for (const maps::MapVariant& variant : maps::map_variants())
    words.push_back(std::string("map variant ") + variant.name);
  for (const char* order : {"file", "lex", "z", "hash"})
    words.push_back(std::string("order ") + order);
  for (const char* data : {"sphere", "random", "line", "plane", "cube", "centered_cube", "isolated",
                           "voxel", "empty", "far_keys"})
    words.push_back(std::string("data ") + data);
  for (const char* knob : {"split", "segments"})
    for (const char* number : {"1", "2", "3", "4"}) words.push_back(choice_word(knob, number));
  for (int size = 1; size <= 5; ++size) words.push_back(fmt::format("kernel size {}", size));
  for (int size = 1; size <= 3; ++size) words.push_back(fmt::format("stride {}", size));
  for (int size = 1; size <= 2; ++size) words.push_back(fmt::format("dilation {}", size));
  for (int copies = 1; copies <= 4; ++copies)
    words.push_back(fmt::format("batch copies {}", copies));
  return words;
}

/// That an algorithm has on this device for a plain layer.
Words claimed_dtypes() {
  Words words;
  for (const Math& dtype : dtypes()) {
    const Problem problem{.geometry = {}, .dtype = dtype.dtype};
    if (std::ranges::any_of(algorithms(), [&](const Algorithm& algorithm) {
          return !algorithm.unsupported(problem);
        }))
      words.emplace_back(dtype.name);
  }
  return words;
}

TEST(RandomProblem, ReachesAllThatIsClaimed) {
  std::vector<CaseSpec> problems;
  for (uint64_t seed = 0; seed < kRandomProblems; ++seed) problems.push_back(random_problem(seed));
  std::map<std::string, int> found;
  for (const CaseSpec& problem : problems)
    for (const Algorithm& algorithm : algorithms())
      if (const RandomCase drawn = random_case(problem, algorithm); drawn.is_claimed)
        for (const std::string& word : words_of(drawn)) ++found[word];
  const std::set<std::string> choices = claimed_choices(problems);
  EXPECT_GT(choices.size(), 10u);
  for (const Words& words :
       {expected_words(), claimed_dtypes(), Words(choices.begin(), choices.end())})
    for (const std::string& word : words) EXPECT_GE(found[word], kLeast) << word;
}

TEST(RandomProblem, OfASeedIsAlwaysTheSame) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const CaseSpec problem = random_problem(seed);
    EXPECT_EQ(random_problem(seed), problem);
    for (const Algorithm& algorithm : algorithms()) {
      const RandomCase drawn = random_case(problem, algorithm),
                       again = random_case(problem, algorithm);
      EXPECT_EQ(drawn.spec, again.spec);
      EXPECT_EQ(drawn.knobs, again.knobs);
    }
  }
  EXPECT_NE(config::full_text(random_problem(1)), config::full_text(random_problem(2)));
}

}  // namespace
}  // namespace spb::mutants
