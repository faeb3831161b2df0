// SPDX-License-Identifier: Apache-2.0
// samples.csv, of all the rows that it names.
#include "report/records/read_samples.h"

#include <cstdlib>
#include <set>

#include "read.h"
#include "report/records/csv.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  std::set<std::string> keys;
  report::visit_csv(path, [&](const auto& header, const auto& cells, const std::string&) {
    Record row;
    for (size_t column = 0; column < header.size(); ++column)
      if (header[column] == columns::run_id.name || header[column] == columns::case_id.name)
        row.named(header[column]) = cells[column];
    keys.insert(report::sample_key(row));
  });
  // It looks for samples.csv beside the file of records.
  const std::filesystem::path files[] = {path.parent_path() / "records.jsonl"};
  if (report::read_samples(files, keys).size() > keys.size()) std::abort();
}
