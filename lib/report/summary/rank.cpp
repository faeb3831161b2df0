// SPDX-License-Identifier: Apache-2.0
#include "report/summary/rank.h"

#include <map>
#include <vector>

#include "report/records/fields.h"

namespace spb::report {

bool is_ranked(const Record& record) {
  return record.get(columns::status) == Status::ok &&
         record.get(columns::verify_status) == VerifyStatus::pass &&
         record.get(columns::time_median_us);
}

std::string competition(const Record& record) {
  std::string key = record.text(columns::run_id);
  for (const Field& field : fields())
    if (field.key && ColumnName(field) != columns::algorithm)
      key.append("\n").append(to_text(record.value(field)));
  return key;
}

void fill_rank(std::span<Record> records) {
  std::map<std::string, std::vector<Record*>> competitions;
  for (Record& record : records) {
    record[columns::rank] = std::nullopt;
    if (is_ranked(record)) competitions[competition(record)].push_back(&record);
  }
  const auto time = [](const Record* record) {
    return record->get(columns::time_median_us).value();
  };
  for (auto& [key, rows] : competitions)
    for (Record* row : rows) {
      int64_t rank = 1;
      for (const Record* other : rows) rank += time(other) < time(row);
      (*row)[columns::rank] = rank;
    }
}

}  // namespace spb::report
