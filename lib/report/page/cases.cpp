// SPDX-License-Identifier: Apache-2.0
#include "report/page/cases.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/page/html.h"
#include "report/records/fields.h"
#include "report/summary/rows.h"
#include "report/summary/tables.h"
#include "report/text/table_layout.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

struct Line {
  const CaseSet* set;
  const DeviceCases* device;
  const Case* one;
};

std::string shown(double value) { return std::isnan(value) ? "" : three_digits(value); }

std::string phase_ms(const Case& one, const char* phase) {
  return shown(one.number(phase, columns::time_median_us) / 1e3);
}

/// A measured case that is proven right, one proven wrong, or neither: a sign beside the word.
std::string verdict_html(const Case& one) {
  const std::string verdict = verdict_text(one);
  const bool good = verdict == name(VerifyStatus::pass),
             bad = verdict == name(Status::incorrect) || verdict == name(Status::mistrusted) ||
                   verdict == name(VerifyStatus::fail) || verdict == name(Status::error);
  return fmt::format("<span class=\"{}\">{} {}</span>",
                     good  ? "good"
                     : bad ? "bad"
                           : "neither",
                     good  ? "✓"
                     : bad ? "✗"
                           : "–",
                     xml_text(verdict));
}

struct PageColumn {
  const char* header;
  bool numeric;
  bool filter;  ///< has a list to choose from
  std::string (*html)(const Line& line);
};
constexpr PageColumn kColumns[] = {
    {"workload", false, true,
     [](const Line& line) { return xml_text(line.set->workloads[line.one->workload]); }},
    {"algorithm", false, true, [](const Line& line) { return xml_text(line.one->algorithm); }},
    {"dtype", false, true, [](const Line& line) { return xml_text(line.one->dtype); }},
    {"direction", false, true, [](const Line& line) { return xml_text(line.one->direction); }},
    {"device", false, true,
     [](const Line& line) {
       return line.set->devices.size() > 1 ? xml_text(line.device->title()) : std::string();
     }},
    {"verdict", false, true, [](const Line& line) { return verdict_html(*line.one); }},
    {"error / bound", true, false,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::err_max_tol_ratio));
     }},
    {"cold [ms]", true, false,
     [](const Line& line) {
       return phase_ms(*line.one, name(CacheState::cold)) +
              (line.one->fastest && line.device->cache == name(CacheState::cold) ? " *" : "");
     }},
    {"hot [ms]", true, false,
     [](const Line& line) {
       return phase_ms(*line.one, name(CacheState::hot)) +
              (line.one->fastest && line.device->cache == name(CacheState::hot) ? " *" : "");
     }},
    {"noise [%]", true, false,
     [](const Line& line) { return shown(100 * number_of(*line.one->main, columns::noise_rel)); }},
    {"map_build [ms]", true, false,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::map_build)); }},
    {"plan [ms]", true, false,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::plan)); }},
    {"end to end [ms]", true, false,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::end_to_end)); }},
    {"GFLOP/s", true, false,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::throughput_gflops));
     }},
    {"GB/s", true, false,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::bandwidth_gbps)); }},
    {"roofline [%]", true, false,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::roofline_pct)); }},
    {"dense GEMM [%]", true, false,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::dense_gemm_pct)); }},
    {"over explicit", true, false,
     [](const Line& line) {
       return line.one->speedup > 0 ? three_digits(line.one->speedup) : std::string();
     }},
    {"redundancy", true, false,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::redundancy)); }},
    {"memory [MB]", true, false,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::peak_total_bytes) / 1e6);
     }},
};

/// What else there is to know of a row, in the order shown.
constexpr ColumnName kDetails[] = {columns::status_detail,
                                   columns::kernel,
                                   columns::samples,
                                   columns::time_ci95_lo_us,
                                   columns::time_ci95_hi_us,
                                   columns::timing_method,
                                   columns::stop_reason,
                                   columns::verify_modes,
                                   columns::verified_fraction,
                                   columns::deterministic,
                                   columns::workspace_bytes,
                                   columns::persistent_bytes,
                                   columns::bytes_per_voxel,
                                   columns::roofline_bound,
                                   columns::throttle_reasons,
                                   columns::sm_clock_mhz,
                                   columns::n_in,
                                   columns::n_out,
                                   columns::n_pairs,
                                   columns::run_id};

std::string details_html(const Case& one) {
  std::string facts;
  for (const ColumnName column : kDetails) {
    const std::string value = to_text(one.main->value(column));
    if (!value.empty())
      facts += fmt::format("{}{} {}", facts.empty() ? "" : " · ", column.name, xml_text(value));
  }
  return fmt::format("<details><summary>repro</summary><code>{}</code><p>{}</p></details>",
                     xml_text(one.main->text(columns::repro)), facts);
}

std::string filters_html(const std::vector<Line>& lines) {
  std::string text =
      "<form class=\"filters\" hidden>\n<label>words <input type=\"search\" name=\"words\" "
      "placeholder=\"masked f16 fprop\" autocomplete=\"off\"></label>\n";
  for (const PageColumn& column : kColumns) {
    if (!column.filter) continue;
    std::vector<std::string> values;
    for (const Line& line : lines)
      if (const std::string value = column.html(line);
          std::ranges::find(values, value) == values.end())
        values.push_back(value);
    if (values.size() < 2) continue;
    text += fmt::format("<label>{0} <select name=\"{0}\"><option value=\"\">all</option>",
                        column.header);
    for (const std::string& value : values) text += fmt::format("<option>{}</option>", value);
    text += "</select></label>\n";
  }
  return text +
         "<button type=\"reset\">all cases</button>\n<output aria-live=\"polite\"></output>\n"
         "</form>\n";
}

}  // namespace

std::string cases_section(const CaseSet& set) {
  std::vector<Line> lines;
  for (const DeviceCases& device : set.devices)
    for (const Case& one : device.cases) lines.push_back({&set, &device, &one});
  std::vector<const PageColumn*> used;
  for (const PageColumn& column : kColumns)
    if (std::ranges::any_of(lines, [&](const Line& line) { return !column.html(line).empty(); }))
      used.push_back(&column);

  std::string text = filters_html(lines);
  text +=
      "<div class=\"scroll tall\" role=\"region\" tabindex=\"0\" aria-label=\"All cases\">\n"
      "<table id=\"cases-table\">\n<caption>All cases; times are medians</caption>\n<thead><tr>";
  for (const PageColumn* column : used)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column->numeric ? " class=\"n\"" : "",
                        xml_text(column->header));
  text += "<th scope=\"col\" class=\"fold\">repeat it</th></tr></thead>\n<tbody>\n";
  for (const Line& line : lines) {
    text += line.one->fastest ? "<tr class=\"fastest\">" : "<tr>";
    for (const PageColumn* column : used) {
      const char* tag = column == used.front() ? "th scope=\"row\"" : "td";
      text += fmt::format("<{}{}>{}</{}>", tag, column->numeric ? " class=\"n\"" : "",
                          column->html(line), column == used.front() ? "th" : "td");
    }
    text += "<td class=\"fold\">" + details_html(*line.one) + "</td></tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace spb::report
