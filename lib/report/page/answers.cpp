// SPDX-License-Identifier: Apache-2.0
#include "report/page/answers.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/summary/answer.h"
#include "report/summary/summary.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

/// How many cases ended how.
std::string verdict_sentence(const DeviceCases& device) {
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
  std::string text =
      fmt::format("<p class=\"verdict\"><span class=\"{}\">{} {} of {} cases verified</span>",
                  good ? "good" : "bad", good ? "✓" : "✗", right, device.cases.size());
  if (throttled) text += fmt::format(", {} of them measured while throttled", throttled);
  if (unproven) text += fmt::format(", {} not verified", unproven);
  if (wrong) text += fmt::format(", {} wrong or mistrusted", wrong);
  if (failed) text += fmt::format(", {} failed to run", failed);
  if (refused) text += fmt::format(", {} unsupported or skipped", refused);
  return text + "</p>\n";
}

/// What the line is about, up to its first colon, stands out.
std::string answer_html(const std::string& line) {
  const size_t end = line.find(": ");
  const size_t lead = end == std::string::npos ? 0 : end + 1;
  return fmt::format("<p class=\"answer\"><b>{}</b>{}</p>\n", xml_text(line.substr(0, lead)),
                     xml_text(line.substr(lead)));
}

}  // namespace

std::string device_heading(const DeviceCases& device) {
  std::string text = fmt::format("<h3>{}</h3>\n", xml_text(device.title()));
  if (device.is_host()) text += fmt::format("<p class=\"note\">{}</p>\n", xml_text(kHostHeading));
  return text;
}

std::string answers_html(const CaseSet& set, std::span<const int64_t> runs) {
  std::string text;
  for (const DeviceCases& device : set.devices) {
    text += device_heading(device) + "<div class=\"answers\">\n";
    for (const std::string& line : answer_lines(device, runs)) text += answer_html(line);
    text += verdict_sentence(device) + "</div>\n";
  }
  return text;
}

}  // namespace spb::report
