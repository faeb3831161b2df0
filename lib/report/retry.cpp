#include "report/retry.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "report/append_file.h"

namespace spb::report {

void drop_cases(const std::filesystem::path& out_dir, const std::string& gpu_uuid,
                const std::set<std::string>& statuses) {
  const std::filesystem::path path = out_dir / "records.jsonl";
  std::istringstream lines(read_text(path));
  std::string kept, of_case;  // of_case: result lines behind the last case_end
  bool drops = false, is_ours = false;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object())
      throw input_error(path.string(), "holds a line that is no JSON object");
    const std::string type = record.value("type", "");
    if (type == "context") is_ours = record.value("gpu_uuid", "") == gpu_uuid;
    of_case += line + "\n";
    if (type == "result") {
      drops |= is_ours && statuses.contains(record.value("status", ""));
      continue;
    }
    if (!drops || type != "case_end") kept += of_case;
    drops = false;
    of_case.clear();
  }
  replace_text(path, kept + of_case);
}

}  // namespace spb::report
