// SPDX-License-Identifier: Apache-2.0
#include "suite/case_runner.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "engines/native/native.h"
#include "run/record_case.h"
#include "run/run_case.h"

namespace spb::suite {
namespace {

engines::Native native(const Algorithm& algorithm, const config::CaseSpec& spec) {
  return engines::Native(algorithm, maps::find_map_variant(spec.map_variant, "--map-variant"));
}

}  // namespace

const Algorithm& PlannedCases::algorithm(const config::CaseSpec& spec) const {
  return *std::ranges::find(algorithms, std::string_view(spec.algorithm), &Algorithm::name);
}

Record row_without_result(const PlannedCases& plan, size_t index, Status status,
                          const std::string& reason) {
  const config::CaseSpec& spec = plan.spec(index);
  Record row = run::describe(native(plan.algorithm(spec), spec), spec.problem, spec.seed);
  row[columns::dataset] = record_name(spec.dataset);
  row[columns::row_order] = spec.row_order;
  row[columns::status] = status;
  row[columns::status_detail] = reason;
  return row;
}

CaseOutcome LocalRunner::run(size_t index, int round) {
  const config::CaseSpec& spec = plan_.spec(index);
  const ExitCode code = load(spec);
  if (!data_) return {{row_without_result(plan_, index, Status::error, load_error_)}, {}, code};
  run::RunOptions options = plan_.run;
  options.seed = spec.seed;
  options.timing.round = round;
  Algorithm algorithm = plan_.algorithm(spec);
  // Whatever is forced or tuned: the anchor is the same everywhere.
  if (plan_.is_anchor(index)) algorithm.choice = {};
  const tuning::Entry* entry = plan_.is_anchor(index) ? nullptr : tuned_entry(spec);
  if (entry) algorithm.choice = entry->choice().value();
  run::CaseRows result =
      run::run_case(native(algorithm, spec), spec.problem, *data_, options, note_);
  if (entry)
    for (Record& row : result.rows) row[columns::tune_ms] = entry->tune_ms;
  return {std::move(result.rows), std::move(result.samples), code};
}

/// Null where the case's class is not tuned, its winner cannot run or does otherwise than was asked
/// for, or a choice is forced.
const tuning::Entry* LocalRunner::tuned_entry(const config::CaseSpec& spec) {
  const Algorithm& algorithm = plan_.algorithm(spec);
  if (!plan_.tuned || algorithm.choice.source == ChoiceSource::forced) return nullptr;
  try {
    const MapSet& map = data_->reference_map(spec.problem.geometry);
    const tuning::Entry* entry = plan_.tuned->find(
        algorithm,
        {spec.problem, input_rows(map, data_->voxels()),
         static_cast<int64_t>(map.out_coords.size()), static_cast<int64_t>(map.triples.size())},
        plan_.usual);
    // --kernel-arch may leave a winner out: the algorithm then chooses itself.
    const bool can_run = entry && !algorithm.unsupported(spec.problem, entry->choice().value());
    return can_run ? entry : nullptr;
  } catch (const std::exception&) {
    return nullptr;  // run_case says what is wrong with the data
  }
}

/// Cases come grouped by data: one set is held at a time.
ExitCode LocalRunner::load(const config::CaseSpec& spec) {
  if (config::data_id(spec) == data_id_) return ExitCode::ok;
  data_id_ = config::data_id(spec);
  data_.reset();
  ExitCode code = ExitCode::ok;
  try {
    LoadedVoxels loaded = load_voxels(spec, plan_.reading, log_);
    data_ = std::make_unique<run::CaseData>(loaded.name, std::move(loaded.voxels));
    data_->fields = std::move(loaded.fields);
    return code;
  } catch (const Error& error) {
    load_error_ = error.what();
    if (error.code() == ExitCode::usage) code = ExitCode::usage;
  } catch (const std::bad_alloc&) {
    load_error_ = data_id_ + ": the host's memory is exhausted";
  } catch (const std::exception& error) {
    load_error_ = data_id_ + ": " + error.what();
  }
  log_.error(load_error_);
  return code;
}

}  // namespace spb::suite
