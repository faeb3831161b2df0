// SPDX-License-Identifier: Apache-2.0
// The rows of one side, by device and case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/records/read_records.h"

namespace spb::report {

/// case_id without phase and cache. A case that crashed has one row, and not all of its keys are
/// known: its name finds the rows it would have had.
std::string case_name(const Record& row);

/// Whether the row has failed: incorrect, mistrusted, oom, error or timeout.
bool is_wrong(const Record& row);   ///< incorrect or mistrusted
bool is_broken(const Record& row);  ///< oom, error or timeout
/// ok or throttled.
bool is_good(const Record& row);

/// "NVIDIA H200", "AMD EPYC (host)".
std::string device_name(const Record& row);
bool is_host(const Record& row);

/// Everything one side holds of one device.
struct DeviceRows {
  std::string name;
  std::vector<std::string> order;                           ///< names of cases, as in the files
  std::map<std::string, std::vector<const Record*>> cases;  ///< by name
  const std::vector<const Record*>* find(const std::string& case_name) const;
};

/// By device, in order of appearance. Of a case that several runs hold only the last run's rows are
/// taken, of a row that one run holds twice the last. `repeated` counts the others.
std::vector<DeviceRows> group_by_device(const std::vector<Record>& rows, int64_t& repeated);

}  // namespace spb::report
