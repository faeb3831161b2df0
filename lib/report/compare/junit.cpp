// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/compare/drift_text.h"
#include "report/compare/tables.h"
#include "report/compare/writers.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

std::string message(const ComparedRow& row) {
  std::string text = name(row.change);
  if (row.ratio) text += fmt::format(": ratio {:.3f}, {}", *row.ratio, change_text(*row.ratio));
  if (row.interval)
    text += fmt::format(", 95 % interval {:.3f} to {:.3f}", row.interval->lo, row.interval->hi);
  return row.detail.empty() ? text : text + ": " + row.detail;
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, skipped = 0;

  void add(const std::string& group, const std::string& name, const char* result,
           const std::string& type, const std::string& text) {
    ++tests;
    cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(group), xml_text(name));
    if (!result) {
      cases += "/>\n";
      return;
    }
    const bool failed = std::string_view(result) == "failure";
    ++(failed ? failures : skipped);
    cases += fmt::format(">\n      <{}{} message=\"{}\"/>\n    </testcase>\n", result,
                         failed ? fmt::format(" type=\"{}\"", type) : "", xml_text(text));
  }
};

/// Nothing for a verdict that is fine.
const char* result(Change change, const Gate& gate) {
  if (gate.fails(change)) return "failure";
  switch (change) {
    case Change::slower:
    case Change::faster:
    case Change::same:
    case Change::fixed:
    case Change::relative:
      return nullptr;
    default:
      return "skipped";
  }
}

}  // namespace

std::string compare_junit(const CompareReport& report) {
  std::string suites;
  for (const DeviceComparison& device : report.comparison.devices) {
    Suite suite;
    for (const ComparedRow& row : device.rows)
      suite.add(row.either().text(columns::algorithm), row.either().text(columns::case_id),
                result(row.change, report.gate), name(row.change), message(row));
    for (const MemoryChange& change : device.memory)
      suite.add("memory", change.case_name + "/" + change.column,
                change.worse && report.gate.fails_on_memory() ? "failure" : nullptr, "memory",
                fmt::format("{} bytes before, {} now", change.base, change.next));
    std::string properties;
    if (device.judges_times())
      properties = fmt::format(
          "    <properties>\n      <property name=\"process_drift\" value=\"{}\"/>\n"
          "    </properties>\n",
          xml_text(drift_text(device.drift)));
    const std::string device_name = device.next_name.empty() ? device.base_name : device.next_name;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n"
        "{}{}  </testsuite>\n",
        xml_text(device_name), suite.tests, suite.failures, suite.skipped, properties, suite.cases);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"spconv-bench "
         "compare\">\n" +
         suites + "</testsuites>\n";
}

}  // namespace spb::report
