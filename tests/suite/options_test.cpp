// SPDX-License-Identifier: Apache-2.0
// One table of options: the hash of a run and the line that repeats a row come from it.
#include "suite/options.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "config/expand.h"
#include "config/suite_options.h"
#include "report/records/fields.h"
#include "suite/given_choices.h"
#include "suite/shell_quote.h"

namespace spb::suite {
namespace {

/// What a shell makes of a line: its arguments, each in brackets.
std::string split_by_shell(const std::string& words) {
  FILE* shell = popen(("printf '[%s]' " + words).c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(shell)) != EOF;) text += static_cast<char>(c);
  pclose(shell);
  return text;
}

SuiteRunOptions options_of(const char* command, std::map<std::string, std::string> values) {
  SuiteRunOptions options;
  options.command = command;
  for (const auto& [name, value] : values) {
    std::vector<std::string>& words = options.cases.values[name];
    words.push_back(value);
  }
  return options;
}

std::string hash(const SuiteRunOptions& options) {
  const std::vector<std::string> algorithms{"gather_scatter", "implicit_gemm"};
  return config_hash(options, plan_cases(options.cases, algorithms));
}

// The values are those of 36e8667 and later: --resume finds the runs that are there.
TEST(Options, HashOfDefaultsIsTheOneOfOldRecords) {
  SuiteRunOptions verify = options_of("verify", {{"datasets", "sphere:4"},
                                                 {"channels", "4"},
                                                 {"algorithms", "gather_scatter"},
                                                 {"directions", "fprop"}});
  verify.run.time = false;
  EXPECT_EQ(hash(verify), "d67a5c584a374a791d6f335d33ed340adaa0f2107e8f8916b73a737c4fbc6155");
}

TEST(Options, HashOfAForcedKernelIsTheOneOfOldRecords) {
  SuiteRunOptions run = options_of("run", {{"datasets", "sphere:4"},
                                           {"resolution", "9"},
                                           {"channels", "4"},
                                           {"algorithms", "implicit_gemm"},
                                           {"directions", "fprop"}});
  run.no_verify = true;
  run.run.verify_exact = run.run.verify_fp = false;
  run.run.timing.max_time_s = 0.1;
  run.run.timing.min_samples = 3;
  run.knobs["kernel"] = "fma_64x32x32";
  EXPECT_EQ(hash(run), "3539638a21956ad6a39c93b96aa94e9a5dd7cb7fe9e0ed1a06b5309e1231ef73");
}

SuiteRunOptions everything_set() {
  SuiteRunOptions run = options_of("run", {{"datasets", "two.xyz"},
                                           {"voxel_size", "0.123456789123"},
                                           {"row_order", "z"},
                                           {"batch_copies", "2"},
                                           {"channels", "3:5,4"},
                                           {"kernel_size", "2"},
                                           {"stride", "2x2x1"},
                                           {"dilation", "1"},
                                           {"dtypes", "f16,f32"},
                                           {"directions", "dgrad,wgrad"},
                                           {"bias", "false"},
                                           {"seed", "7"},
                                           {"algorithms", "gather_scatter,implicit_gemm"}});
  run.cases.reading = {.columns = 4, .axes = "bzyx", .merge = true};
  run.verify_modes = "exact";
  run.run.verify_fp = false;
  run.run.verify_macs = 1e9;
  run.run.time_anyway = true;
  run.run.timing.max_time_s = 0.1;
  run.run.timing.min_samples = 3;
  run.run.timing.settle_s = 0.1;
  run.run.timing.rest_rel = 0.5;
  run.run.timing.rounds = 2;
  run.run.timing.llc_bytes = 1000000;
  run.dense = "on";
  run.lock_clocks = "base";
  run.rerun_suspects = true;
  run.kernel_arch = 80;
  run.knobs["tile_order"] = "greedy";
  run.knobs["reduction"] = "ordered";
  run.tuning = "off";
  return run;
}

TEST(Options, HashOfAllOptionsIsTheOneOfOldRecords) {
  EXPECT_EQ(hash(everything_set()),
            "fefaf403293ca4e682447c94d08bf4a74de639154c066296e23fcc24a20c72d3");
}

TEST(PlanCases, AllAlgorithmsAreThoseThatTakeTheGroups) {
  const auto planned = [](const char* groups, const char* algorithms) {
    const SuiteRunOptions run = options_of("run", {{"datasets", "sphere:4"},
                                                   {"channels", "8"},
                                                   {"groups", groups},
                                                   {"algorithms", algorithms},
                                                   {"directions", "fprop"}});
    std::set<std::string> names;
    for (const config::CaseSpec& spec : plan_cases(run.cases, spb::algorithms()))
      names.insert(spec.algorithm);
    return names;
  };
  std::set<std::string> all;
  for (const Algorithm& algorithm : spb::algorithms())
    if (!algorithm.by_name_only) all.insert(algorithm.name);
  const std::set<std::string> depthwise{"depthwise"};
  EXPECT_EQ(planned("depthwise", "all"), depthwise);
  EXPECT_EQ(planned("2", "all"),
            (std::set<std::string>{"implicit_gemm", "implicit_gemm_splitk", "masked_implicit_gemm",
                                   "masked_implicit_gemm_splitk", "split_masked_implicit_gemm"}));
  EXPECT_EQ(planned("1", "depthwise"), depthwise) << "who is named says so, too";
  EXPECT_EQ(planned("1", "all,depthwise"), all);
  all.erase("depthwise");
  EXPECT_EQ(planned("1", "all"), all);
}

TEST(Repro, NamesEveryOptionThatIsNotTheDefault) {
  const SuiteRunOptions run = everything_set();
  const std::vector<std::string> algorithms{"gather_scatter", "implicit_gemm"};
  EXPECT_EQ(
      repro(run, plan_cases(run.cases, algorithms).front()),
      "spconv-bench run two.xyz --voxel-size 0.123456789123 --row-order z --batch-copies 2 "
      "--conv-kind strided --kernel-size 2x2x2 --stride 2x2x1 --dilation 1x1x1 --channels 3:5 "
      "--bias false --dtypes f16 --directions dgrad --algorithms gather_scatter --seed 7 "
      "--columns 4 --axes bzyx --merge --verify-modes exact --verify-macs 1000000000 "
      "--time-anyway --max-time 0.1 --min-samples 3 --settle 0.1 --rest 0.5 --rounds 2 "
      "--lock-clocks base --rerun-suspects --llc-bytes 1000000 --dense on "
      "--kernel-arch 80 --tile-order greedy --reduction ordered --tuning off");
}

TEST(Repro, QuotesNamesForAShell) {
  SuiteRunOptions run = options_of("run", {{"datasets", "my scan's.bin"}});
  run.tuning = "bob's own/tuning file.json";
  const std::vector<std::string> algorithms{"gather_scatter"};
  const std::string line = repro(run, config::expand(suite_options(run.cases), algorithms).front());
  const std::string words = split_by_shell(line);
  EXPECT_TRUE(words.starts_with("[spconv-bench][run][my scan's.bin][--")) << words;
  EXPECT_TRUE(words.ends_with("[--tuning][bob's own/tuning file.json]")) << words;
}

TEST(ShellQuote, GivesBackEveryWord) {
  for (const std::string word :
       {"plain", "", "two words", "it's", "a\"b", "$HOME", "*", "a;b", "'"})
    EXPECT_EQ(split_by_shell(shell_quote(word)), "[" + word + "]") << word;
  EXPECT_EQ(shell_quote("sphere:8/a-b_c.bin,x@1+z=2"), "sphere:8/a-b_c.bin,x@1+z=2");
}

TEST(Options, WhatIsHashedChangesRowsAndNoFlagOrKeyComesTwice) {
  std::set<std::string> flags, keys;
  for (const RunOption& option : run_options()) {
    if (option.key) {
      EXPECT_EQ(option.changes, Changes::rows) << option.key;
      EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    }
    if (option.flags) {
      EXPECT_TRUE(flags.insert(option.flags).second) << option.flags;
    }
  }
}

/// Another value than the one that is stored.
void change(const Value& value) {
  std::visit(
      [](auto* stored) {
        using T = std::remove_pointer_t<decltype(stored)>;
        if constexpr (std::is_same_v<T, bool>)
          *stored = !*stored;
        else if constexpr (std::is_same_v<T, std::string>)
          *stored += "x";
        else if constexpr (std::is_same_v<T, std::optional<int>>)
          *stored = stored->value_or(0) + 1;
        else
          *stored += 1;
      },
      value);
}

TEST(Options, EveryRowStandsInTheHashAndTheReproLineAsItSays) {
  const SuiteRunOptions base = options_of("run", {{"datasets", "sphere:4"}});
  const config::CaseSpec spec;
  for (const RunOption& option : run_options()) {
    SuiteRunOptions other = base;
    change(option.value(other));
    SCOPED_TRACE(option.flags ? option.flags : option.key);
    EXPECT_EQ(config_hash(other, {&spec, 1}) != config_hash(base, {&spec, 1}),
              option.key != nullptr);
    EXPECT_EQ(repro(other, spec) != repro(base, spec),
              option.flags && option.changes == Changes::rows);
  }
}

/// A case with another value of every option.
config::CaseSpec changed_case() {
  return {.dataset = "sphere:9",
          .voxel_size = 0.5,
          .resolution = 7,
          .range = CropRange{{0, -40, -3}, {70.4, 40, 1}},
          .frame = Frame::cylinder,
          .row_order = "z",
          .batch_copies = 3,
          .problem = {.geometry = {ConvKind::strided,
                                   {5, 5, 5},
                                   {2, 2, 2},
                                   {4, 4, 4},
                                   Int3{0, 1, 6},
                                   OutputRule::floor,
                                   OutputExtent::complete},
                      .c_in = 3,
                      .c_out = 5,
                      .dtype = Dtype::f16,
                      .direction = Direction::wgrad,
                      .bias = false,
                      .groups = 13,
                      .epilogue = {.activation = Activation::relu}},
          .algorithm = "implicit_gemm",
          .map_variant = "half",
          .seed = 11};
}

TEST(CaseOptions, EveryRowStandsInTheReproLine) {
  const std::string line = repro(SuiteRunOptions(), changed_case());
  for (const config::Option& option : config::suite_options()) {
    const auto value = option.value(changed_case());
    ASSERT_TRUE(value) << option.name;
    EXPECT_NE(value, option.value(config::CaseSpec())) << option.name << ": not changed here";
    EXPECT_NE(line.find(*value), std::string::npos) << option.name;
  }
}

TEST(Options, WhatIsUsualIsAskedForAndForcesNothing) {
  const GivenChoices none = given_choices({{"reduction", ""}});
  EXPECT_TRUE(none.forced.values.empty());
  EXPECT_TRUE(none.usual.values.empty());
  const GivenChoices ordered = given_choices({{"reduction", "ordered"}});
  EXPECT_EQ(ordered.forced, Choice{});
  EXPECT_EQ(ordered.usual.values, (decltype(Choice::values){{"reduction", "ordered"}}));
  const GivenChoices atomic = given_choices({{"reduction", "atomic"}, {"split", "3"}});
  EXPECT_EQ(atomic.forced,
            (Choice{{{"reduction", "atomic"}, {"split", "3"}}, ChoiceSource::forced}));
  EXPECT_TRUE(atomic.usual.values.empty());
}

}  // namespace
}  // namespace spb::suite
