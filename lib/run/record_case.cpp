// SPDX-License-Identifier: Apache-2.0
#include "run/record_case.h"

#include <optional>
#include <string_view>
#include <utility>

#include "gpu/device_info.h"
#include "run/case_requests.h"
#include "run/repeats.h"
#include "run/work.h"

namespace spb::run {

Record describe(const engines::Implementation& algorithm, const Problem& problem, uint64_t seed) {
  Record record;
  const ConvGeometry& geometry = problem.geometry;
  record[columns::conv_kind] = name(geometry.kind);
  record[columns::kernel_size] = to_text(geometry.kernel_size);
  record[columns::stride] = to_text(geometry.stride);
  record[columns::dilation] = to_text(geometry.dilation);
  if (geometry.padding) record[columns::padding] = to_text(*geometry.padding);
  if (const char* rule = mark(geometry.output_rule); *rule) record[columns::output_rule] = rule;
  if (const char* extent = mark(geometry.output_extent); *extent)
    record[columns::output_extent] = extent;
  record[columns::kernel_volume] = geometry.kernel_volume();
  record[columns::c_in] = problem.c_in;
  record[columns::c_out] = problem.c_out;
  if (problem.groups != 1) record[columns::groups] = problem.groups;
  record[columns::bias] = problem.bias;
  if (const std::string epilogue = mark(problem.epilogue); !epilogue.empty())
    record[columns::epilogue] = epilogue;
  record[columns::direction] = name(problem.direction);
  record[columns::dtype] = info(problem.dtype).name;
  record[columns::algorithm] = algorithm.name();
  if (const std::string variant = algorithm.map_variant(); !variant.empty())
    record[columns::map_variant] = variant;
  record[columns::algorithm_version] = algorithm.version();
  record[columns::backend] = gpu::backend_name();
  record[columns::seed] = static_cast<int64_t>(seed);
  record[columns::verify_status] = VerifyStatus::not_run;
  return record;
}

void add_data(Record& record, const CaseData& data) {
  for (const auto& [name, value] : data.fields.values()) record.named(name) = value;
  record[columns::dataset] = data.dataset();
  record[columns::batch_size] = data.voxels().box.batch_size;
  record[columns::n_in] = data.voxels().size();
  if (data.voxels().size() > 0) record[columns::occupancy] = occupancy(data.voxels());
}

void add_map(Record& record, const Problem& problem, CaseData& data) {
  const MapSet& map = data.reference_map(problem.geometry);
  record[columns::n_in] = input_rows(map, data.voxels());
  record[columns::n_out] = static_cast<int64_t>(map.out_coords.size());
  record[columns::n_pairs] = static_cast<int64_t>(map.triples.size());
  record[columns::map_hash] = data.map_hash(problem.geometry);
}

void add_plan(Record& record, const PlanDescription& plan, const Problem& problem,
              int64_t n_pairs) {
  record[columns::kernel] = plan.kernel;
  record[columns::algorithm_params] = plan.params_json;
  record[columns::arithmetic_class] = class_of(plan.arithmetic);
  if (n_pairs > 0) record[columns::redundancy] = plan.executed_macs / useful_macs(problem, n_pairs);
}

void add_verdict(Record& record, const Verdict& verdict, const RunOptions& options) {
  record[columns::verify_status] = verdict.status;
  record[columns::status_detail] = verdict.detail;
  if (verdict.status == VerifyStatus::not_run) return;
  record[columns::verify_seed] = static_cast<int64_t>(options.seed);
  record[columns::map_status] = verdict.map_status;
  record[columns::checksum_status] = verdict.checksum_status;
  if (verdict.checksum_rms) record[columns::checksum_rms] = *verdict.checksum_rms;
  record[columns::verified_fraction] = verdict.verified_fraction;
  record[columns::judged_runs] = verdict.judged_runs;
  record[columns::excluded_failure_rate] = excluded_failure_rate(verdict.judged_runs);
  record[columns::mismatch_count] = verdict.mismatches;
  record[columns::verify_modes] = verdict.modes + (verdict.device_judged ? ",device" : "");
  if (verdict.has_errors) {
    record[columns::err_max_tol_ratio] = verdict.max_tolerance_ratio;
    record[columns::err_max_abs] = verdict.max_abs;
    record[columns::err_max_ulp] = verdict.max_ulp;
    record[columns::rel_l2] = verdict.rel_l2;
    record[columns::deterministic] = verdict.deterministic;
  }
}

void add_memory(Record& record, const engines::MemoryUse& use) {
  record[columns::peak_total_bytes] = use.peak_total_bytes;
  record[columns::peak_plan_bytes] = use.peak_plan_bytes;
  record[columns::workspace_bytes] = use.workspace_bytes;
  record[columns::persistent_bytes] = use.persistent_bytes;
  record[columns::leak_bytes] = use.leak_bytes;
  record[columns::run_alloc_count] = use.run_alloc_count;
  if (use.untracked_bytes) record[columns::untracked_bytes] = *use.untracked_bytes;
  const auto n_in = record.get(columns::n_in);
  if (n_in && *n_in > 0)
    record[columns::bytes_per_voxel] =
        static_cast<double>(use.peak_total_bytes) / static_cast<double>(*n_in);
}

void add_time(Record& record, const engines::PhaseTime& time, const Problem& problem, int64_t n_in,
              int64_t n_out, int64_t n_pairs) {
  bench::fill_record(time.statistics, record);
  record[columns::phase] = time.phase;
  record[columns::cache] = time.cache;
  record[columns::timing_method] = time.method;
  record[columns::cache_method] = time.cache_method;
  if (time.wall_median_us) record[columns::wall_median_us] = *time.wall_median_us;
  record[columns::stop_reason] = bench::name(time.sampling.stop_reason);
  record[columns::rounds] = 1;
  record[columns::throttled_samples] = time.sampling.throttled_samples();
  if (time.sampling.throttled() && record.get(columns::status) == Status::ok)
    record[columns::status] = Status::throttled;
  add_conditions(record, time);
  record[columns::fill] = verify::name(timed_fill(problem));
  const double median_us = time.statistics.median;
  if (*time.map_source) record[columns::map_source] = time.map_source;
  if (time.layers > 0) record[columns::layers] = time.layers;
  if (!time.params.empty()) record[columns::algorithm_params] = time.params;
  // Planning and building maps do no useful floating-point work, a step does that of three cases.
  const bool is_of_case = time.phase == Phase::kernel || time.phase == Phase::end_to_end;
  if (!is_of_case || median_us <= 0) return;
  record[columns::throughput_gflops] = 2 * useful_macs(problem, n_pairs) / median_us / 1e3;
  record[columns::bandwidth_gbps] =
      compulsory_bytes(problem, n_in, n_out, n_pairs) / median_us / 1e3;
}

bool is_near_floor(double median_us, double timer_floor_us) {
  constexpr double kFloors = 20;
  return median_us < kFloors * timer_floor_us;
}

void add_conditions(Record& record, const engines::PhaseTime& time) {
  if (time.floor_us) {
    record[columns::timer_floor_us] = *time.floor_us;
    record[columns::near_floor] = is_near_floor(time.statistics.median, *time.floor_us);
  }
  const bench::Conditions& seen = time.conditions;
  record[columns::throttle_reasons] = seen.reasons.text();
  record[columns::sm_clock_mhz] = seen.sm_clock_mhz;
  record[columns::mem_clock_mhz] = seen.mem_clock_mhz;
  record[columns::power_w] = seen.power_w;
  record[columns::temp_c] = seen.temp_c;
}

}  // namespace spb::run
