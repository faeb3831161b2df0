// SPDX-License-Identifier: Apache-2.0
// Every mutant, run by the real program, must end with exit code 1 and be named by its check.
#include "mutants.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "application.h"
#include "caught_by.h"
#include "mutants_table.h"
#include "number_defects.h"
#include "temporary_folder.h"

namespace spb::mutants {
namespace {

namespace fs = std::filesystem;

std::vector<nlohmann::json> results(const fs::path& folder) {
  std::ifstream file(folder / "records.jsonl");
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);)
    if (auto row = nlohmann::json::parse(line); row.contains("algorithm")) rows.push_back(row);
  return rows;
}

int run_program(const Mutant& mutant, const std::string& command, const std::string& options,
                const char* data = "sphere:16") {
  std::stringstream line;
  line << "spconv-bench " << command << ' ' << data << " -q --algorithms " << mutant.name
       << " --directions " << name(mutant.direction) << " --dtypes " << info(mutant.dtype).name
       << ' ' << mutant.layer.options << ' ' << options;
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return application(static_cast<int>(argv.size()), argv.data(), mutant_algorithms());
}

class Mutants : public testing::TestWithParam<Mutant> {};

/// By the check that the table names, with the references that `options` choose.
void expect_caught(const Mutant& mutant, const std::string& options, const char* data) {
  const TemporaryFolder temporary;
  const fs::path& out = temporary.path();
  const bool control = std::string(mutant.seen_by).empty();
  EXPECT_EQ(run_program(mutant, "run",
                        "--no-isolate --tuning off --out " + out.string() + ' ' + mutant.forced +
                            ' ' + options,
                        data),
            control ? 0 : 1);

  const auto rows = results(out);
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    EXPECT_EQ(row["algorithm"], mutant.name);
    EXPECT_EQ(row["status"], control ? "ok" : "incorrect") << row["status_detail"];
    if (control) continue;
    const std::string check = caught_by(row["status_detail"]);
    EXPECT_TRUE(std::string_view(mutant.seen_by) == kAnyExact ? check.starts_with("exact ")
                                                              : check == mutant.seen_by)
        << row["status_detail"] << ": caught by " << check;
    EXPECT_TRUE(!row.contains("rank") || row["rank"].is_null());
  }
}

TEST_P(Mutants, AreCaughtAndNeverRanked) {
  expect_caught(GetParam(), "--references host", "sphere:16");
}

class JudgedMutants : public testing::TestWithParam<Mutant> {};

TEST_P(JudgedMutants, AreCaughtByTheDeviceAlone) {
  expect_caught(GetParam(), "--references device", "sphere:12");
}

/// All but what is seen without looking at a number.
std::vector<Mutant> judged_mutants() {
  std::vector<Mutant> judged;
  for (const Mutant& mutant : mutants()) {
    const std::string_view check = mutant.seen_by;
    if (check.empty() || check.starts_with("exact") || check.starts_with("fp"))
      judged.push_back(mutant);
  }
  return judged;
}

TEST_P(Mutants, NeverWinATuning) {
  const Mutant& mutant = GetParam();
  const TemporaryFolder temporary;
  const fs::path file = temporary / "tuned.json";
  // Nothing is forced on a candidate.
  const bool control = std::string(mutant.seen_by).empty() || *mutant.forced;
  EXPECT_EQ(run_program(mutant, "tune", "--tuning " + file.string()), control ? 0 : 1);
  const auto entry = nlohmann::json::parse(std::ifstream(file)).at("entries").at(0);
  EXPECT_EQ(entry.at("winner"), control ? 0 : -1);
  EXPECT_EQ(entry.at("candidates").at(0).at("status"), control ? "ok" : "incorrect");
}

/// What an emulation multiplies must be what its dtype holds: parts of more bits would hide from
/// the check that the mutant is made for, and of fewer be caught by any.
template <Dtype kDtype, int kBits, size_t kParts>
void expect_parts() {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  for (int i = 0; i < 1000; ++i) {
    const float value = std::ldexp(mantissa(random), static_cast<int>(random() % 40) - 20);
    const auto parts = parts_of<kBits, kParts>(value);
    float left = value;
    for (const float part : parts) {
      EXPECT_EQ(part, round_operand(part, kDtype)) << value;
      // The nearest: no more of it is left than half of the part's last bit.
      EXPECT_LE(std::abs(left - part), std::ldexp(std::abs(left), -kBits)) << value;
      left -= part;
    }
    EXPECT_LE(std::abs(left), std::ldexp(std::abs(value), -kBits * static_cast<int>(kParts)));
  }
}

TEST(PartsOf, AreNumbersOfTheirDtypeNearestToWhatIsLeft) {
  expect_parts<Dtype::tf32, 11, 2>();
  expect_parts<Dtype::bf16, 8, 2>();
  expect_parts<Dtype::bf16, 8, 3>();
}

TEST(CaughtBy, NamesTheCheckWithoutNumbers) {
  EXPECT_EQ(caught_by("exact wide-a (0xFF poison): 1 of 9 elements wrong"), "exact wide-a");
  EXPECT_EQ(caught_by("exact small (dirty buffers): 1 of 9 elements wrong"),
            "exact small (dirty buffers)");
  EXPECT_EQ(caught_by("767 rows, 32 to 33 channels: exact small: repeat 3 stored other bits"),
            "767 rows: exact small: repeats");
  EXPECT_EQ(caught_by("first run of the plan: guard of out buffer"),
            "first run of the plan: guards");
  EXPECT_EQ(caught_by("the host's memory is exhausted"), "the host's memory is exhausted");
}

TEST(MutantsPage, IsThatOfTheTable) {
  const fs::path page = fs::path(SPB_SOURCE_DIR) / "docs" / "mutants.md";
  if (std::getenv("SPB_WRITE_PAGES")) std::ofstream(page) << mutants_page();
  std::stringstream written;
  written << std::ifstream(page).rdbuf();
  EXPECT_EQ(written.str(), mutants_page()) << "SPB_WRITE_PAGES=1 writes it";
}

INSTANTIATE_TEST_SUITE_P(All, JudgedMutants, testing::ValuesIn(judged_mutants()),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(mutants().begin(), mutants().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace spb::mutants
