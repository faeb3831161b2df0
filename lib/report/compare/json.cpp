// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/compare/break_even.h"
#include "report/compare/drift_text.h"
#include "report/compare/match.h"
#include "report/compare/means.h"
#include "report/compare/times.h"
#include "report/compare/writers.h"

namespace spb::report {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
void put(Json& object, const char* name, const std::optional<Value>& value) {
  if (value) object[name] = *value;
}

void put(Json& object, const std::optional<Interval>& interval) {
  if (interval) object["ratio_ci95"] = {interval->lo, interval->hi};
}

std::optional<double> number(const Record* row, const Column<Real>& column) {
  return row ? row->number(column) : std::nullopt;
}

Json json_of(const ComparedRow& row, bool relative) {
  Json object{{"row", row.either().text(columns::case_id)}, {"verdict", name(row.change)}};
  if (!row.detail.empty()) object["detail"] = row.detail;
  const ColumnName names[] = {columns::algorithm, columns::phase, columns::cache,
                              columns::direction, columns::dtype, columns::dataset};
  for (const ColumnName column : names)
    if (const std::string value = row.either().text_of(column.name); !value.empty())
      object[column.name] = value;
  if (!relative) {
    put(object, "base_median_us", number(row.base, columns::time_median_us));
    put(object, "new_median_us", number(row.next, columns::time_median_us));
  }
  put(object, "ratio", row.ratio);
  put(object, row.interval);
  if (row.interval) object["resampled"] = row.resampled;
  put(object, "p", row.p);
  put(object, "p_beyond", row.p_beyond);
  put(object, "base_roofline_pct", number(row.base, columns::roofline_pct));
  put(object, "new_roofline_pct", number(row.next, columns::roofline_pct));
  put(object, "base_speedup", row.base_speedup);
  put(object, "new_speedup", row.next_speedup);
  if (row.next) object["repro"] = row.next->text(columns::repro);
  return object;
}

Json json_of(const GeometricMean& mean) {
  Json object{{"algorithm", mean.algorithm}, {"phase", mean.phase}, {"rows", mean.rows}};
  put(object, "ratio", mean.ratio);
  put(object, mean.interval);
  put(object, "base_speedup", mean.base_speedup);
  put(object, "new_speedup", mean.next_speedup);
  put(object, "base_roofline_pct", mean.base_roofline);
  put(object, "new_roofline_pct", mean.next_roofline);
  return object;
}

Json json_of(const FastestRun& run) {
  return {{"algorithm", run.algorithm}, {"plan_us", run.plan_us}, {"run_us", run.run_us}};
}

Json json_of(const BreakEven& one) {
  return {{"workload", one.workload},
          {"base", json_of(one.base)},
          {"new", json_of(one.next)},
          {"pays", one.next_runs_faster ? "new" : "base"},
          {"from_runs", one.runs}};
}

Json json_of(const ProcessDrift& drift) {
  Json object{{"source", name(drift.source)},
              {"base_processes", drift.base},
              {"new_processes", drift.next},
              {"text", drift_text(drift)}};
  if (drift.source != ProcessDrift::Source::unseen) object["deviation"] = drift.deviation;
  if (drift.source == ProcessDrift::Source::measured)
    object["degrees_of_freedom"] = drift.degrees_of_freedom;
  return object;
}

Json json_of(const DeviceComparison& device, const CompareOptions& options) {
  Json object{{"base", device.base_name}, {"new", device.next_name}, {"relative", device.relative}};
  if (device.judges_times()) object["process_drift"] = json_of(device.drift);
  for (const char* list : {"rows", "geometric_means", "break_even", "memory"})
    object[list] = Json::array();
  for (const ComparedRow& row : device.rows)
    object["rows"].push_back(json_of(row, device.relative));
  for (const GeometricMean& mean : geometric_means(device))
    object["geometric_means"].push_back(json_of(mean));
  for (const BreakEven& one : break_evens(device, options))
    object["break_even"].push_back(json_of(one));
  for (const MemoryChange& change : device.memory)
    object["memory"].push_back({{"case", change.case_name},
                                {"count", change.column},
                                {"base_bytes", change.base},
                                {"new_bytes", change.next},
                                {"worse", change.worse}});
  return object;
}

Json files(const Side& side) {
  Json names = Json::array();
  for (const auto& file : side.records.files) names.push_back(file.string());
  return names;
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  Json counts{{"matched", comparison.matched}};
  for (int i = 0; i < kChanges; ++i)
    counts[name(static_cast<Change>(i))] = comparison.count(static_cast<Change>(i));
  counts["judged"] = comparison.judged;
  counts["memory"] = comparison.count_worse_memory();
  Json object{{"format", "spconv-bench compare 1.1"},
              {"base", files(report.base)},
              {"new", files(report.next)},
              {"threshold", report.options.threshold},
              {"floor_us", report.options.floor_us},
              {"chain_floor_us", report.options.chain_floor_us},
              {"memory_threshold", report.options.memory_threshold},
              {"reference", report.options.reference},
              {"allowed_mismatches", report.options.allowed},
              {"resamples", report.options.bootstrap.resamples},
              {"seed", report.options.bootstrap.seed},
              {"fail_on", report.gate.fail_on},
              {"counts", counts},
              {"exit_code", static_cast<int>(exit_code(comparison, report.gate))},
              {"failures", failures(comparison, report.gate)},
              {"differing", comparison.differing},
              {"notes", comparison.notes},
              {"devices", Json::array()}};
  for (const DeviceComparison& device : comparison.devices)
    object["devices"].push_back(json_of(device, report.options));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace spb::report
