// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "report/records/file_lock.h"
#include "temporary_folder.h"
#include "tuning/entry_json.h"
#include "tuning/samples.h"

namespace spb::tuning {
namespace {

namespace fs = std::filesystem;

class TuningFile : public testing::Test {
 protected:
  void write(const std::string& text) {
    fs::create_directories(folder_);
    std::ofstream(path_) << text;
  }
  std::string refusal() {
    try {
      read_entries(path_);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime);
      return error.what();
    }
  }

  const TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "not-yet";
  fs::path path_ = folder_ / "deep" / ".." / "tuning.json";
};

std::string text_of(const Entry& entry) { return to_json(entry).dump(); }

TEST_F(TuningFile, KeepsEverything) {
  const Entry entry = sample_entry();
  merge_entries(path_, {&entry, 1});
  const std::vector<Entry> read = read_entries(path_);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(text_of(read[0]), text_of(entry));
  EXPECT_EQ(read[0].machine, entry.machine);
  EXPECT_EQ(read[0].problem_class, entry.problem_class);
  EXPECT_EQ(read[0].choice(), entry.choice());
  EXPECT_EQ(read[0].trials[0].samples_us, entry.trials[0].samples_us);
  EXPECT_EQ(read[0].trials[2].detail, entry.trials[2].detail);
}

TEST_F(TuningFile, KeepsAnEntryOfAFileWhoseNameIsNoText) {
  Entry entry = sample_entry();
  entry.dataset = "caf\xE9.xyz";
  merge_entries(path_, {&entry, 1});
  EXPECT_EQ(read_entries(path_).at(0).dataset, "caf\uFFFD.xyz");
}

TEST_F(TuningFile, ReadsEntriesFromBeforeRunsWereCounted) {
  nlohmann::json older = to_json(sample_entry());
  older.erase("runs");
  for (nlohmann::json& candidate : older["candidates"]) candidate.erase("plan_us");
  const Entry read = entry_from_json(older);
  EXPECT_EQ(read.runs, 0);
  EXPECT_EQ(read.trials[0].plan_us, 0);
  EXPECT_EQ(read.gain(), 1.5);
}

TEST_F(TuningFile, ReplacesTheSameClassOfTheSameMachine) {
  const Entry first = sample_entry(), other_class = sample_entry(sized_problem(32));
  Entry other_machine = first, again = first;
  other_machine.machine.driver = "580";
  again.tune_ms = 99;
  merge_entries(path_, std::vector{first, other_class, other_machine});
  merge_entries(path_, {&again, 1});
  const std::vector<Entry> read = read_entries(path_);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[2].tune_ms, 99);
  EXPECT_EQ(read[0].problem_class, other_class.problem_class);
  EXPECT_EQ(read[1].machine, other_machine.machine);
}

// Eight processes, ten entries each: none is lost, and what is read is always whole.
TEST_F(TuningFile, TakesEntriesOfManyProcesses) {
  constexpr int kProcesses = 8, kEntries = 10;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        for (int i = 0; i < kEntries; ++i) {
          const Entry entry = sample_entry(sized_problem(1 + process * kEntries + i));
          merge_entries(path_, {&entry, 1});
          read_entries(path_);
        }
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_entries(path_).size(), size_t{kProcesses * kEntries});
}

TEST_F(TuningFile, WhoHoldsItsLockForLongIsNamed) {
  const Entry entry = sample_entry();
  {
    const report::FileLock stopped(path_, 0);
    try {
      merge_entries(path_, {&entry, 1}, 0.1);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime);
      const std::string who = "process " + std::to_string(getpid()) + " on ";
      EXPECT_NE(std::string(error.what()).find(who), std::string::npos) << error.what();
    }
    EXPECT_FALSE(fs::exists(path_));
  }
  merge_entries(path_, {&entry, 1}, 0.1);
  EXPECT_EQ(read_entries(path_).size(), 1u);
}

TEST_F(TuningFile, RefusesWhatIsNone) {
  EXPECT_NE(refusal().find("cannot read"), std::string::npos);
  const Entry entry = sample_entry();
  merge_entries(path_, {&entry, 1});
  std::ifstream file(path_);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {std::string(),
                                  std::string("{"),
                                  std::string("[1, 2]"),
                                  good.substr(0, good.size() / 2),
                                  broken("\"tuning\"", "\"peaks\""),
                                  broken("\"winner\": 1", "\"winner\": 3"),
                                  broken("\"winner\": 1", "\"winner\": 2"),
                                  broken("\"f32\"", "\"f33\""),
                                  broken("\"split\": \"3\"", "\"split\": [3]"),
                                  broken("\"choice\": {}", "\"choice\": null"),
                                  broken("\"runs\": 1000", "\"runs\": -1"),
                                  broken("\"runs\": 1000", "\"runs\": \"many\""),
                                  broken("\"plan_us\": 150.0", "\"plan_us\": -1"),
                                  broken("\"winner\": 1", "\"winner\": 1.9"),
                                  broken("\"winner\": 1", "\"winner\": true"),
                                  broken("\"winner\": 1", "\"winner\": 4294967297"),
                                  broken("\"c_in\": ", "\"c_in\": 42949672960"),
                                  broken("\"c_out\": ", "\"c_out\": 0."),
                                  broken("\"n_out\": ", "\"n_out\": 9223372036854775808, \"x\": "),
                                  broken("\"split\": \"3\"", "\"split\": 4294967299"),
                                  broken("\"split\": \"3\"", "\"split\": 3.5"),
                                  broken("\"plan_us\": 150.0", "\"plan_us\": true"),
                                  broken("\"format\": 2", "\"format\": 2.0"),
                                  broken("\"format\": 2", "\"format\": 4294967298")}) {
    write(text);
    const std::string why = refusal();
    EXPECT_NE(why.find("is no file of spconv-bench tune"), std::string::npos) << text << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    EXPECT_THROW(merge_entries(path_, {&entry, 1}), Error) << "overwrites what it cannot read";
  }
  write(broken("\"format\": 2", "\"format\": 3"));
  EXPECT_NE(refusal().find("format 3, this program reads 1 to 2"), std::string::npos);
  write(broken("\"format\": 2", "\"format\": 1"));
  EXPECT_EQ(refusal(), "");
}

TEST_F(TuningFile, KeepsChoicesThatThisProgramDoesNotKnow) {
  Entry entry = sample_entry();
  entry.trials[1].choice.values = {{"kernel", "wgmma_of_the_future"}, {"cluster", "2"}};
  merge_entries(path_, {&entry, 1});
  EXPECT_EQ(read_entries(path_)[0].trials[1].choice, entry.trials[1].choice);
}

TEST_F(TuningFile, ReadsTheOldNamesOfKnobs) {
  nlohmann::json older = to_json(sample_entry());
  older["candidates"][1]["choice"] = {
      {"variant", "fma_64x64x32"}, {"split", 3}, {"segments", 2}, {"order", "window"}};
  EXPECT_EQ(entry_from_json(older).trials[1].choice, sample_entry().trials[1].choice);
}

TEST_F(TuningFile, SaysWhereItCannotWrite) {
  const Entry entry = sample_entry();
  try {
    merge_entries("/proc/tuning.json", {&entry, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("/proc/tuning.json"), std::string::npos);
  }
}

TEST_F(TuningFile, DeepOnesAreRefused) {
  fs::create_directories(folder_ / "deep");
  write(std::string(5'000'000, '['));
  EXPECT_NE(refusal().find("nests lists and objects deeper than 64 levels"), std::string::npos);
}

}  // namespace
}  // namespace spb::tuning
