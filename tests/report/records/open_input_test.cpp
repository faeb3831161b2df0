// SPDX-License-Identifier: Apache-2.0
#include "report/records/open_input.h"

#include <lzma.h>
#include <random>

#include "core/error.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"
#include "report/records/read_records.h"
#include "report/samples.h"

namespace spb::report {
namespace {

std::string xz(const std::string& text, uint32_t preset = 6) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  const lzma_ret state = lzma_easy_buffer_encode(
      preset, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()), text.size(),
      reinterpret_cast<uint8_t*>(bytes.data()), &size, bytes.size());
  EXPECT_EQ(state, LZMA_OK);
  bytes.resize(size);
  return bytes;
}

class OpenInputTest : public ReportTest {
 protected:
  std::string read(const std::string& bytes) const {
    write(folder_ / "f", bytes);
    return std::string(std::istreambuf_iterator<char>(*open_input(folder_ / "f")), {});
  }
  std::string error_of(const std::string& bytes, const char* name = "f.jsonl.xz") const {
    write(folder_ / name, bytes);
    try {
      read_records(folder_ / name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime) << error.what();
      return error.what();
    }
    return "";
  }
  /// A file of one run with one row.
  std::string records(const std::string& run_id) const {
    Record context, row = sample_row();
    context[columns::schema_version] = kSchemaVersion;
    context[columns::run_id] = run_id;
    row[columns::run_id] = run_id;
    const auto path = folder_ / (run_id + ".jsonl");
    JsonlWriter(path, context).append(row);
    return content(path);
  }
};

TEST_F(OpenInputTest, GivesTheTextPlainOrCompressed) {
  std::mt19937 random(1);
  std::string noise(300'000, '\0');  // longer than a piece, before and behind
  for (char& c : noise) c = static_cast<char>('a' + random() % 26);
  for (const std::string& text : {std::string(), std::string("one\ntwo"), noise}) {
    EXPECT_EQ(read(text), text);
    EXPECT_EQ(read(xz(text)), text);
    EXPECT_EQ(read(xz(text) + xz("more") + xz("")), text + "more");
  }
}

TEST_F(OpenInputTest, RecordsReadAsTheyAre) {
  const std::string first = records("first"), second = records("second");
  std::filesystem::create_directories(folder_ / "run");
  write(folder_ / "run/records.jsonl.xz", xz(first) + xz(second));
  const RecordSet set = read_records(folder_ / "run");
  ASSERT_EQ(set.rows.size(), 2u);
  EXPECT_EQ(set.contexts.size(), 2u);
  EXPECT_EQ(set.rows[1].text(columns::run_id), "second");
  EXPECT_EQ(set.files, std::vector{folder_ / "run/records.jsonl.xz"});
  EXPECT_EQ(read_jsonl(folder_ / "run/records.jsonl.xz").runs.size(), 2u);
  write_csv(folder_ / "results.csv", set.rows);
  write(folder_ / "any", xz(content(folder_ / "results.csv")));
  EXPECT_EQ(read_records(folder_ / "any").rows.size(), 2u);
}

TEST_F(OpenInputTest, OneFolderHoldsARecordOnce) {
  write(folder_ / "records.jsonl", records("first"));
  write(folder_ / "records.jsonl.xz", xz(records("second")));
  try {
    read_records(folder_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("records.jsonl.xz"), std::string::npos);
  }
}

TEST_F(OpenInputTest, WhereverXzDataIsCutItIsToldSo) {
  const std::string bytes = xz(records("first"));
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_NE(error_of(bytes.substr(0, size)).find("f.jsonl.xz: its xz data is cut off"),
              std::string::npos)
        << size;
  EXPECT_EQ(error_of(bytes), "");
}

TEST_F(OpenInputTest, DamageIsToldSo) {
  std::string bytes = xz(records("first"));
  EXPECT_NE(error_of("").find("holds no xz data"), std::string::npos);
  EXPECT_NE(error_of(records("second")).find("holds no xz data"), std::string::npos);
  EXPECT_NE(error_of("\xFD" + bytes).find("damaged"), std::string::npos);
  EXPECT_NE(error_of(bytes + "tail").find("its xz data is"), std::string::npos);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  EXPECT_NE(error_of(bytes).find("its xz data is damaged"), std::string::npos);
  EXPECT_NE(error_of(bytes, "any").find("any: its xz data is damaged"), std::string::npos);
}

TEST_F(OpenInputTest, WhatUnfoldsToMoreThanRecordsDoIsRefused) {
  std::string lines(80 << 20, ' ');
  for (size_t at = 0; at < lines.size(); at += 1 << 10) lines[at] = '\n';
  try {
    read(xz(lines, 0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("unfolds to more than 500 times its size"),
              std::string::npos)
        << error.what();
  }
  // Small ones may be as even as they like.
  EXPECT_EQ(read(xz(lines.substr(0, 8 << 20), 0)).size(), size_t{8} << 20);
}

TEST_F(OpenInputTest, LinesThatNeverEndAreRefused) {
  std::string line(65 << 20, ' ');
  std::mt19937 random(1);
  for (size_t at = 0; at < line.size(); at += 100)
    line[at] = static_cast<char>('a' + random() % 26);
  EXPECT_NE(error_of(xz(line, 0)).find("has a line of more than 64 MiB"), std::string::npos);
}

}  // namespace
}  // namespace spb::report
