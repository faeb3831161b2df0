#include "suite_run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "algorithms/plans.h"
#include "checks.h"
#include "config/config_hash.h"
#include "console.h"
#include "environment.h"
#include "gpu/device_info.h"
#include "interrupt.h"
#include "isolated_runner.h"
#include "progress.h"
#include "report/record_files.h"
#include "report/resume.h"
#include "report/table.h"

namespace spb::app {
namespace {

using config::CaseSpec;

/// What a row's status makes of the exit code; anything else is fine.
constexpr std::pair<const char*, ExitCode> kStatusCodes[] = {{"incorrect", ExitCode::incorrect},
                                                             {"mistrusted", ExitCode::incorrect},
                                                             {"oom", ExitCode::runtime},
                                                             {"error", ExitCode::runtime},
                                                             {"timeout", ExitCode::runtime}};

/// If several apply, the first of these.
constexpr ExitCode kPrecedence[] = {ExitCode::usage,     ExitCode::interrupted, ExitCode::runtime,
                                    ExitCode::incorrect, ExitCode::gate,        ExitCode::nothing};

ExitCode worse(ExitCode a, ExitCode b) {
  for (const ExitCode code : kPrecedence)
    if (a == code || b == code) return code;
  return ExitCode::ok;
}

ExitCode code_of(const Record& row) {
  for (const auto& [status, code] : kStatusCodes)
    if (row.text("status") == status) return code;
  return ExitCode::ok;
}

void set_verify_modes(SuiteRunOptions& options) {
  options.run.verify_exact = options.run.verify_fp = false;
  if (options.no_verify) return;
  for (const std::string& mode : config::split_list(options.verify_modes, "--verify-modes"))
    if (mode == "exact")
      options.run.verify_exact = true;
    else if (mode == "fp")
      options.run.verify_fp = true;
    else
      throw usage_error("--verify-modes", fmt::format("\"{}\" is unknown", mode),
                        "use exact, fp or both");
}

std::map<std::string, std::string> hashed_options(const SuiteRunOptions& options) {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"columns", options.cases.reading.columns ? text(*options.cases.reading.columns) : ""},
          {"axes", options.cases.reading.axes},
          {"merge", text(options.cases.reading.merge)},
          {"verify_exact", text(options.run.verify_exact)},
          {"verify_fp", text(options.run.verify_fp)},
          {"verify_macs", text(options.run.verify_macs)},
          {"time", text(options.run.time)},
          {"time_anyway", text(options.run.time_anyway)},
          {"max_time_s", text(options.run.max_time_s)},
          {"min_samples", text(options.run.min_samples)},
          {"kernel", options.kernel}};
}

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

bool isolates(const SuiteRunOptions& options) {
  if (options.no_isolate) return false;
  const bool on_host = std::string_view(gpu::backend_name()) == "host";
  return options.isolate || options.timeout_s > 0 || !on_host;
}

/// Freed memory stays with the process: operands of gigabytes come and go with every case, and new
/// pages cost more than what is done with them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

/// What is there of the run that --resume continues; nothing when there is no such run.
report::EarlierRun earlier_run(const SuiteRunOptions& options, const PlannedCases& plan,
                               Record& columns) {
  columns["config_hash"] = config::config_hash(plan.cases, hashed_options(options));
  if (!options.resume) return {};
  report::EarlierRun earlier = report::reopen_run(options.out, columns);
  if (!earlier.run_id.empty()) columns["run_id"] = earlier.run_id;
  console().note(
      fmt::format("resuming: {} of {} cases are there", earlier.cases.size(), plan.cases.size()));
  return earlier;
}

/// The suite on one device.
class SuiteRun {
 public:
  SuiteRun(const SuiteRunOptions& options, const PlannedCases& plan, const gpu::DeviceInfo& device,
           const std::string& run_id)
      : options_(options),
        plan_(plan),
        columns_(run_columns(run_id, device)),
        earlier_(earlier_run(options, plan, columns_)),
        progress_(plan.cases.size() - earlier_.cases.size()) {
    const std::vector<std::string> words = command_line();
    if (!options.out.empty())
      files_ = std::make_unique<report::RecordFiles>(options.out, context(columns_, device, words));
    if (isolates(options)) {
      runner_ = std::make_unique<IsolatedRunner>(plan, words, device.index, options.timeout_s);
    } else {
      gpu::use_device(device.index);
      runner_ = std::make_unique<LocalRunner>(
          plan, [](const std::string& line) { console().note("  " + line); });
    }
  }

  ExitCode run() {
    handle_interrupts(console().verbosity() > 0);
    for (const Record& row : earlier_.results) count(row);
    for (size_t i = 0; i < plan_.cases.size() && !interrupted(); ++i) {
      const CaseSpec& spec = plan_.cases[i];
      if (earlier_.cases.contains(config::full_text(spec))) continue;
      const std::string id = config::case_id(spec);
      progress_.begin(id);
      CaseOutcome outcome = run_case(i);
      code_ = worse(code_, outcome.code);
      for (Record& row : outcome.rows) add(spec, row);
      if (files_) files_->end_case(config::full_text(spec));
      progress_.end(id, outcome.rows);
    }
    if (interrupted()) code_ = worse(code_, ExitCode::interrupted);
    finish();
    return code_;
  }

 private:
  CaseOutcome run_case(size_t index) {
    if (!stopped_) return runner_->run(index);
    return {{row_without_result(plan_, index, "skipped", "--fail-fast: an earlier case failed")}};
  }

  /// Completes a row and puts it on disk.
  void add(const CaseSpec& spec, Record& row) {
    for (const auto& [name, value] : columns_.values()) row[name] = value;
    std::string id = config::case_id(spec);
    for (const char* part : {"phase", "cache"})
      if (!row.text(part).empty()) id += "/" + row.text(part);
    row["case_id"] = id;
    row["timestamp_utc"] = utc_now();
    row["repro"] = repro(options_.command, spec, options_.cases.reading) +
                   (options_.kernel.empty() ? "" : " --kernel " + options_.kernel);
    if (files_) files_->add(row);
    if (code_of(row) == ExitCode::incorrect) console().note("  repeat with: " + row.text("repro"));
    count(row);
  }

  void count(const Record& row) {
    ++counts_[row.text("status")];
    const ExitCode code = code_of(row);
    code_ = worse(code_, code);
    if (code != ExitCode::ok && options_.fail_fast) stopped_ = true;
    rows_.push_back(row);
  }

  void finish() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    // First the files: the reader of standard output may be gone.
    if (files_) files_->finish(summary(elapsed.count()));

    // plan and end_to_end would make the table three times as long; they stand in the files.
    std::vector<Record> shown;
    for (const Record& row : rows_)
      if (row.text("phase").empty() || row.text("phase") == "kernel") shown.push_back(row);
    fmt::print("{}", report::table(shown));
    std::fflush(stdout);

    std::string counts;
    for (const auto& [status, count] : counts_)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, status);
    console().note(fmt::format("{} rows ({}) in {:.1f} s{}", rows_.size(), counts, elapsed.count(),
                               interrupted() ? ", interrupted" : ""));
    if (!files_) return;
    for (const auto& path : files_->paths()) console().note("wrote " + path.string());
  }

  Record summary(double duration_s) const {
    Record summary;
    for (const auto& [status, count] : counts_) summary["rows_" + status] = count;
    summary["planned_cases"] = static_cast<int64_t>(plan_.cases.size());
    summary["duration_s"] = duration_s;
    summary["interrupted"] = interrupted();
    summary["exit_code"] = static_cast<int64_t>(code_);
    return summary;
  }

  const SuiteRunOptions& options_;
  const PlannedCases& plan_;
  Record columns_;
  report::EarlierRun earlier_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<report::RecordFiles> files_;
  std::unique_ptr<CaseRunner> runner_;
  std::map<std::string, int64_t> counts_;
  std::vector<Record> rows_;
  ExitCode code_ = ExitCode::ok;
  bool stopped_ = false;
};

}  // namespace

void add_suite_run_options(CLI::App& app, SuiteRunOptions& options) {
  add_case_options(app, options.cases, CaseScope::cases);
  app.add_option("--verify-modes", options.verify_modes, "exact, fp or both")
      ->option_text("exact,fp")
      ->group("Verification");
  app.add_option("--verify-macs", options.run.verify_macs,
                 "compare a sample and checksums beyond this many multiplications [2e11]")
      ->option_text("N")
      ->check(CLI::NonNegativeNumber)
      ->group("Verification");
  app.add_option("-o,--out", options.out, "folder for records.jsonl and results.csv")
      ->option_text("DIR")
      ->group("Output");
  app.add_option("--device", options.device, "index of the device, or all: see list devices [0]")
      ->option_text("N")
      ->group("Execution");
  app.add_option("--kernel", options.kernel,
                 "tile kernel of list kernels, instead of the algorithms' choice")
      ->option_text("NAME")
      ->group("Execution");
  app.add_flag("--isolate", options.isolate,
               "run cases in a child process, so that a crash costs its own case only; the default "
               "on GPUs")
      ->group("Execution");
  app.add_flag("--no-isolate", options.no_isolate, "run cases in this process")
      ->excludes("--isolate")
      ->group("Execution");
  app.add_option("--timeout", options.timeout_s, "end a case after this many seconds; isolates")
      ->option_text("S")
      ->check(above_zero)
      ->excludes("--no-isolate")
      ->group("Execution");
  app.add_option(kWorkerOption, options.worker)->group("");  // not shown: see isolated_runner.h
  app.add_flag("--dry-run", options.dry_run, "print cases and memory estimates, run nothing")
      ->group("Execution");
  app.add_flag("--fail-fast", options.fail_fast, "skip what follows the first failed case")
      ->group("Execution");
  add_console_options(app, options.console);
}

ExitCode run_suite(SuiteRunOptions options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  set_verify_modes(options);
  plans::force_variant(options.kernel);
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms) names.emplace_back(algorithm.name);
  PlannedCases plan{plan_cases(options.cases, names), algorithms, options.cases.reading,
                    options.run};
  keep_freed_memory();
  if (options.worker >= 0) return serve_cases(plan, options.worker);
  if (options.dry_run) {
    print_plan(plan.cases, options.cases.reading);
    return ExitCode::ok;
  }
  check_data(plan.cases);
  const std::vector<gpu::DeviceInfo> devices = choose_devices(options.device);
  ExitCode code = ExitCode::ok;
  for (const gpu::DeviceInfo& device : devices) {
    const std::string run_id = new_run_id();
    if (options.command == "run" && options.out.empty()) options.out = "results/" + run_id;
    if (devices.size() > 1) console().note(fmt::format("device {}: {}", device.index, device.name));
    code = worse(code, SuiteRun(options, plan, device, run_id).run());
    if (interrupted()) break;
  }
  return code;
}

}  // namespace spb::app
