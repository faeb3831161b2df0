// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "case_options.h"
#include "command.h"
#include "config/quantity.h"
#include "console.h"
#include "gpu/device_info.h"
#include "print_columns.h"
#include "report/text/table_layout.h"
#include "suite/checks.h"
#include "suite/environment.h"
#include "suite/exit_codes.h"
#include "suite/find_tuning.h"
#include "suite/interrupt.h"
#include "suite/shard.h"
#include "tuning/tune.h"
#include "tuning/tuning_file.h"

namespace spb::app {
namespace {

using tuning::Entry;
using tuning::Trial;
using tuning::TrialStatus;

struct TuneCommandOptions {
  suite::CaseOptions cases;
  ConsoleOptions console;
  std::string mode = "auto", file, device = "0", budget, shard;
  double verify_macs = 1e9;
  int64_t runs = 0;
};

int64_t count(const Entry& entry, TrialStatus status) {
  return std::ranges::count(entry.trials, status, &Trial::status);
}

/// "wgmma_128x256x64_s4, 1.18x the own choice; of 9 candidates 3 checked, 1 wrong; 2.1 s"
std::string outcome(const Entry& entry) {
  const int64_t wrong = count(entry, TrialStatus::incorrect);
  std::string line = entry.winning() ? tuning::text(*entry.winning()) : "none is right";
  if (entry.gain() > 0 && entry.winner > 0)
    line += fmt::format(", {:.2f}x the own choice", entry.gain());
  if (entry.trials.size() == 1) return line + "; nothing to choose";
  if (entry.runs > 0 && entry.winner > 0)
    line += fmt::format(", plan {} (own {})", report::time_text(entry.winning()->plan_us),
                        report::time_text(entry.trials.front().plan_us));
  line +=
      fmt::format("; of {} candidates {} checked", entry.trials.size(),
                  count(entry, TrialStatus::ok) + wrong + count(entry, TrialStatus::mistrusted));
  if (wrong > 0) line += fmt::format(", {} WRONG", wrong);
  if (const auto failed = count(entry, TrialStatus::error) + count(entry, TrialStatus::oom))
    line += fmt::format(", {} failed", failed);
  return line + fmt::format("; {:.1f} s", entry.tune_ms / 1e3);
}

/// Tunes the cases on one device.
class TuneRun {
 public:
  TuneRun(const TuneCommandOptions& options, const gpu::DeviceInfo& device,
          std::span<const config::CaseSpec> cases, std::span<const Algorithm> algorithms)
      : options_(options),
        device_(device),
        cases_(cases),
        algorithms_(algorithms),
        path_(options.file.empty() ? suite::default_tuning_path(device)
                                   : std::filesystem::path(options.file)),
        budget_s_(options.budget.empty() ? 0 : config::parse_time_s(options.budget, "--budget")) {
    tuning::merge_entries(path_, {});  // what cannot be kept need not be tuned
    if (options.mode != "trimmed") return;
    known_ = tuning::read_entries(path_);
    std::erase_if(known_, [&](const Entry& entry) { return entry.machine.device != device.name; });
    if (known_.empty())
      throw usage_error("--mode trimmed", path_.string() + " has no entry of " + device.name,
                        "tune --mode all some cases first: what won there is what is tried");
  }

  ExitCode run() {
    gpu::use_device(device_.index);
    suite::handle_interrupts(console().verbosity() > 0);
    for (size_t i = 0; i < cases_.size() && !suite::interrupted() && !lost_; ++i) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
      if (budget_s_ > 0 && elapsed.count() >= budget_s_) {
        console().note(fmt::format("--budget {} is used up: {} cases are not tuned",
                                   options_.budget, cases_.size() - i));
        break;
      }
      run_case(cases_[i],
               fmt::format("[{}/{}] {}", i + 1, cases_.size(), config::case_id(cases_[i])));
    }
    print_table();
    console().note("wrote " + path_.string());
    if (suite::interrupted()) add(ExitCode::interrupted);
    return code_;
  }

 private:
  void run_case(const config::CaseSpec& spec, const std::string& title) {
    const auto algorithm =
        std::ranges::find(algorithms_, std::string_view(spec.algorithm), &Algorithm::name);
    if (const auto reason = algorithm->unsupported(spec.problem))
      return console().note(title + " unsupported: " + *reason);
    console().rewrite(title + " ...");
    try {
      load(spec);
      tune(*algorithm, spec, title);
    } catch (const Error& error) {
      fail(title, error.what(), error.code());
    } catch (const std::bad_alloc&) {
      fail(title, "the host's memory is exhausted");
    } catch (const std::exception& error) {
      fail(title, error.what());
    }
  }

  /// One case less in the table; the others are tuned all the same.
  void fail(const std::string& title, const std::string& reason,
            ExitCode code = ExitCode::runtime) {
    console().error(title + ": " + reason);
    add(code);
    lost_ = gpu::context_is_lost();
    if (lost_) console().error("the device runs nothing any more in this process: ended");
  }

  void add(ExitCode code) { code_ = suite::worse(code_, code); }

  /// Cases come grouped by data: one set is held at a time.
  void load(const config::CaseSpec& spec) {
    if (data_ && config::data_id(spec) == data_id_) return;
    data_.reset();
    suite::LoadedVoxels loaded = suite::load_voxels(spec, options_.cases.reading, console());
    data_.emplace(loaded.name, std::move(loaded.voxels));
    data_id_ = config::data_id(spec);
  }

  void tune(const Algorithm& algorithm, const config::CaseSpec& spec, const std::string& title) {
    const MapSet& map = data_->reference_map(spec.problem.geometry);
    const tuning::ProblemClass problem_class =
        tuning::class_of(algorithm, {spec.problem, input_rows(map, data_->voxels()),
                                     static_cast<int64_t>(map.out_coords.size()),
                                     static_cast<int64_t>(map.triples.size())});
    const auto same = std::ranges::find(entries_, problem_class, &Entry::problem_class);
    if (same != entries_.end())
      return console().note(title + " is of the class of " + same->dataset + ", tuned before");

    tuning::TuneOptions tune_options;
    if (options_.runs > 0) tune_options.range = ChoiceRange::likely_for_many_runs;
    if (options_.mode != "auto") tune_options.range = ChoiceRange::all;
    if (options_.mode == "trimmed") tune_options.evidence = &known_;
    tune_options.runs = options_.runs;
    tune_options.checks.verify_macs = options_.verify_macs;
    tune_options.checks.seed = spec.seed;
    Entry entry = tuning::tune(algorithm, spec.problem, *data_, tune_options,
                               [](const std::string& line) { console().note("  " + line); });
    entry.machine = suite::machine_of(device_);
    entry.dataset = data_->dataset();
    entry.tuned_utc = suite::utc_now();
    console().note(title + " " + outcome(entry));
    report_failures(entry);
    tuning::merge_entries(path_, {&entry, 1});
    entries_.push_back(std::move(entry));
  }

  void report_failures(const Entry& entry) {
    for (const Trial& trial : entry.trials) {
      if (trial.status == TrialStatus::incorrect || trial.status == TrialStatus::error)
        console().error(fmt::format("{}, {}: {}: {}", entry.problem_class.algorithm,
                                    tuning::text(trial), name(trial.status), trial.detail));
      if (trial.status == TrialStatus::error) add(ExitCode::runtime);
      if (trial.status == TrialStatus::incorrect) add(ExitCode::incorrect);
    }
    if (entry.winning()) return;
    const bool is_doubted =
        count(entry, TrialStatus::incorrect) + count(entry, TrialStatus::mistrusted) > 0;
    add(is_doubted ? ExitCode::incorrect : ExitCode::runtime);
  }

  void print_table() const {
    Lines lines{{"data", "voxels", "channels", "dtype", "direction", "algorithm", "own choice",
                 "time", "winner", "time", "gain", "tuning"}};
    for (const Entry& entry : entries_) {
      const tuning::ProblemClass& c = entry.problem_class;
      const Trial& own = entry.trials.front();
      const Trial* best = entry.winning();
      const auto time = [](double us) { return us > 0 ? report::time_text(us) : "-"; };
      lines.push_back({entry.dataset, fmt::format("{}", entry.n_out),
                       channels_text(c.c_in, c.c_out, c.groups), std::string(info(c.dtype).name),
                       name(c.direction), c.algorithm, own.kernel.empty() ? "-" : own.kernel,
                       time(own.median_us), best ? tuning::text(*best) : "-",
                       time(best ? best->median_us : 0), tuning::gain_text(entry),
                       fmt::format("{:.1f} s", entry.tune_ms / 1e3)});
    }
    print_columns(lines);
    std::fflush(stdout);
  }

  const TuneCommandOptions& options_;
  const gpu::DeviceInfo& device_;
  std::span<const config::CaseSpec> cases_;
  std::span<const Algorithm> algorithms_;
  std::filesystem::path path_;
  double budget_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string data_id_;
  std::optional<run::CaseData> data_;
  std::vector<Entry> entries_;
  std::vector<Entry> known_;  // what the file held before, of this device
  ExitCode code_ = ExitCode::ok;
  bool lost_ = false;
};

ExitCode tune_cases(const TuneCommandOptions& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  if (options.file == "off")
    throw usage_error("--tuning", "off is no file to add to", "name one, or leave it out");
  std::vector<config::CaseSpec> cases = suite::plan_cases(options.cases, algorithms);
  suite::check_data(cases);
  if (!options.shard.empty())
    cases = cases_of(plan_shard(cases, options.shard, options.cases.reading, console()), cases);
  ExitCode code = ExitCode::ok;
  for (const gpu::DeviceInfo& device : suite::choose_devices(options.device)) {
    code = suite::worse(code, TuneRun(options, device, cases, algorithms).run());
    if (suite::interrupted()) break;
  }
  return code;
}

}  // namespace

Action declare_tune(CLI::App& app) {
  auto options = std::make_shared<TuneCommandOptions>();
  add_case_options(app, options->cases, CaseScope::cases);
  app.add_option("--mode", options->mode,
                 "auto: candidates that are likely to be fast; all: every one that can do the "
                 "problem; trimmed: of those, what the tuning file says has come near to winning")
      ->capture_default_str()
      ->option_text("MODE")
      ->check(suite::one_of({"auto", "trimmed", "all"}))
      ->group("Tuning");
  app.add_option("--runs", options->runs,
                 "count plans, each shared among so many runs, and try orders whose plans take "
                 "long; without, plans do not count")
      ->option_text("N")
      ->check(suite::whole_between(1, int64_t{1} << 40))
      ->group("Tuning");
  app.add_option("--tuning", options->file,
                 "file to add to [$XDG_CACHE_HOME or ~/.cache, /spconv-bench/tuning-DEVICE.json]")
      ->option_text("FILE")
      ->group("Tuning");
  app.add_option("--verify-macs", options->verify_macs,
                 "compare a sample and checksums beyond this many multiplications [1e9]")
      ->option_text("N")
      ->check(suite::up_to(1e18))
      ->group("Tuning");
  app.add_option("--budget", options->budget,
                 "begin no case after this time, 90s, 10m or 2h; what is tuned is kept")
      ->option_text("TIME")
      ->check(suite::duration)
      ->group("Execution");
  app.add_option("--shard", options->shard,
                 "tune part I, from 0, of N parts of the cases; all of them may add to one file")
      ->option_text("I/N")
      ->check(suite::shard_fault)
      ->group("Execution");
  app.add_option("--device", options->device, "index of the device, or all: see list devices [0]")
      ->option_text("N")
      ->group("Execution");
  add_console_options(app, options->console);
  return
      [options](std::span<const Algorithm> algorithms) { return tune_cases(*options, algorithms); };
}

}  // namespace spb::app
