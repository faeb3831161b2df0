// SPDX-License-Identifier: Apache-2.0
// spconv-bench report, on records that ship with the repository.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "program.h"
#include "report/records/open_input.h"

namespace spb::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResult = "\"type\":\"result\"";
const std::string kHost = std::string(SPB_SOURCE_DIR) + "/reports/host/demo/records.jsonl.xz";

/// The text of kHost.
std::string host_records() {
  return {std::istreambuf_iterator<char>(*report::open_input(kHost)), {}};
}

/// Bytes of all files below a folder, by relative path.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      found[fs::relative(entry.path(), folder).string()] = read(entry.path());
  return found;
}

/// No program is found while this lives.
class EmptyPath {
 public:
  EmptyPath() { setenv("PATH", "/nonexistent", 1); }
  ~EmptyPath() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_ = std::getenv("PATH");
};

std::string first_lines(const std::string& text, size_t lines) {
  size_t end = 0;
  while (lines-- > 0) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

TEST(Report, WritesEverythingTheSameEachTime) {
  if (std::system("command -v gnuplot >/dev/null") != 0) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  const Outcome first = folder.run("report " + kHost + " -o one");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(first.out.empty()) << first.out;
  // Another path to the same records.
  folder.write("copy.jsonl", host_records());
  ASSERT_EQ(folder.run("report copy.jsonl -o two").code, 0);
  const auto one = files_in(folder.path() / "one"), two = files_in(folder.path() / "two");
  for (const char* name : {"results.csv", "summary.md", "report.html", "plots/time_fprop.svg",
                           "plots/time_fprop.png", "plots/phases_wgrad.svg"})
    EXPECT_TRUE(one.contains(name)) << name;
  EXPECT_TRUE(one == two);
}

TEST(Report, CompressedRecordsAreRecords) {
  const TemporaryFolder folder;
  folder.write("a.jsonl", host_records());
  std::filesystem::create_directory(folder.path() / "run");
  folder.write("run/records.jsonl.xz", read(kHost));
  ASSERT_EQ(folder.run("report run --no-plots -o one").code, 0);
  ASSERT_EQ(folder.run("report a.jsonl --no-plots -o two").code, 0);
  EXPECT_TRUE(files_in(folder.path() / "one") == files_in(folder.path() / "two"));
  const Outcome same = folder.run("compare run a.jsonl");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "360 rows matched, 0 only in BASE, 0 only in NEW")) << same.out;
}

TEST(Report, CompressedRecordsThatAreCutOffOrDamagedAreExitCode4) {
  const TemporaryFolder folder;
  std::string bytes = read(kHost);
  folder.write("cut.jsonl.xz", bytes.substr(0, bytes.size() / 2));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  folder.write("bad.jsonl.xz", bytes);
  for (const char* command : {"report cut.jsonl.xz -o out", "report bad.jsonl.xz -o out",
                              "compare cut.jsonl.xz bad.jsonl.xz"}) {
    const Outcome outcome = folder.run(command);
    EXPECT_EQ(outcome.code, 4) << command;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, ".jsonl.xz: its xz data is")) << outcome.err;
  }
}

TEST(Report, OrderOfInputsDoesNotMatter) {
  const TemporaryFolder folder;
  const std::string host = host_records();
  // A second device, some rows of which are the first one's.
  std::string other = first_lines(host, 30);
  for (size_t at = other.find("AMD EPYC"); at != std::string::npos; at = other.find("AMD EPYC", at))
    other.replace(at, 8, "Other 1");
  folder.write("a.jsonl", host);
  folder.write("b.jsonl", other);
  ASSERT_EQ(folder.run("report a.jsonl b.jsonl --no-plots -o ab").code, 0);
  ASSERT_EQ(folder.run("report b.jsonl a.jsonl --no-plots -o ba").code, 0);
  const auto ab = files_in(folder.path() / "ab");
  EXPECT_TRUE(ab == files_in(folder.path() / "ba"));
  EXPECT_TRUE(contains(ab.at("summary.md"), "Other 1 (host)"));
  const auto results = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find(kResult); at != std::string::npos; at = text.find(kResult, at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(results(host), 72 * 5u);
  EXPECT_EQ(count_lines(ab.at("results.csv")), 1 + results(host) + results(other));
}

TEST(Report, ARowCountsOnce) {
  const TemporaryFolder folder;
  folder.write("a.jsonl", host_records());
  const Outcome outcome = folder.run("report a.jsonl a.jsonl --no-plots -o out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "rows are there twice")) << outcome.err;
  ASSERT_EQ(folder.run("report a.jsonl --no-plots -o one").code, 0);
  EXPECT_EQ(read(folder.path() / "out/results.csv"), read(folder.path() / "one/results.csv"));
}

// Rows of one case and phase that differ in how many layers share a map.
TEST(Report, StepsOfOtherLayersAreOtherRows) {
  const TemporaryFolder folder;
  ASSERT_EQ(folder
                .run("run sphere:4 --channels 4 --dtypes f32 --directions fprop --algorithms "
                     "gather_scatter --runs 1,4 --samples --max-time 0.02 --out r")
                .code,
            0);
  for (const char* file : {"r/records.jsonl", "r/samples.csv"})
    for (const char* row : {"/step/1", "/step/4"})
      EXPECT_TRUE(contains(read(folder.path() / file), row)) << file << " has no " << row;
  const Outcome report = folder.run("report r --no-plots -o out");
  EXPECT_EQ(report.code, 0);
  EXPECT_FALSE(contains(report.err, "twice")) << report.err;
  EXPECT_EQ(count_lines(read(folder.path() / "out/results.csv")),
            count_lines(read(folder.path() / "r/results.csv")));
  const Outcome compared = folder.run("compare r r");
  EXPECT_TRUE(contains(compared.out + compared.err, "7 same")) << compared.out << compared.err;
}

TEST(Report, LeavesTheFolderOfARunToItsRows) {
  const TemporaryFolder folder;
  folder.write("a.jsonl", host_records());
  std::filesystem::create_directory(folder.path() / "run");
  folder.write("run/records.jsonl", first_lines(host_records(), 30));
  const Outcome both = folder.run("report a.jsonl run --no-plots -o run");
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(contains(both.err, "--out")) << both.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run/results.csv"));
  EXPECT_EQ(folder.run("report run --no-plots -o run").code, 0);
}

TEST(Report, WithoutGnuplotTheRestIsWrittenAndTheExitCodeIs4) {
  const TemporaryFolder folder;
  const EmptyPath path;
  const Outcome outcome = folder.run("report " + kHost + " -o out");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "apt-get install gnuplot-nox")) << outcome.err;
  EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  const auto files = files_in(folder.path() / "out");
  EXPECT_EQ(files.size(), 3u);
  EXPECT_TRUE(contains(files.at("report.html"), "No plots"));
  EXPECT_EQ(folder.run("report " + kHost + " --no-plots -o out").code, 0);
}

TEST(Report, NoRowsAreExitCode5) {
  const TemporaryFolder folder;
  folder.write("empty.jsonl", first_lines(host_records(), 1));
  const Outcome outcome = folder.run("report empty.jsonl -o out");
  EXPECT_EQ(outcome.code, 5);
  EXPECT_TRUE(contains(outcome.err, "nothing to report")) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST(Report, ANewerSchemaIsRefused) {
  const TemporaryFolder folder;
  std::string text = host_records();
  constexpr std::string_view kVersion = "\"schema_version\":\"";
  for (size_t at = text.find(kVersion); at != std::string::npos; at = text.find(kVersion, at + 1))
    text[at + kVersion.size()] = '9';
  folder.write("newer.jsonl", text);
  EXPECT_EQ(folder.run("report newer.jsonl -o out").code, 2);
}

TEST(Report, WhatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  const Outcome outcome = folder.run("report nowhere -o out");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(contains(outcome.err, "nowhere")) << outcome.err;
  EXPECT_EQ(folder.run("report " + kHost).code, 2) << "--out is required";
}

TEST(Report, AFolderThatCannotBeWrittenIsExitCode4) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_EQ(folder.run("report " + kHost + " --no-plots -o file/out").code, 4);
}

}  // namespace
}  // namespace spb::cli
