// SPDX-License-Identifier: Apache-2.0
#include "report/page/filters.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "report/summary/tables.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

std::string list_html(const char* name, const std::vector<std::string>& values) {
  if (values.size() < 2) return {};
  std::string text =
      fmt::format("<label>{0} <select name=\"{0}\"><option value=\"\">all</option>", name);
  for (const std::string& value : values)
    text += fmt::format("<option>{}</option>", xml_text(value));
  return text + "</select></label>\n";
}

std::vector<std::string> verdicts_of(const CaseSet& set) {
  std::vector<std::string> verdicts;
  for (const DeviceCases& device : set.devices)
    for (const Case& one : device.cases)
      if (std::string verdict = verdict_text(one);
          std::ranges::find(verdicts, verdict) == verdicts.end())
        verdicts.push_back(std::move(verdict));
  return verdicts;
}

}  // namespace

std::string filters_html(const CaseSet& set) {
  std::vector<std::string> devices;
  for (const DeviceCases& device : set.devices) devices.push_back(device.title());
  return "<form id=\"filters\" class=\"controls kept\" aria-label=\"Filter of all tables\" "
         "hidden>\n<label>words <input type=\"search\" name=\"words\" autocomplete=\"off\" "
         "placeholder=\"f16 masked fprop\" aria-describedby=\"filter-help\"></label>\n" +
         list_html("dtype", set.dtypes) + list_html("direction", set.directions) +
         list_html("algorithm", set.algorithms) + list_html("workload", set.workloads) +
         list_html("device", devices) + list_html("verdict", verdicts_of(set)) +
         "<button type=\"reset\">all rows</button>\n<output aria-live=\"polite\"></output>\n"
         "<p id=\"filter-help\" class=\"note\">Rows that have all words, each whole: f16 is not "
         "bf16. The parts of a name between _ @ : / → are words, too.</p>\n"
         "</form>\n";
}

}  // namespace spb::report
