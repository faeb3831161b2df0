// SPDX-License-Identifier: Apache-2.0
#include "run/record_case.h"

#include <optional>
#include <string_view>
#include <utility>

#include "gpu/device_info.h"
#include "run/work.h"

namespace spb::run {

Record describe(const engines::Implementation& algorithm, const Problem& problem, uint64_t seed) {
  Record record;
  const ConvGeometry& geometry = problem.geometry;
  record["conv_kind"] = std::string(name(geometry.kind));
  record["kernel_size"] = to_text(geometry.kernel_size);
  record["stride"] = to_text(geometry.stride);
  record["dilation"] = to_text(geometry.dilation);
  record["kernel_volume"] = int64_t{geometry.kernel_volume()};
  record["c_in"] = int64_t{problem.c_in};
  record["c_out"] = int64_t{problem.c_out};
  record["bias"] = problem.bias;
  record["direction"] = std::string(name(problem.direction));
  record["dtype"] = std::string(info(problem.dtype).name);
  record["algorithm"] = algorithm.name();
  record["algorithm_version"] = int64_t{algorithm.version()};
  record["backend"] = std::string(gpu::backend_name());
  record["seed"] = static_cast<int64_t>(seed);
  record["verify_status"] = std::string("not_run");
  return record;
}

void add_data(Record& record, const CaseData& data) {
  for (const auto& [name, value] : data.fields.values()) record[name] = value;
  record["dataset"] = data.dataset();
  record["batch_size"] = int64_t{data.voxels().box.batch_size};
  record["n_in"] = data.voxels().size();
}

void add_map(Record& record, const Problem& problem, CaseData& data) {
  const MapSet& map = data.reference_map(problem.geometry);
  record["n_out"] = static_cast<int64_t>(map.out_coords.size());
  record["n_pairs"] = static_cast<int64_t>(map.triples.size());
  record["map_hash"] = data.map_hash(problem.geometry);
}

void add_plan(Record& record, const PlanDescription& plan, const Problem& problem,
              int64_t n_pairs) {
  record["kernel"] = plan.kernel;
  record["algorithm_params"] = plan.params_json;
  record["arithmetic_class"] = plan.arithmetic.arithmetic_class;
  if (n_pairs > 0) record["redundancy"] = plan.executed_macs / useful_macs(problem, n_pairs);
}

void add_verdict(Record& record, const Verdict& verdict, const RunOptions& options) {
  record["verify_status"] = verdict.status;
  record["status_detail"] = verdict.detail;
  if (verdict.status == "not_run") return;
  record["verify_seed"] = static_cast<int64_t>(options.seed);
  record["map_status"] = verdict.map_status;
  record["checksum_status"] = verdict.checksum_status;
  if (verdict.checksum_status != "not_run") record["checksum_rms"] = verdict.checksum_rms;
  record["verified_fraction"] = verdict.verified_fraction;
  record["mismatch_count"] = verdict.mismatches;
  record["verify_modes"] = verdict.modes;
  if (verdict.has_errors) {
    record["err_max_tol_ratio"] = verdict.max_tolerance_ratio;
    record["err_max_abs"] = verdict.max_abs;
    record["err_max_ulp"] = verdict.max_ulp;
    record["rel_l2"] = verdict.rel_l2;
    record["deterministic"] = verdict.deterministic;
  }
}

void add_memory(Record& record, const engines::MemoryUse& use) {
  record["peak_total_bytes"] = use.peak_total_bytes;
  record["peak_plan_bytes"] = use.peak_plan_bytes;
  record["workspace_bytes"] = use.workspace_bytes;
  record["persistent_bytes"] = use.persistent_bytes;
  record["leak_bytes"] = use.leak_bytes;
  record["run_alloc_count"] = use.run_alloc_count;
  if (use.untracked_bytes) record["untracked_bytes"] = *use.untracked_bytes;
  const auto n_in = record.whole("n_in");
  if (n_in && *n_in > 0)
    record["bytes_per_voxel"] =
        static_cast<double>(use.peak_total_bytes) / static_cast<double>(*n_in);
}

void add_time(Record& record, const engines::PhaseTime& time, const Problem& problem, int64_t n_in,
              int64_t n_out, int64_t n_pairs) {
  bench::fill_record(time.statistics, record);
  record["phase"] = std::string(time.phase);
  record["cache"] = std::string(time.cache);
  record["timing_method"] = std::string(time.method);
  record["cache_method"] = std::string(time.cache_method);
  if (time.wall_median_us) record["wall_median_us"] = *time.wall_median_us;
  record["stop_reason"] = std::string(bench::name(time.sampling.stop_reason));
  record["rounds"] = int64_t{1};
  record["throttled_samples"] = time.sampling.throttled_samples();
  if (time.sampling.throttled() && record.text("status") == "ok")
    record["status"] = std::string("throttled");
  add_conditions(record, time);
  record["fill"] = std::string("relu");
  const double median_us = time.statistics.median;
  // Planning and building maps do no useful floating-point work, a step does that of three cases.
  const std::string_view phase = time.phase;
  if (time.layers > 0) record["layers"] = int64_t{time.layers};
  if (!time.params.empty()) record["algorithm_params"] = time.params;
  if (phase == "plan" || phase == "map_build" || phase == "step" || median_us <= 0) return;
  record["throughput_gflops"] = 2 * useful_macs(problem, n_pairs) / median_us / 1e3;
  record["bandwidth_gbps"] = compulsory_bytes(problem, n_in, n_out, n_pairs) / median_us / 1e3;
}

bool is_near_floor(double median_us, double timer_floor_us) {
  constexpr double kFloors = 20;
  return median_us < kFloors * timer_floor_us;
}

void add_conditions(Record& record, const engines::PhaseTime& time) {
  if (time.floor_us) {
    record["timer_floor_us"] = *time.floor_us;
    record["near_floor"] = is_near_floor(time.statistics.median, *time.floor_us);
  }
  const bench::Conditions& seen = time.conditions;
  record["throttle_reasons"] = seen.throttle_reasons;
  for (const auto& [name, value] : {std::pair("sm_clock_mhz", seen.sm_clock_mhz),
                                    {"mem_clock_mhz", seen.mem_clock_mhz},
                                    {"power_w", seen.power_w},
                                    {"temp_c", seen.temp_c}})
    if (value) record[name] = *value;
}

}  // namespace spb::run
