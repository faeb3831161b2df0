// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "core/one_line.h"
#include "report/summary/answer.h"
#include "report/summary/case_table.h"
#include "report/summary/rows.h"
#include "report/text/table.h"
#include "report/text/table_layout.h"

namespace spb::app {
namespace {

constexpr size_t kLeastName = 12;  // columns of a case's name in a narrow terminal

std::string clock_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string Progress::counter() const { return fmt::format("[{}/{}]", finished_ + 1, cases_); }

/// "412 µs ±0.4%" of the kernel phase, else the status with its reason.
std::string Progress::outcome(std::span<const Record> rows) {
  const Record& first = rows.front();
  const bool throttled = first.get(columns::status) == Status::throttled;
  if (first.get(columns::status) != Status::ok && !throttled) {
    const std::string detail = first.text(columns::status_detail);
    const bool repeated = detail == std::exchange(last_detail_, detail);
    return first.text(columns::status) + (repeated ? "" : ": " + detail);
  }
  const double median = first.number(columns::time_median_us).value_or(0);
  if (median <= 0) return "verified: " + first.text(columns::verify_status);
  std::string text = report::time_text(median);
  const double low = first.number(columns::time_ci95_lo_us).value_or(0),
               high = first.number(columns::time_ci95_hi_us).value_or(0);
  if (high > 0) text += fmt::format(" ±{:.1f}%", 50 * (high - low) / median);
  if (first.get(columns::verify_status) != VerifyStatus::pass)
    text += " (" + first.text(columns::verify_status) + ")";
  if (throttled) text += " (throttled)";
  return text;
}

void Progress::planned(const suite::CaseEstimate& estimate) {
  ++planned_;
  largest_bytes_ = std::max(largest_bytes_, estimate.least_bytes);
  planned_s_ += estimate.cost_s;
  fmt::print("{}", one_line(estimate.case_id));
  if (estimate.most_made > 0)
    fmt::print("  makes at most {} ({} to tell them apart)", estimate.most_made,
               report::bytes_text(estimate.most_made_bytes));
  if (estimate.n_pairs == 0 && estimate.most_made > 0)
    fmt::print(", more than is free: will be refused\n");
  else
    fmt::print("  n_in {}  n_out {}  n_pairs {}  at least {}\n", estimate.n_in, estimate.n_out,
               estimate.n_pairs, report::bytes_text(estimate.least_bytes));
}

void Progress::print_plan_total() const {
  fmt::print(
      "{} cases, device memory at least {} (operands, coords and map; workspace comes on "
      "top), about {} at most (timing to its limits, the reference on the CPU)\n",
      planned_, report::bytes_text(largest_bytes_), clock_text(planned_s_));
}

void Progress::start(size_t cases) {
  cases_ = cases;
  finished_ = 0;
  last_detail_.clear();
  start_ = std::chrono::steady_clock::now();
}

std::string Progress::time_left() const {
  if (finished_ == 0) return {};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double left_s =
      elapsed.count() / static_cast<double>(finished_) * static_cast<double>(cases_ - finished_);
  return " ETA " + clock_text(left_s);
}

/// In one line of the terminal: of a long name the end, which tells cases apart.
void Progress::show(const std::string& begin, const std::string& case_id, const std::string& end) {
  const size_t taken = report::display_width(begin) + report::display_width(end) + 2;
  const size_t width = console().progress_width();
  const size_t room = width > taken + kLeastName ? width - taken : kLeastName;
  console().rewrite(begin + " " + report::ending(case_id, room) + " " + end);
}

void Progress::begin(const std::string& case_id) {
  if (console().verbosity() > 1)
    console().note(fmt::format("{} {} ...", counter(), case_id));
  else
    show(counter() + time_left(), case_id, "...");
}

void Progress::end(const std::string& case_id, std::span<const Record> rows) {
  const std::string count = counter(), said = outcome(rows);
  ++finished_;
  const bool failed = rows.front().get(columns::status) != Status::ok;
  if (console().is_terminal() && console().verbosity() == 1 && !failed)
    show(count + time_left(), case_id, said);
  else
    console().note(fmt::format("{} {} {}", count, case_id, said));
}

void Progress::results(std::span<const Record> rows) {
  console().clear();
  std::vector<Record> sorted(rows.begin(), rows.end());
  report::sort_rows(sorted);
  const report::CaseSet set = report::collect_cases(sorted, known_);
  const size_t width = console().output_width();
  std::string text;
  for (const report::DeviceCases& device : set.devices) {
    for (const std::string& line : report::answer_lines(device, runs_))
      text += fmt::format("{}\n", fmt::join(report::wrapped(line, width), "\n"));
    if (!text.empty()) text += '\n';
  }
  for (const report::TableLayout& table : report::case_tables(set, runs_.front(), width))
    text += report::draw_table(table);
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace spb::app
