// SPDX-License-Identifier: Apache-2.0
// records.jsonl, plain or compressed: rows that are accepted are written and read again.
#include "report/records/read_records.h"

#include <cstdlib>

#include "read.h"
#include "report/records/jsonl.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  const report::RecordSet set = report::read_records(path);
  for (const Record& row : set.rows) {
    const Record again = report::parse_result(report::result_line(row, {}), "the line", {});
    if (report::result_line(again, {}) != report::result_line(row, {})) std::abort();
  }
}
