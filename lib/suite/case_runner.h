// SPDX-License-Identifier: Apache-2.0
// Where a planned case is run: in this process or in one that may die.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "bench/sampling.h"
#include "config/case_spec.h"
#include "core/error.h"
#include "core/record.h"
#include "run/case_data.h"
#include "run/run_options.h"
#include "suite/load.h"
#include "suite/observer.h"
#include "suite/shard.h"
#include "tuning/tuned.h"

namespace spb::suite {

struct CaseOutcome {
  std::vector<Record> rows;                           ///< at least one
  std::vector<std::vector<bench::Sample>> samples{};  ///< of each row; may be empty
  ExitCode code = ExitCode::ok;  ///< beyond what the rows' status says: a usage error of the data
};

/// All that a runner needs to know; outlives it.
struct PlannedCases {
  std::vector<config::CaseSpec> cases;
  std::span<const Algorithm> algorithms;
  ReadSettings reading;
  run::RunOptions run;
  std::shared_ptr<const tuning::Tuned> tuned = nullptr;  ///< choices for cases; may be null
  Choice usual = {};                                     ///< what no tuned choice may do otherwise
  std::string config_hash = {};                     ///< of all cases, those of other shards too
  std::optional<ShardedPlan> shard = std::nullopt;  ///< `cases` are its part
  std::optional<config::CaseSpec> anchor = std::nullopt;  ///< behind the cases, by its index

  const Algorithm& algorithm(const config::CaseSpec& spec) const;
  bool is_anchor(size_t index) const { return index == cases.size(); }
  const config::CaseSpec& spec(size_t index) const {
    return is_anchor(index) ? anchor.value() : cases[index];
  }
};

class CaseRunner {
 public:
  virtual ~CaseRunner() = default;
  /// Never throws for a failing case. Problems come in the order of the plan; rounds after the
  /// first (0) come to cases that passed.
  virtual CaseOutcome run(size_t index, int round) = 0;
};

/// The row of a case that never ran, or that never ended.
Record row_without_result(const PlannedCases& plan, size_t index, Status status,
                          const std::string& reason);

/// Runs in this process. `note` receives the lines that a case has to say, `log` what is wrong with
/// its data.
class LocalRunner final : public CaseRunner {
 public:
  LocalRunner(const PlannedCases& plan, Log& log, std::function<void(const std::string&)> note)
      : plan_(plan), log_(log), note_(std::move(note)) {}
  CaseOutcome run(size_t index, int round) override;

 private:
  ExitCode load(const config::CaseSpec& spec);
  const tuning::Entry* tuned_entry(const config::CaseSpec& spec);

  const PlannedCases& plan_;
  Log& log_;
  std::function<void(const std::string&)> note_;
  std::string data_id_, load_error_;
  std::unique_ptr<run::CaseData> data_;  // null when loading failed
};

}  // namespace spb::suite
