// SPDX-License-Identifier: Apache-2.0
// --shard: how cases are dealt.
#include "suite/shard.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "config/expand.h"
#include "core/error.h"
#include "suite/options.h"

namespace spb::suite {
namespace {

using config::CaseSpec;

/// A plan of drawn size: data x channels x kernel sizes, each with several dtypes, directions and
/// algorithms.
std::vector<CaseSpec> drawn_plan(std::mt19937& random) {
  config::SuiteOptions suite;
  config::Shapes shapes;
  shapes.datasets = {"sphere:4", "cube:3", "sphere:6", "cube:4"};
  shapes.datasets.resize(1 + random() % 4);
  shapes.channels.clear();
  for (unsigned i = 0; i <= random() % 3; ++i)
    shapes.channels.push_back({static_cast<int>(4 + i), 8});
  if (random() % 2) shapes.kernel_sizes = {{3, 3, 3}, {5, 5, 5}};
  suite.shapes = {shapes};
  suite.dtypes = {Dtype::f32, Dtype::f16};
  suite.directions = {Direction::fprop, Direction::wgrad};
  suite.algorithms = {"all"};
  const std::vector<std::string> algorithms{"a", "b"};
  return config::expand(suite, algorithms);
}

std::vector<double> drawn_costs(std::mt19937& random, size_t count) {
  std::vector<double> costs_s(count);
  for (double& cost_s : costs_s) cost_s = std::ldexp(1.0, static_cast<int>(random() % 10));
  return costs_s;
}

/// What stands in the name of a row's competition: data, geometry and channels.
std::string problem_of(const CaseSpec& spec) {
  return config::data_id(spec) + to_text(spec.problem.geometry.kernel_size) +
         std::to_string(spec.problem.c_in) + ":" + std::to_string(spec.problem.c_out);
}

TEST(Deal, EveryCaseIsInOneShardAndProblemsStayTogether) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<CaseSpec> cases = drawn_plan(random);
    const std::vector<double> costs_s = drawn_costs(random, cases.size());
    for (int count = 1; count <= 7; ++count) {
      const std::vector<int> dealt = deal(cases, costs_s, count);
      ASSERT_EQ(dealt.size(), cases.size());
      std::map<std::string, std::set<int>> shards_of;
      for (size_t i = 0; i < cases.size(); ++i) {
        ASSERT_GE(dealt[i], 0);
        ASSERT_LT(dealt[i], count);
        shards_of[problem_of(cases[i])].insert(dealt[i]);
      }
      std::set<int> used;
      for (const auto& [problem, shards] : shards_of) {
        EXPECT_EQ(shards.size(), 1u) << problem;
        used.insert(shards.begin(), shards.end());
      }
      EXPECT_EQ(used.size(), std::min<size_t>(shards_of.size(), static_cast<size_t>(count)))
          << "a shard is idle although there are problems for it";
    }
  }
}

TEST(Deal, TheOrderOfCasesDoesNotMatter) {
  std::mt19937 random(8);
  const std::vector<CaseSpec> cases = drawn_plan(random);
  const std::vector<double> costs_s = drawn_costs(random, cases.size());
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::shuffle(order, random);
  std::vector<CaseSpec> other_cases;
  std::vector<double> other_costs_s;
  for (const size_t i : order) {
    other_cases.push_back(cases[i]);
    other_costs_s.push_back(costs_s[i]);
  }
  const std::vector<int> dealt = deal(cases, costs_s, 3);
  const std::vector<int> others = deal(other_cases, other_costs_s, 3);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(others[i], dealt[order[i]]);
}

std::vector<CaseSpec> of_data(std::initializer_list<const char*> datasets) {
  std::vector<CaseSpec> cases;
  for (const char* dataset : datasets) cases.emplace_back().dataset = dataset;
  return cases;
}

TEST(Deal, TheLongestGoesFirstToTheEmptiestShard) {
  const std::vector<CaseSpec> cases = of_data({"a", "b", "c", "d"});
  const std::vector<double> costs_s{1, 8, 4, 3};
  // b alone with 8; c with 4, then d (3 counts as 4), then a where both have 8.
  EXPECT_EQ(deal(cases, costs_s, 2), (std::vector{0, 0, 1, 1}));
}

TEST(Deal, WhatHardlyDiffersIsDealtByName) {
  const std::vector<CaseSpec> cases = of_data({"a", "b", "c"});
  for (const double less : {0.0, 0.4, 0.9})
    EXPECT_EQ(deal(cases, std::vector{4 - less, 4.0, 4 - less}, 3), (std::vector{0, 1, 2}));
}

class Quiet final : public Log {
 public:
  void error(const std::string&) override {}
  void warning(const std::string&) override {}
  void note(const std::string&) override {}
};

TEST(ShardedPlan, ShardsShareOneHashAndCoverThePlanInItsOrder) {
  std::mt19937 random(9);
  const std::vector<CaseSpec> cases = drawn_plan(random);
  Quiet log;
  std::set<std::string> hashes;
  size_t covered = 0;
  for (int index = 0; index < 3; ++index) {
    const ShardedPlan plan = plan_shard(cases, std::to_string(index) + "/3", {}, log);
    hashes.insert(plan.hash);
    const std::vector<CaseSpec> mine = cases_of(plan, cases);
    covered += mine.size();
    auto from = cases.begin();
    for (const CaseSpec& spec : mine) {
      from = std::find(from, cases.end(), spec);
      ASSERT_NE(from, cases.end()) << "out of order, or none of the plan";
    }
  }
  EXPECT_EQ(covered, cases.size());
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_FALSE(hashes.contains(plan_shard(cases, "0/2", {}, log).hash));
}

TEST(ShardedPlan, LargerDataCostMore) {
  std::vector<CaseSpec> cases = of_data({"sphere:4", "sphere:64"});
  for (CaseSpec& spec : cases) spec.problem.c_in = spec.problem.c_out = 256;
  Quiet log;
  const std::vector<double> costs_s = estimate_costs(cases, {}, log);
  EXPECT_GE(costs_s[0], 1) << "what is measured takes its time, however small";
  EXPECT_GT(costs_s[1], 2 * costs_s[0]);
  cases.front().dataset = "nothing.xyz";
  EXPECT_THROW(estimate_costs(cases, {}, log), Error);
}

TEST(ShardOption, TakesPartsFromZero) {
  for (const char* good : {"0/1", "0/7", "6/7", "15/16"}) EXPECT_EQ(shard_fault(good), "") << good;
  for (const char* bad : {"", "1", "7/7", "-1/4", "1/0", "a/4", "1/4x", "1/", "/4", "0/-1", "1 /4"})
    EXPECT_NE(shard_fault(bad), "") << bad;
}

}  // namespace
}  // namespace spb::suite
