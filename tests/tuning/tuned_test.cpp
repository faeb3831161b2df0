// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuned.h"

#include <gtest/gtest.h>

#include "tuning/samples.h"

namespace spb::tuning {
namespace {

bool finds(const Entry& entry, const Machine& here = this_machine()) {
  const Tuned tuned({entry}, here);
  const bool found = tuned.find(some_algorithm(), sized_problem()) != nullptr;
  EXPECT_EQ(found, tuned.ignored(algorithms()).empty());
  EXPECT_EQ(found, tuned.obstacle(entry, algorithms()).empty());
  return found;
}

TEST(Tuned, FindsTheClassOnItsMachineOnly) {
  EXPECT_TRUE(finds(sample_entry()));
  EXPECT_FALSE(finds(sample_entry(), {"Other GPU", "570.1", "1.2"}));
  EXPECT_FALSE(finds(sample_entry(), {"Some GPU", "580", "1.2"}));
  EXPECT_FALSE(finds(sample_entry(), {"Some GPU", "570.1", "1.3"}));
  const Tuned tuned({sample_entry()}, this_machine());
  EXPECT_EQ(tuned.find(some_algorithm(), sized_problem(17)), nullptr);
  EXPECT_EQ(tuned.find(other_algorithm(), sized_problem()), nullptr);
}

TEST(Tuned, SaysInOneLineWhatItIgnores) {
  Entry other = sample_entry(sized_problem(32));
  other.machine.driver = "580";
  const Tuned tuned({sample_entry(), other, other}, this_machine());
  EXPECT_EQ(tuned.ignored(algorithms()), "2 of 3 entries ignored: driver 580, here 570.1");
}

TEST(Tuned, SaysThatAnAlgorithmIsGoneOrAnother) {
  Entry gone = sample_entry(), older = sample_entry();
  gone.problem_class.algorithm = "odd";
  --older.problem_class.algorithm_version;
  const Tuned tuned({gone, older}, this_machine());
  EXPECT_EQ(tuned.obstacle(gone, algorithms()), "algorithm odd is gone");
  EXPECT_NE(tuned.obstacle(older, algorithms()).find(", here "), std::string::npos);
  EXPECT_FALSE(finds(gone));
  EXPECT_FALSE(finds(older));
}

TEST(Tuned, IgnoresEntriesThatNameNoChoice) {
  Entry none_right = sample_entry();
  none_right.winner = -1;
  EXPECT_FALSE(finds(none_right));
  Entry unknown = sample_entry();
  unknown.trials[1].choice.values["kernel"] = "wgmma_of_the_future";
  EXPECT_FALSE(finds(unknown));
  EXPECT_EQ(Tuned({unknown}, this_machine()).obstacle(unknown, algorithms()),
            "kernel: \"wgmma_of_the_future\" is unknown; kernel, instead of the algorithm's "
            "choice: see list kernels");
  Entry no_knob = sample_entry();
  no_knob.trials[1].choice.values["cluster"] = "2";
  EXPECT_FALSE(finds(no_knob));
}

// Whoever asks for what plans do by themselves means it, and a plan that tuning told otherwise does
// not.
TEST(Tuned, TakesNoEntryThatDoesOtherwiseThanAskedFor) {
  const Choice ordered{{{"reduction", "ordered"}}};
  Entry atomic = sample_entry();
  atomic.trials[1].choice.values = {{"reduction", "atomic"}};
  const Tuned tuned({atomic}, this_machine());
  EXPECT_NE(tuned.find(some_algorithm(), sized_problem()), nullptr);
  EXPECT_EQ(tuned.find(some_algorithm(), sized_problem(), ordered), nullptr);
  const Tuned silent({sample_entry()}, this_machine());
  EXPECT_NE(silent.find(some_algorithm(), sized_problem(), ordered), nullptr);
}

TEST(Entry, GivesTheWinnersChoice) {
  Entry entry = sample_entry();
  const Choice choice = entry.choice().value();
  EXPECT_EQ(choice.values, entry.trials[1].choice.values);
  EXPECT_EQ(choice.source, ChoiceSource::tuned);
  EXPECT_DOUBLE_EQ(entry.gain(), (30 + 0.15) / (20 + 0.15)) << "150 us for 1000 runs";
  entry.runs = 0;
  EXPECT_EQ(entry.gain(), 1.5);
}

TEST(Trial, IsToldByItsKernelAndWhatWasChosenBesides) {
  const Entry entry = sample_entry();
  EXPECT_EQ(text(entry.trials[0]), "fma_64x32x32");
  EXPECT_EQ(text(entry.trials[1]), "fma_64x64x32, segments 2, split 3, tile_order window");
  EXPECT_EQ(text(Trial()), "own choice");
}

TEST(Entry, OfTheOwnChoiceLeavesAllToThePlan) {
  Entry entry = sample_entry();
  entry.winner = 0;
  Choice expected;
  expected.source = ChoiceSource::tuned;
  EXPECT_EQ(entry.choice(), expected);
  EXPECT_EQ(entry.gain(), 1);
}

}  // namespace
}  // namespace spb::tuning
