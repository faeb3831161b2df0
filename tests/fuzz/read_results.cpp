// SPDX-License-Identifier: Apache-2.0
// results.csv: rows that are accepted are written and read again.
#include <cstdlib>

#include "read.h"
#include "report/records/csv.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  const std::vector<Record> rows = report::read_csv(path);
  report::write_csv(path, rows);
  const std::vector<Record> again = report::read_csv(path);
  if (again.size() != rows.size()) std::abort();
  for (size_t row = 0; row < rows.size(); ++row)
    if (report::csv_row(again[row]) != report::csv_row(rows[row])) std::abort();
}
