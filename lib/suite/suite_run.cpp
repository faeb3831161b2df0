// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_run.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "config/quantity.h"
#include "gpu/device_info.h"
#include "kernels/kernel_variants.h"
#include "maps/maps.h"
#include "report/records/record_files.h"
#include "suite/case_rounds.h"
#include "suite/clock_lock.h"
#include "suite/continued_run.h"
#include "suite/dry_run.h"
#include "suite/environment.h"
#include "suite/exit_codes.h"
#include "suite/find_tuning.h"
#include "suite/given_choices.h"
#include "suite/interrupt.h"
#include "suite/isolated_runner.h"
#include "suite/options.h"
#include "suite/out_folder.h"
#include "suite/peaks_file.h"
#include "suite/run_words.h"
#include "suite/samples_file.h"
#include "suite/shard_anchor.h"
#include "suite/shard_run.h"
#include "tuning/tuning_file.h"

namespace spb::suite {
namespace {

using config::CaseSpec;

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

bool isolates(const SuiteRunOptions& options) {
  if (options.no_isolate) return false;
  return options.isolate || options.timeout_s > 0 || !gpu::on_host();
}

/// Freed memory stays with the process: operands of gigabytes come and go with every case, and new
/// pages cost more than what is done with them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

/// Only where something is timed.
std::optional<bench::Peaks> peaks_for(const SuiteRunOptions& options,
                                      const gpu::DeviceInfo& device) {
  return options.run.time ? find_peaks(options.peaks, device) : std::nullopt;
}

Record columns_of(const std::string& run_id, const gpu::DeviceInfo& device, const ClockLock& lock,
                  double rest_rel) {
  Record columns = run_columns(run_id, device);
  if (!lock.policy().empty()) columns[columns::clock_policy] = lock.policy();
  if (rest_rel > 0)
    columns[columns::clock_policy] =
        fmt::format("{}, rest {}", columns.text(columns::clock_policy), rest_rel);
  return columns;
}

/// The table with what is forced on all plans.
std::vector<Algorithm> with_choice(std::span<const Algorithm> algorithms, const Choice& forced) {
  std::vector<Algorithm> chosen(algorithms.begin(), algorithms.end());
  for (Algorithm& algorithm : chosen) algorithm.choice = forced;
  return chosen;
}

bool did_not_run(const Record& row) {
  const auto status = row.get(columns::status);
  return status == Status::unsupported || status == Status::skipped;
}

/// Of a suspect case: what lasts longer is no accident.
constexpr int kReruns = 2;

/// The suite on one device.
class SuiteRun {
 public:
  SuiteRun(const SuiteRunOptions& options, const PlannedCases& plan, const gpu::DeviceInfo& device,
           const std::string& run_id, Observer& observer)
      : options_(options),
        plan_(plan),
        observer_(observer),
        clock_lock_(device.uuid, options.lock_clocks, options.require_lock, observer),
        columns_(columns_of(run_id, device, clock_lock_, options.run.timing.rest_rel)),
        earlier_(earlier_run(options, plan, columns_, observer)) {
    observer.start(plan.cases.size() - earlier_.cases.size());
    const std::vector<std::string> words = command_line();
    if (!options.out.empty()) open_files(device, words);
    if (isolates(options)) {
      runner_ =
          std::make_unique<IsolatedRunner>(plan, words, device.index, options.timeout_s, observer);
    } else {
      gpu::use_device(device.index);
      runner_ = std::make_unique<LocalRunner>(
          plan, observer, [&](const std::string& line) { observer_.note("  " + line); });
    }
  }

  ExitCode run() {
    handle_interrupts(!observer_.is_quiet());
    for (const Record& row : earlier_.results) {
      hashes_.add(row);
      count(row);
    }
    if (plan_.anchor && earlier_.cases.size() < plan_.cases.size()) measure_anchor();
    for (size_t first = 0; first < plan_.cases.size() && !interrupted();) {
      const std::vector<size_t> group = next_group(first);
      const std::vector<CaseOutcome> outcomes = run_group(group);
      for (size_t i = 0; i < outcomes.size(); ++i) end_case(group[i], outcomes[i]);
    }
    if (interrupted()) code_ = worse(code_, ExitCode::interrupted);
    if (!rows_.empty() && std::ranges::all_of(rows_, did_not_run))
      code_ = worse(code_, ExitCode::nothing);
    finish();
    if (code_ == ExitCode::nothing)
      observer_.error("nothing ran: all cases are unsupported or skipped; the table says why");
    return code_;
  }

 private:
  void open_files(const gpu::DeviceInfo& device, std::span<const std::string> words) {
    Record about = context(columns_, device, words);
    if (!clock_lock_.failure().empty())
      about.named("clock_lock") = "failed: " + clock_lock_.failure();
    if (!options_.plugins.empty()) about.named("plugins") = options_.plugins;
    if (plan_.run.peaks) add_peaks(about, *plan_.run.peaks);
    if (plan_.shard) note_shard(*plan_.shard, options_.out, about);
    files_ = std::make_unique<report::RecordFiles>(options_.out, about);
    if (options_.samples)
      samples_ = std::make_unique<SamplesFile>(std::filesystem::path(options_.out) / "samples.csv");
  }

  void measure_anchor() {
    const CaseOutcome outcome = runner_->run(plan_.cases.size(), 0);
    const Record anchor = anchor_record(*plan_.anchor, outcome.rows);
    files_->anchor(anchor);
    const auto time_us = anchor.number(columns::time_median_us);
    observer_.note(fmt::format(
        "anchor {}: {}", anchor.text_of("case"),
        time_us ? fmt::format("{:.4g} us", *time_us)
                : anchor.text(columns::status) + ": " + anchor.text(columns::status_detail)));
  }

  /// The cases from `first` on that are run together, those that are there left out; moves `first`
  /// behind them. Rounds go over the algorithms of one problem; one round ends a case at a time.
  std::vector<size_t> next_group(size_t& first) const {
    const auto same_problem = [&](const CaseSpec& a, CaseSpec b) {
      b.algorithm = a.algorithm;
      return a == b;
    };
    std::vector<size_t> group;
    const CaseSpec& begin = plan_.cases[first];
    do {
      if (!earlier_.cases.contains(config::full_text(plan_.cases[first]))) group.push_back(first);
      ++first;
    } while (options_.run.timing.rounds > 1 && first < plan_.cases.size() &&
             same_problem(begin, plan_.cases[first]));
    return group;
  }

  /// Empty when interrupted between rounds: --resume runs these cases again.
  std::vector<CaseOutcome> run_group(std::span<const size_t> group) {
    if (group.empty()) return {};
    if (const std::string reason = reason_to_skip(); !reason.empty()) {
      std::vector<CaseOutcome> skipped;
      for (const size_t i : group)
        skipped.push_back({{row_without_result(plan_, i, Status::skipped, reason)}, {}});
      return skipped;
    }
    const RoundOptions rounds{options_.run.timing.rounds,
                              plan_.cases[group.front()].seed + group.front(),
                              options_.rerun_suspects ? kReruns : 0};
    std::vector<CaseOutcome> outcomes =
        run_rounds(*runner_, group, rounds,
                   {[&](size_t i) {
                      if (interrupted()) return Next::discard;
                      if (!reason_to_skip().empty()) return Next::stop;
                      observer_.begin(config::case_id(plan_.cases[i]));
                      return Next::run;
                    },
                    [&](const CaseOutcome& outcome) {
                      for (const Record& row : outcome.rows) note_failure(row);
                    }});
    for (size_t i = 0; i < outcomes.size(); ++i)
      if (outcomes[i].rows.empty())
        outcomes[i].rows.push_back(
            row_without_result(plan_, group[i], Status::skipped, reason_to_skip()));
    return outcomes;
  }

  std::string reason_to_skip() const {
    if (stopped_) return "--fail-fast: an earlier case failed";
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (budget_s_ > 0 && elapsed.count() >= budget_s_)
      return fmt::format("--budget {} is used up", options_.budget);
    return {};
  }

  void end_case(size_t index, CaseOutcome outcome) {
    const CaseSpec& spec = plan_.cases[index];
    if (files_) check_unchanged(outcome.rows, hashes_);
    code_ = worse(code_, outcome.code);
    verify_s_ += outcome.rows.front().get(columns::verify_s).value_or(0);
    outcome.samples.resize(outcome.rows.size());
    for (size_t i = 0; i < outcome.rows.size(); ++i) add(spec, outcome.rows[i], outcome.samples[i]);
    if (files_) files_->end_case(config::full_text(spec));
    observer_.end(config::case_id(spec), outcome.rows);
  }

  /// Completes a row and puts it on disk.
  void add(const CaseSpec& spec, Record& row, std::span<const bench::Sample> samples) {
    for (const auto& [name, value] : columns_.values()) row.named(name) = value;
    std::string id = config::case_id(spec);
    for (const std::string& part : {row.text(columns::phase), row.text(columns::cache)})
      if (!part.empty()) id += "/" + part;
    if (const auto layers = row.get(columns::layers)) id += "/" + std::to_string(*layers);
    row[columns::case_id] = id;
    row[columns::timestamp_utc] = utc_now();
    row[columns::repro] = repro(options_, spec);
    if (samples_) samples_->append(row, samples);
    if (files_) files_->add(row);
    if (code_of(row) == ExitCode::incorrect)
      observer_.note("  repeat with: " + row.text(columns::repro));
    count(row);
  }

  void count(const Record& row) {
    ++counts_[row.text(columns::status)];
    const ExitCode code = code_of(row);
    code_ = worse(code_, code);
    note_failure(row);
    rows_.push_back(row);
  }

  void note_failure(const Record& row) {
    if (options_.fail_fast && code_of(row) != ExitCode::ok) stopped_ = true;
  }

  void finish() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    // First the files: the reader of standard output may be gone.
    if (files_) files_->finish(summary(elapsed.count()));

    observer_.results(rows_);
    std::string counts;
    for (const auto& [status, count] : counts_)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, status);
    const std::string judge = verify_s_ > 0 ? fmt::format(", {:.0f} % of it verification",
                                                          100 * verify_s_ / elapsed.count())
                                            : "";
    observer_.note(fmt::format("{} rows ({}) in {:.1f} s{}{}", rows_.size(), counts,
                               elapsed.count(), judge, interrupted() ? ", interrupted" : ""));
    const bool timed = std::ranges::any_of(
        rows_, [](const Record& row) { return !row.text(columns::phase).empty(); });
    if (timed && !plan_.run.peaks && options_.peaks != "off")
      observer_.note(
          "no roofline: the limits of this device are not measured, see spconv-bench peaks");
    if (!files_) return;
    for (const auto& path : files_->paths()) observer_.note("wrote " + path.string());
    if (samples_) observer_.note("wrote " + samples_->path().string());
  }

  Record summary(double duration_s) const {
    Record summary;
    for (const auto& [status, count] : counts_) summary.named("rows_" + status) = count;
    summary.named("planned_cases") = static_cast<int64_t>(plan_.cases.size());
    summary.named("duration_s") = duration_s;
    if (verify_s_ > 0) summary[columns::verify_s] = verify_s_;
    summary.named("interrupted") = interrupted();
    summary.named("exit_code") = static_cast<int64_t>(code_);
    return summary;
  }

  const SuiteRunOptions& options_;
  const PlannedCases& plan_;
  Observer& observer_;
  ClockLock clock_lock_;
  Record columns_;
  report::EarlierRun earlier_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<report::RecordFiles> files_;
  std::unique_ptr<SamplesFile> samples_;
  std::unique_ptr<CaseRunner> runner_;
  report::DataHashes hashes_;
  std::map<std::string, int64_t> counts_;
  std::vector<Record> rows_;
  ExitCode code_ = ExitCode::ok;
  bool stopped_ = false;
  double verify_s_ = 0;  // of the cases that this run ended
  double budget_s_ =
      options_.budget.empty() ? 0 : config::parse_time_s(options_.budget, "--budget");
};

}  // namespace

ExitCode run_suite(SuiteRunOptions options, std::span<const Algorithm> algorithms,
                   Observer& observer) {
  set_run_options(options);
  const GivenChoices given = given_choices(options.knobs);
  const std::vector<Algorithm> chosen = with_choice(algorithms, given.forced);
  if (options.kernel_arch > 0) limit_architecture(options.kernel_arch);
  PlannedCases plan{plan_cases(options.cases, algorithms), chosen, options.cases.reading,
                    options.run};
  plan.usual = given.usual;
  plan.config_hash = config_hash(options, plan.cases);
  keep_freed_memory();
  if (!options.shard.empty()) take_shard(options, plan, observer);
  if (options.worker >= 0) {
    const gpu::DeviceInfo device = gpu::list_devices().at(static_cast<size_t>(options.worker));
    plan.run.peaks = peaks_for(options, device);
    plan.tuned = find_tuning(options.tuning, device);
    return serve_cases(plan, options.worker, observer);
  }
  if (options.dry_run) {
    if (!options.tuning.empty() && options.tuning != "off") tuning::read_entries(options.tuning);
    estimate(plan.cases, options.cases.reading, options.run, observer);
    return ExitCode::ok;
  }
  check_data(plan.cases);
  const std::vector<gpu::DeviceInfo> devices = choose_devices(options.device);
  if (plan.shard && devices.size() > 1)
    throw usage_error("--shard", "runs on one device, and --device names several",
                      "start a task with a shard of its own for each");
  // All before the first run: a file of another device is refused while nothing is lost.
  std::vector<std::optional<bench::Peaks>> peaks;
  std::vector<std::shared_ptr<const tuning::Tuned>> tuned;
  for (const gpu::DeviceInfo& device : devices) {
    peaks.push_back(peaks_for(options, device));
    tuned.push_back(find_tuning(options.tuning, device));
    if (const std::string ignored = tuned.back() ? tuned.back()->ignored(chosen) : "";
        !ignored.empty())
      observer.note("tuning: " + ignored);
  }
  ExitCode code = ExitCode::ok;
  std::optional<OutFolder> folder;
  for (size_t i = 0; i < devices.size(); ++i) {
    const gpu::DeviceInfo& device = devices[i];
    const std::string run_id = new_run_id();
    if (options.command == "run" && options.out.empty()) options.out = "results/" + run_id;
    if (!options.out.empty() && !folder) {
      check_names(plan.cases);
      folder.emplace(options, observer);
    }
    plan.run.peaks = peaks[i];
    plan.tuned = tuned[i];
    if (devices.size() > 1) observer.note(fmt::format("device {}: {}", device.index, device.name));
    code = worse(code, SuiteRun(options, plan, device, run_id, observer).run());
    if (interrupted()) break;
  }
  return code;
}

}  // namespace spb::suite
