// SPDX-License-Identifier: Apache-2.0
#include "report/compare/match.h"

#include <algorithm>

#include "report/records/fields.h"

namespace spb::report {

std::string case_name(const Record& row) {
  std::string name = row.text(columns::case_id);
  if (name.empty()) return row_key(row, {columns::phase, columns::cache, columns::backend});
  const std::string layers = to_text(row.value(columns::layers));
  for (const std::string& part : {layers, row.text(columns::cache), row.text(columns::phase)})
    if (const std::string end = "/" + part; end.size() > 1 && name.ends_with(end))
      name.resize(name.size() - end.size());
  return name;
}

bool is_wrong(const Record& row) {
  const auto status = row.get(columns::status);
  return status == Status::incorrect || status == Status::mistrusted;
}

bool is_broken(const Record& row) {
  const auto status = row.get(columns::status);
  return status == Status::oom || status == Status::error || status == Status::timeout;
}

bool is_good(const Record& row) {
  const auto status = row.get(columns::status);
  return status == Status::ok || status == Status::throttled;
}

bool is_host(const Record& row) { return row.text(columns::backend) == "host"; }

std::string device_name(const Record& row) {
  return row.text(columns::gpu_name) + (is_host(row) ? " (host)" : "");
}

const std::vector<const Record*>* DeviceRows::find(const std::string& case_name) const {
  const auto found = cases.find(case_name);
  return found == cases.end() ? nullptr : &found->second;
}

std::vector<DeviceRows> group_by_device(const std::vector<Record>& rows, int64_t& repeated) {
  std::vector<DeviceRows> devices;
  for (const Record& row : rows) {
    const std::string device = device_name(row);
    auto found = std::ranges::find(devices, device, &DeviceRows::name);
    if (found == devices.end())
      found = devices.insert(devices.end(), DeviceRows{.name = device, .order = {}, .cases = {}});
    const std::string name = case_name(row);
    std::vector<const Record*>& known = found->cases[name];
    if (known.empty()) found->order.push_back(name);
    repeated += static_cast<int64_t>(std::erase_if(known, [&](const Record* earlier) {
      return earlier->text(columns::run_id) != row.text(columns::run_id) ||
             row_key(*earlier) == row_key(row);
    }));
    known.push_back(&row);
  }
  return devices;
}

}  // namespace spb::report
