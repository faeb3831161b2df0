#include "report/summary/rank.h"

#include <map>
#include <vector>

#include "report/records/fields.h"

namespace spb::report {

bool is_ranked(const Record& record) {
  return record.text("status") == "ok" && record.text("verify_status") == "pass" &&
         std::holds_alternative<double>(record.get("time_median_us"));
}

std::string competition(const Record& record) {
  std::string key = record.text("run_id");
  for (const Field& field : fields())
    if (field.key && std::string_view(field.name) != "algorithm")
      key.append("\n").append(to_text(record.get(field.name)));
  return key;
}

void fill_rank(std::span<Record> records) {
  std::map<std::string, std::vector<Record*>> competitions;
  for (Record& record : records) {
    record["rank"] = Value();
    if (is_ranked(record)) competitions[competition(record)].push_back(&record);
  }
  const auto time = [](const Record* record) {
    return std::get<double>(record->get("time_median_us"));
  };
  for (auto& [key, rows] : competitions)
    for (Record* row : rows) {
      int64_t rank = 1;
      for (const Record* other : rows) rank += time(other) < time(row);
      (*row)["rank"] = rank;
    }
}

}  // namespace spb::report
