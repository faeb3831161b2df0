// SPDX-License-Identifier: Apache-2.0
#include "report/records/csv.h"

#include <cmath>

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

using CsvTest = ReportTest;

TEST_F(CsvTest, HeaderIsTheGoldenOneOfItsVersion) {
  const std::string golden = content(std::string(SPB_SOURCE_DIR) + "/tests/report/golden_header_" +
                                     kSchemaVersion + ".csv");
  EXPECT_EQ(csv_header(), golden)
      << "a changed column needs another schema_version and another golden file";
}

TEST_F(CsvTest, HeaderOnceOverSeveralWriters) {
  const auto path = folder_ / "results.csv";
  CsvWriter(path).append(sample_row("one"));
  CsvWriter(path).append(sample_row("two"));
  EXPECT_EQ(content(path), csv_header() + csv_row(sample_row("one")) + csv_row(sample_row("two")));
}

TEST_F(CsvTest, RowsReadBackAsWritten) {
  const auto path = folder_ / "results.csv";
  Record record = sample_row();
  record[columns::status_detail] = "c_in = 3, needs \"a multiple\" of 8";
  record[columns::repro] = "  blanks around  ";
  record[columns::kernel] = "\"";
  record[columns::dataset] = "straße, µ";
  record[columns::seed] = 9007199254740993;
  record[columns::git_dirty] = false;
  record[columns::time_min_us] = 0.125;
  CsvWriter writer(path);
  writer.append(record);
  writer.append(sample_row());
  const std::vector<Record> rows = read_csv(path);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].values(), record.values());
  EXPECT_EQ(rows[1].values(), sample_row().values());
}

TEST_F(CsvTest, NotMeasuredIsEmptyAndReadsBackAsNothing) {
  const auto path = folder_ / "results.csv";
  Record record = sample_row();
  record[columns::time_min_us] = std::nan("");
  record[columns::err_max_abs] = INFINITY;
  CsvWriter(path).append(record);
  const std::string text = content(path);
  const std::string row = text.substr(text.find('\n') + 1);
  EXPECT_EQ(row.find("nan"), std::string::npos);
  EXPECT_EQ(row.find("inf"), std::string::npos);
  EXPECT_EQ(read_csv(path).at(0).values().count("time_min_us"), 0u);
}

TEST_F(CsvTest, ARecordIsOneLine) {
  Record record = sample_row();
  record[columns::status_detail] = "first\r\nsecond";
  const std::string row = csv_row(record);
  EXPECT_EQ(row.find('\n'), row.size() - 1);
  EXPECT_EQ(row.find('\r'), std::string::npos);
}

TEST_F(CsvTest, RefusesAFileWithOtherColumns) {
  write(folder_ / "results.csv", "name,time\na,1\n");
  EXPECT_THROW(CsvWriter(folder_ / "results.csv"), Error);
  EXPECT_EQ(content(folder_ / "results.csv"), "name,time\na,1\n");
}

TEST_F(CsvTest, RefusesRecordsThatAreNoRows) {
  CsvWriter writer(folder_ / "results.csv");
  Record record = sample_row();
  record.named("speed") = 1.0;
  EXPECT_THROW(writer.append(record), std::logic_error);
  EXPECT_EQ(content(folder_ / "results.csv"), csv_header());
}

TEST_F(CsvTest, ReaderFindsColumnsByNameAndIgnoresOthers) {
  write(folder_ / "f.csv", "c_in,future,schema_version\n16,\"x, y\",1.7\n");
  const std::vector<Record> rows = read_csv(folder_ / "f.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].value(columns::c_in), Value(int64_t{16}));
  EXPECT_EQ(rows[0].values().size(), 2u);
}

TEST_F(CsvTest, ReaderNamesTheLineOfDamage) {
  const struct {
    const char* text;
    const char* found;
  } cases[] = {
      {"schema_version,c_in\n1.0,16\n1.0,many\n", "f.csv:3: c_in is \"many\""},
      {"schema_version,c_in\n1.0\n", "f.csv:2: has 1 fields, expected 2"},
      {"schema_version,c_in\n1.0,\"16\n", "f.csv:2"},
      {"schema_version,c_in\n9.0,16\n", "f.csv:2: written with schema 9.0"},
      {"c_in,c_out,c_in\n1,2,3\n", "f.csv:1: names the column c_in twice"},
      {"", "no header"},
  };
  for (const auto& one : cases) {
    write(folder_ / "f.csv", one.text);
    try {
      read_csv(folder_ / "f.csv");
      ADD_FAILURE() << one.text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(one.found), std::string::npos) << error.what();
    }
  }
}

TEST_F(CsvTest, FormulasDoNotRunInASpreadsheet) {
  for (const char* text :
       {"=1+1", "+1", "-a", "@SUM(A1)", "\t=1", "\t1", "  =1", " \t-a", "-", "--1", "-1.5a", "-inf",
        "=HYPERLINK(\"http://a\",\"b\")", "'=1", "''@a"}) {
    const std::string cell = csv_cell(text);
    EXPECT_EQ(cell.find('\''), cell.front() == '"' ? 1u : 0u) << cell;
  }
  EXPECT_EQ(csv_cell("\r=1"), "' =1");
  EXPECT_EQ(csv_cell("=a,b"), "\"'=a,b\"");
}

TEST_F(CsvTest, NumbersAndOtherTextsStayAsTheyAre) {
  for (const char* text : {"-1.5", "-1e-05", "-.5", "-9007199254740993", "-1e999", "0", "1-1",
                           "a=1", "'a", "'", "''", "'-1.5", "sphere:8", "", "\xef\xbc\x9d"})
    EXPECT_EQ(csv_cell(text), text);
  EXPECT_EQ(csv_cell(" "), "\" \"");
}

TEST_F(CsvTest, FormulasReadBackAsTheyWere) {
  const auto path = folder_ / "results.csv";
  for (const char* text :
       {"=1+1", "+1", "-a", "@a", "\t=1", "\ta", "  =1", "'=1", "''=1", "'", "'a", "'-1.5", "-1.5",
        "\t", "a\t", "=a,\"b\"", "-10,-10,-10:10,10,10"}) {
    Record record = sample_row();
    record[columns::dataset] = text;
    record[columns::status_detail] = text;
    record[columns::time_min_us] = -1.5;
    write_csv(path, std::vector<Record>{record});
    EXPECT_NE(content(path).find(",-1.5,"), std::string::npos);
    ASSERT_EQ(read_csv(path).size(), 1u);
    EXPECT_EQ(read_csv(path)[0].values(), record.values()) << text;
  }
}

}  // namespace
}  // namespace spb::report
