// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "page_assets.h"
#include "report/page/cases.h"
#include "report/page/html.h"
#include "report/records/fields.h"
#include "report/summary/answer.h"
#include "report/summary/summary.h"
#include "report/summary/tables.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

struct Section {
  const char* id;
  const char* heading;
  std::string content;
};

std::string device_heading(const DeviceCases& device) {
  std::string text = fmt::format("<h3>{}</h3>\n", xml_text(device.title()));
  if (device.is_host()) text += fmt::format("<p class=\"note\">{}</p>\n", xml_text(kHostHeading));
  return text;
}

/// One sentence per device: what a reader wants to know first.
std::string verdict_sentences(const CaseSet& set) {
  std::string text;
  for (const DeviceCases& device : set.devices) {
    const auto count = [&](auto... verdicts) {
      return std::ranges::count_if(device.cases, [&](const Case& one) {
        const std::string verdict = verdict_text(one);
        return ((verdict == verdicts) || ...);
      });
    };
    const auto throttled = std::ranges::count_if(device.cases, [](const Case& one) {
      return one.main->get(columns::status) == Status::throttled &&
             one.main->get(columns::verify_status) == VerifyStatus::pass;
    });
    const auto right = count(name(VerifyStatus::pass)) + throttled;
    const auto wrong =
        count(name(Status::incorrect), name(Status::mistrusted), name(VerifyStatus::fail));
    const auto failed = count(name(Status::oom), name(Status::error), name(Status::timeout));
    const auto refused = count(name(Status::unsupported), name(Status::skipped));
    const auto unproven =
        static_cast<int64_t>(device.cases.size()) - right - wrong - failed - refused;
    const bool good = wrong + failed + unproven == 0;
    text += fmt::format("<p class=\"verdict\"><span class=\"{}\">{} {} of {} cases verified</span>",
                        good ? "good" : "bad", good ? "✓" : "✗", right, device.cases.size());
    if (throttled) text += fmt::format(", {} of them measured while throttled", throttled);
    if (unproven) text += fmt::format(", {} not verified", unproven);
    if (wrong) text += fmt::format(", {} wrong or mistrusted", wrong);
    if (failed) text += fmt::format(", {} failed to run", failed);
    if (refused) text += fmt::format(", {} unsupported or skipped", refused);
    text += fmt::format(" on {}</p>\n", xml_text(device.title()));
  }
  return text;
}

std::string plots_html(std::span<const Plot> plots) {
  std::string text, kind;
  const auto close = [&] { return std::exchange(kind, "").empty() ? "" : "</div>\n"; };
  const DeviceCases* device = nullptr;
  for (const Plot& plot : plots) {
    if (plot.svg.empty()) continue;
    if (plot.device != device) {
      text += close();
      device = plot.device;
      if (device) text += device_heading(*device);
    }
    if (plot.kind != kind) {
      text += close() + fmt::format("<h4>{}</h4>\n<div class=\"figures\">\n", xml_text(plot.kind));
      kind = plot.kind;
    }
    text += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                        inline_svg(plot.svg), xml_text(plot.description));
  }
  text += close();
  if (text.empty())
    return "<p class=\"note\">No plots: gnuplot was left out or not installed when this page was "
           "made.</p>\n";
  return text;
}

std::string contexts_html(const RecordSet& records) {
  std::string text;
  for (const Record& context : records.contexts) {
    text += fmt::format("<details><summary>all of {}</summary>\n<dl>\n",
                        xml_text(context.text(columns::run_id)));
    for (const auto& [name, value] : context.values())
      if (const std::string shown = to_text(value); !shown.empty())
        text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_text(name), xml_text(shown));
    text += "</dl>\n</details>\n";
  }
  return text;
}

}  // namespace

std::string page(const RecordSet& records, const CaseSet& set, std::span<const Plot> plots,
                 std::span<const int64_t> runs) {
  Footnotes footnotes;
  std::string answers, fastest, times;
  for (const DeviceCases& device : set.devices) {
    answers += device_heading(device);
    for (const std::string& line : answer_lines(device, runs))
      answers += "<p class=\"answer\">" + xml_text(line) + "</p>\n";
    answers += html_table(totals_table(set, device, runs));
    fastest += device_heading(device) + html_table(fastest_table(set, device));
    times += device_heading(device) + "<div class=\"times\">\n";
    for (const SummaryTable& table : time_tables(set, device, footnotes))
      times += html_table(table);
    times += "</div>\n";
  }
  const std::string note = "<p class=\"note\">All cases: " + xml_text(common_text(set)) + "</p>\n";
  const Section sections[] = {
      {"answer", "What to use", answers},
      {"verdicts", "Verdicts",
       verdict_sentences(set) + html_list(general_notes(records, set)) +
           html_table(verdict_table(set)) + (set.constants.empty() ? "" : note)},
      {"fastest", "Fastest kernels", html_table(devices_table(set)) + fastest},
      {"plots", "Plots", plots_html(plots)},
      {"times", "Times by algorithm", times},
      {"cases", "All cases", cases_section(set)},
      {"runs", "Runs", html_table(runs_table(records)) + contexts_html(records)},
      {"marks", "Marks", html_list(mark_notes(set, footnotes))},
  };

  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing may come from elsewhere, whatever a record says.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"lead\">Which sparse convolution algorithm is right, how fast it is, and what it "
      "costs in memory.</p>\n<nav aria-label=\"Sections\">",
      xml_text("spconv-bench: " + report_title(set)), kPageStyle);
  for (const Section& section : sections)
    text += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.heading);
  text += "</nav>\n</header>\n<main>\n";
  for (const Section& section : sections)
    text += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}"
        "</section>\n",
        section.id, section.heading, section.content);
  return text + "</main>\n<script>\n" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace spb::report
