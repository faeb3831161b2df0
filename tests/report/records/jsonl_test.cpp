// SPDX-License-Identifier: Apache-2.0
#include "report/records/jsonl.h"

#include <cmath>

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

class JsonlTest : public ReportTest {
 protected:
  void SetUp() override {
    ReportTest::SetUp();
    path_ = folder_ / "records.jsonl";
    context_.named("argv") = "run scan.bin";
    context_.named("cores") = int64_t{2};
    context_.named("sanitizer") = false;
    context_.named("clock_ghz") = 2.5;
    summary_.named("rows") = int64_t{1};
  }
  void write_run() {
    JsonlWriter writer(path_, context_);
    writer.append(sample_row());
    writer.finish(summary_);
  }

  std::filesystem::path path_;
  Record context_, summary_;
};

TEST_F(JsonlTest, ReadsBackRunsAsWritten) {
  write_run();
  write_run();
  const JsonlFile file = read_jsonl(path_);
  EXPECT_FALSE(file.truncated);
  ASSERT_EQ(file.runs.size(), 2u);
  for (const RunRecords& run : file.runs) {
    EXPECT_EQ(run.context.values(), context_.values());
    ASSERT_EQ(run.results.size(), 1u);
    EXPECT_EQ(run.results[0].values(), sample_row().values());
    ASSERT_TRUE(run.summary);
    EXPECT_EQ(run.summary->values(), summary_.values());
  }
}

TEST_F(JsonlTest, RealsKeepAllDigitsAndTheirType) {
  Record record = sample_row();
  record[columns::time_median_us] = 1.0 / 3;
  record[columns::time_min_us] = 5.0;
  record.named("time_max_abs") = Value();
  JsonlWriter writer(path_, context_);
  EXPECT_THROW(writer.append(record), std::logic_error);
  Record exact = sample_row();
  exact[columns::time_median_us] = 1.0 / 3;
  exact[columns::time_min_us] = 5.0;
  writer.append(exact);
  EXPECT_EQ(read_jsonl(path_).runs.at(0).results.at(0).values(), exact.values());
}

TEST_F(JsonlTest, NotMeasuredIsLeftOut) {
  Record record = sample_row();
  record[columns::time_min_us] = std::nan("");
  record[columns::time_q1_us] = std::nullopt;
  JsonlWriter(path_, context_).append(record);
  const Record read = read_jsonl(path_).runs.at(0).results.at(0);
  EXPECT_EQ(read.values(), sample_row().values());
  EXPECT_EQ(content(path_).find("null"), std::string::npos);
}

TEST_F(JsonlTest, ToleratesACutOffLastLineWhereverItIsCut) {
  write_run();
  const std::string text = content(path_);
  for (size_t size = 0; size < text.size(); ++size) {
    write(path_, text.substr(0, size));
    const JsonlFile file = read_jsonl(path_);
    if (size == 0) continue;
    const bool whole = text[size - 1] == '\n' || text[size] == '\n';
    EXPECT_EQ(file.truncated, !whole) << size;
  }
}

TEST_F(JsonlTest, GoesOnBehindAKilledRun) {
  write_run();
  const std::string text = content(path_);
  write(path_, text.substr(0, text.size() - 5));
  write_run();
  const JsonlFile file = read_jsonl(path_);
  EXPECT_FALSE(file.truncated);
  ASSERT_EQ(file.runs.size(), 2u);
  EXPECT_FALSE(file.runs[0].summary);
  EXPECT_EQ(file.runs[0].results.size(), 1u);
  EXPECT_TRUE(file.runs[1].summary);
}

TEST_F(JsonlTest, ABrokenLineInTheMiddleIsAnErrorWithItsLine) {
  write_run();
  const std::string text = content(path_);
  const struct {
    std::string text;
    const char* found;
  } cases[] = {
      {text + "{broken\n" + text, "records.jsonl:4"},
      {"{\"type\":\"result\",\"schema_version\":\"1.0\"}\n", "before any context"},
      {text + "{\"type\":\"result\",\"schema_version\":\"1.0\",\"c_in\":\"16\"}\n", "c_in"},
      {text + "{\"type\":\"result\",\"schema_version\":\"3.0\"}\n", "schema 3.0"},
      {text + "[1]\n", "no JSON object"},
      {"{\"type\":5}\n", "before any context"},
  };
  for (const auto& one : cases) {
    write(path_, one.text);
    try {
      read_jsonl(path_);
      ADD_FAILURE() << one.found;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(one.found), std::string::npos) << error.what();
    }
  }
}

TEST_F(JsonlTest, AnUnknownColumnOfANewerMinorIsIgnored) {
  write(path_,
        "{\"type\":\"context\"}\n"
        "{\"type\":\"result\",\"schema_version\":\"1.9\",\"future\":[1],\"noise_rel\":1}\n");
  const Record read = read_jsonl(path_).runs.at(0).results.at(0);
  EXPECT_EQ(read.values().size(), 2u);
  EXPECT_EQ(read.value(columns::noise_rel), Value(1.0));
}

TEST_F(JsonlTest, BytesThatAreNoUtf8DoNotLoseTheRow) {
  Record record = sample_row();
  record[columns::dataset] = "scan\xff.bin";
  JsonlWriter(path_, context_).append(record);
  EXPECT_EQ(read_jsonl(path_).runs.at(0).results.size(), 1u);
}

/// A context that says what its rows need not.
Record speaking_context() {
  Record context;
  for (const char* name : {"schema_version", "run_id", "backend"})
    context.named(name) = sample_row().value(name);
  context[columns::git_sha] = "4b72db0";
  context[columns::git_dirty] = true;
  context[columns::power_w] = 200.0;
  context.named("command_line") = "spconv-bench run";
  return context;
}

TEST_F(JsonlTest, RowsLeaveOutWhatTheirContextSays) {
  Record row = sample_row();
  row[columns::git_sha] = "4b72db0";
  row[columns::git_dirty] = false;       // another value
  row[columns::power_w] = std::nullopt;  // not measured
  JsonlWriter(path_, speaking_context()).append(row);
  const std::string text = content(path_);
  const std::string line = text.substr(text.find('\n') + 1);
  for (const char* name : {"schema_version", "backend", "git_sha"})
    EXPECT_EQ(line.find(name), std::string::npos) << name;
  EXPECT_NE(line.find("\"git_dirty\":false"), std::string::npos) << line;
  EXPECT_NE(line.find("\"power_w\":null,"), std::string::npos) << line;
  EXPECT_EQ(line.find("command_line"), std::string::npos);
  Record measured = sample_row();
  measured[columns::git_sha] = "4b72db0";
  measured[columns::git_dirty] = false;
  EXPECT_EQ(read_jsonl(path_).runs.at(0).results.at(0).values(), measured.values());
}

TEST_F(JsonlTest, EachRowHasTheContextAboveIt) {
  Record other = speaking_context(), row = sample_row();
  other[columns::git_sha] = "1da752b";
  row[columns::git_dirty] = true;
  row[columns::power_w] = 200.0;
  for (const Record& context : {speaking_context(), other}) {
    row.named("git_sha") = context.value(columns::git_sha);
    JsonlWriter(path_, context).append(row);
  }
  const JsonlFile file = read_jsonl(path_);
  EXPECT_EQ(file.runs.at(0).results.at(0).text(columns::git_sha), "4b72db0");
  EXPECT_EQ(file.runs.at(1).results.at(0).values(), row.values());
}

TEST_F(JsonlTest, ARowOfBeforeSaysAllItself) {
  JsonlWriter(path_, speaking_context()).end_case("none");
  write(path_, content(path_) + result_line(sample_row()));
  EXPECT_EQ(read_jsonl(path_).runs.at(0).results.at(0).values(), sample_row().values());
}

TEST_F(JsonlTest, ARowWhoseContextIsNotAboveItIsDamage) {
  Record row = sample_row();
  const std::string line = result_line(row, speaking_context());
  EXPECT_THROW(parse_result(line, "line"), Error);
  EXPECT_EQ(parse_result(line, "line", speaking_context()).text(columns::backend), "host");
  Record other = speaking_context();
  other[columns::run_id] = "20260102T030405Z-ffffff";
  EXPECT_EQ(result_line(row, other), result_line(row)) << "another run's context says nothing";
  try {
    parse_result(line, "f.jsonl:2", other);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("f.jsonl:2: the context line of its run"),
              std::string::npos)
        << error.what();
  }
  other = speaking_context();
  other.named("backend") = 4;  // edited by hand
  EXPECT_THROW(parse_result(line, "line", other), Error);
}

TEST_F(JsonlTest, DeepLinesAreRefused) {
  const auto path = folder_ / "records.jsonl";
  write(path, "{\"type\":\"context\",\"x\":" + std::string(1'000'000, '[') + "\n");
  try {
    read_jsonl(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("records.jsonl:1: nests"), std::string::npos)
        << error.what();
  }
}

TEST_F(JsonlTest, WholeNumbersBeyond63BitsAreNone) {
  const auto value_of = [&](const std::string& seed) {
    const std::string line = "{\"type\":\"result\",\"schema_version\":\"" +
                             std::string(kSchemaVersion) + "\",\"seed\":" + seed + "}";
    return parse_result(line, "here", {}).number(columns::seed);
  };
  EXPECT_EQ(value_of("9223372036854775807"), 9223372036854775807.0);
  for (const char* seed : {"9223372036854775808", "18446744073709551615", "99999999999999999999",
                           "1.0", "true", "\"1\""})
    EXPECT_THROW(value_of(seed), Error) << seed;
}

TEST_F(JsonlTest, AContextDoesNotSayMegabytes) {
  const auto path = folder_ / "records.jsonl";
  const auto error_of = [&](size_t bytes) {
    write(path, "{\"type\":\"context\",\"gpu_name\":\"" + std::string(bytes, 'x') + "\"}\n");
    try {
      read_jsonl(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(10'000), "");
  EXPECT_NE(error_of(20'000).find("records.jsonl:1: its columns hold 20000 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace spb::report
