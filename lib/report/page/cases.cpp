// SPDX-License-Identifier: Apache-2.0
#include "report/page/cases.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

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

/// The settings that ran: "split 1, order gray" of {"tile_m":64,"split":1,"order":"gray"}. Tiles
/// stand in the kernel's name.
std::string settings_html(const Case& one) {
  std::string params = one.main->text(columns::algorithm_params), text;
  std::erase_if(params, [](char c) { return c == '{' || c == '}' || c == '"'; });
  std::istringstream parts(params);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.starts_with("tile_")) continue;
    std::ranges::replace(part, ':', ' ');
    text += (text.empty() ? "" : ", ") + part;
  }
  return xml_text(text);
}

enum class CellKind { text, number, settings };

struct PageColumn {
  const char* header;
  CellKind kind;
  std::string (*html)(const Line& line);
};
constexpr PageColumn kColumns[] = {
    {"workload", CellKind::text,
     [](const Line& line) { return xml_text(line.set->workloads[line.one->workload]); }},
    {"algorithm", CellKind::text, [](const Line& line) { return xml_text(line.one->algorithm); }},
    {"dtype", CellKind::text, [](const Line& line) { return xml_text(line.one->dtype); }},
    {"direction", CellKind::text, [](const Line& line) { return xml_text(line.one->direction); }},
    {"device", CellKind::text,
     [](const Line& line) {
       return line.set->devices.size() > 1 ? xml_text(line.device->title()) : std::string();
     }},
    {"verdict", CellKind::text, [](const Line& line) { return verdict_html(*line.one); }},
    {"cold [ms]", CellKind::number,
     [](const Line& line) {
       return phase_ms(*line.one, name(CacheState::cold)) +
              (line.one->fastest && line.device->cache == name(CacheState::cold) ? " *" : "");
     }},
    {"hot [ms]", CellKind::number,
     [](const Line& line) {
       return phase_ms(*line.one, name(CacheState::hot)) +
              (line.one->fastest && line.device->cache == name(CacheState::hot) ? " *" : "");
     }},
    {"kernel", CellKind::settings,
     [](const Line& line) { return xml_text(line.one->main->text(columns::kernel)); }},
    {"settings", CellKind::settings, [](const Line& line) { return settings_html(*line.one); }},
    {"error / bound", CellKind::number,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::err_max_tol_ratio));
     }},
    {"noise [%]", CellKind::number,
     [](const Line& line) { return shown(100 * number_of(*line.one->main, columns::noise_rel)); }},
    {"map_build [ms]", CellKind::number,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::map_build)); }},
    {"plan [ms]", CellKind::number,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::plan)); }},
    {"end to end [ms]", CellKind::number,
     [](const Line& line) { return phase_ms(*line.one, name(Phase::end_to_end)); }},
    {"wall [ms]", CellKind::number,
     [](const Line& line) {
       const Record* row = line.one->row(name(Phase::end_to_end));
       return row ? shown(number_of(*row, columns::wall_median_us) / 1e3) : std::string();
     }},
    {"TFLOP/s", CellKind::number,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::throughput_gflops) / 1e3);
     }},
    {"GB/s", CellKind::number,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::bandwidth_gbps)); }},
    {"roofline [%]", CellKind::number,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::roofline_pct)); }},
    {"dense GEMM [%]", CellKind::number,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::dense_gemm_pct)); }},
    {"over explicit", CellKind::number,
     [](const Line& line) {
       return line.one->speedup > 0 ? three_digits(line.one->speedup) : std::string();
     }},
    {"redundancy", CellKind::number,
     [](const Line& line) { return shown(number_of(*line.one->main, columns::redundancy)); }},
    {"memory [MB]", CellKind::number,
     [](const Line& line) {
       return shown(number_of(*line.one->main, columns::peak_total_bytes) / 1e6);
     }},
};

/// What else there is to know of a row, in the order shown.
constexpr ColumnName kDetails[] = {columns::status_detail,
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

const char* class_of(const PageColumn& column) {
  return column.kind == CellKind::number     ? " class=\"n\""
         : column.kind == CellKind::settings ? " class=\"whole\""
                                             : "";
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

  std::string text =
      open_table({"cases-table", "", "", true}, "All cases; times are medians") + "<thead><tr>";
  for (const PageColumn* column : used)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", class_of(*column), xml_text(column->header));
  text += "<th scope=\"col\" class=\"repeat\">repeat it</th></tr></thead>\n<tbody>\n";
  for (const Line& line : lines) {
    text += line.one->fastest ? "<tr class=\"fastest\">" : "<tr>";
    for (const PageColumn* column : used) {
      const char* tag = column == used.front() ? "th scope=\"row\"" : "td";
      text += fmt::format("<{}{}>{}</{}>", tag, class_of(*column), column->html(line),
                          column == used.front() ? "th" : "td");
    }
    text += "<td class=\"repeat\">" + details_html(*line.one) + "</td></tr>\n";
  }
  return text + close_table();
}

}  // namespace spb::report
