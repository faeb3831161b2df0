#include "report/records/fields.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "core/error.h"

namespace spb::report {
namespace {

using enum FieldType;
constexpr bool kKey = true, kInfo = false;

constexpr Field kFields[] = {
    {"schema_version", text, "", kInfo, "version of these columns, major.minor"},
    {"run_id", text, "", kInfo, "UTC start of the run and six hex digits"},
    {"case_id", text, "", kInfo, "readable name of the row, matched by --filter"},
    {"timestamp_utc", text, "", kInfo, "when the row was written, RFC 3339"},
    {"status", enumeration, "", kInfo,
     "ok, throttled, incorrect, mistrusted, unsupported, skipped, oom, error, timeout"},
    {"status_detail", text, "", kInfo, "one line: the reason of the status"},
    {"repro", text, "", kInfo, "command that repeats the row"},
    {"dataset", text, "", kKey, "file, data set or generator"},
    {"dataset_sha256", text, "", kInfo, "of the input file"},
    {"row_order", text, "", kKey, "order of the voxel rows: file, lex, z, hash"},
    {"voxel_size_m", real, "m", kKey, "edge of a voxel"},
    {"resolution", integer, "voxels", kKey, "voxels along the longest side, when given instead"},
    {"conv_kind", enumeration, "", kKey, "subm, strided"},
    {"kernel_size", text, "", kKey, "per axis, x first"},
    {"stride", text, "", kKey, "per axis, x first"},
    {"dilation", text, "", kKey, "per axis, x first"},
    {"c_in", integer, "", kKey, "input channels"},
    {"c_out", integer, "", kKey, "output channels"},
    {"bias", boolean, "", kKey, "whether a bias is added (wgrad: its gradient computed)"},
    {"batch_size", integer, "", kKey, "point clouds in the voxel set"},
    {"direction", enumeration, "", kKey, "fprop, dgrad, wgrad"},
    {"dtype", enumeration, "", kKey, "f32, 3xtf32, tf32, f16, bf16"},
    {"arithmetic_class", text, "", kKey, "dtype with suffixes that declare weaker arithmetic"},
    {"n_in", integer, "voxels", kInfo, "input voxels"},
    {"n_out", integer, "voxels", kInfo, "output voxels"},
    {"n_pairs", integer, "", kInfo, "pairs (input voxel, output voxel) joined by an offset"},
    {"kernel_volume", integer, "", kInfo, "kernel offsets"},
    {"map_hash", text, "", kInfo, "of the sorted triples (offset, output, input)"},
    {"algorithm", text, "", kKey, "name, see list algorithms"},
    {"kernel", text, "", kInfo, "chosen variant"},
    {"variant_source", enumeration, "", kInfo,
     "who chose it: heuristic (the plan), tuned (spconv-bench tune), forced "
     "(--kernel, --tile-order, --reduction)"},
    {"tune_ms", real, "ms", kInfo, "what tuning the choice took, once; in no other time"},
    {"algorithm_version", integer, "", kInfo, "raised with any change of behavior"},
    {"algorithm_params", text, "", kInfo, "JSON: tile, split, order"},
    {"phase", enumeration, "", kKey, "map_build, plan, kernel, end_to_end, step"},
    {"cache", enumeration, "", kKey, "cold, hot; empty outside the kernel phase"},
    {"layers", integer, "", kKey, "that share maps and plans; empty outside the step phase"},
    {"backend", enumeration, "", kKey, "cuda, hip, host"},
    {"timing_method", enumeration, "", kInfo, "event, graph, batch, sync_wall, host_wall"},
    {"cache_method", enumeration, "", kInfo, "rotate, flush"},
    {"fill", text, "", kInfo, "data that was timed"},
    {"samples", integer, "", kInfo, "timed runs behind the statistics"},
    {"rounds", integer, "", kInfo, "visits of the case"},
    {"outliers", integer, "", kInfo, "samples beyond 3 IQR; counted and kept"},
    {"throttled_samples", integer, "", kInfo, "samples taken while the device was throttled"},
    {"stop_reason", enumeration, "", kInfo, "ci, noise_stable, time, samples"},
    {"time_median_us", real, "µs", kInfo, "median of the samples"},
    {"time_ci95_lo_us", real, "µs", kInfo, "lower end of the median's 95 % interval"},
    {"time_ci95_hi_us", real, "µs", kInfo, "upper end of the median's 95 % interval"},
    {"time_min_us", real, "µs", kInfo, "fastest sample"},
    {"time_q1_us", real, "µs", kInfo, "lower quartile"},
    {"time_q3_us", real, "µs", kInfo, "upper quartile"},
    {"time_p95_us", real, "µs", kInfo, "95th percentile"},
    {"time_mean_us", real, "µs", kInfo, "mean"},
    {"time_std_us", real, "µs", kInfo, "standard deviation"},
    {"wall_median_us", real, "µs", kInfo,
     "of a phase with work of the host, whose time is the device's part: what a caller waits"},
    {"noise_rel", real, "", kInfo, "IQR / median"},
    {"timer_floor_us", real, "µs", kInfo, "an empty kernel, timed the same way"},
    {"near_floor", boolean, "", kInfo, "the median is below 20 floors: hot is the better number"},
    {"cold_suspect", boolean, "", kInfo, "faster than memory can be read: caches were not cold"},
    {"throughput_gflops", real, "GFLOP/s", kInfo, "useful work / median time"},
    {"bandwidth_gbps", real, "GB/s", kInfo, "compulsory bytes / median time"},
    {"redundancy", real, "", kInfo, "executed / useful work"},
    {"peak_gflops", real, "GFLOP/s", kInfo, "highest measured rate of the dtype on the device"},
    {"peak_bw_gbps", real, "GB/s", kInfo, "measured bandwidth of a copy, reads and writes counted"},
    {"peak_source", text, "", kInfo, "what measured peak_gflops: probe:cublas ..."},
    {"roofline_time_us", real, "µs", kInfo, "least time for the work and the compulsory bytes"},
    {"roofline_pct", real, "%", kInfo, "100 roofline_time_us / time_median_us"},
    {"roofline_bound", enumeration, "", kInfo, "the larger of the two: compute, memory"},
    {"dense_gemm_us", real, "µs", kInfo,
     "dense product of equal work, [n_out, c_in n_pairs/n_out]"},
    {"dense_gemm_pct", real, "%", kInfo, "100 dense_gemm_us / time_median_us"},
    {"rank", integer, "", kInfo,
     "1 = fastest of the verified rows equal in all keys but algorithm"},
    {"peak_total_bytes", integer, "bytes", kInfo, "largest live sum, plan and run"},
    {"peak_plan_bytes", integer, "bytes", kInfo, "largest sum beyond operands during plan"},
    {"workspace_bytes", integer, "bytes", kInfo, "workspace live during run"},
    {"persistent_bytes", integer, "bytes", kInfo, "kept between runs: maps, orders, weights"},
    {"leak_bytes", integer, "bytes", kInfo, "live after destruction"},
    {"untracked_bytes", integer, "bytes", kInfo, "device memory taken past the allocator"},
    {"bytes_per_voxel", real, "bytes/voxel", kInfo, "peak_total_bytes / n_in"},
    {"run_alloc_count", integer, "", kInfo, "allocations inside run; must be 0"},
    {"oom_request_bytes", integer, "bytes", kInfo, "size of the allocation that failed"},
    {"verify_status", enumeration, "", kInfo,
     "pass, fail, mistrusted, unsupported, skipped, not_run"},
    {"map_status", enumeration, "", kInfo, "verdict on output coords and maps"},
    {"checksum_status", enumeration, "", kInfo, "verdict on the timed outputs"},
    {"verify_modes", text, "", kInfo, "modes that ran: exact, fp"},
    {"verified_fraction", real, "", kInfo, "share of the output compared element by element"},
    {"err_max_tol_ratio", real, "", kInfo, "largest error / bound; above 1 fails"},
    {"err_max_abs", real, "", kInfo, "largest absolute error"},
    {"err_max_ulp", real, "ulp", kInfo, "largest error in units of the output's last place"},
    {"rel_l2", real, "", kInfo, "relative error norm; information only"},
    {"checksum_rms", real, "", kInfo, "root mean square of the checksum's errors in sigma"},
    {"mismatch_count", integer, "", kInfo, "elements outside their bound"},
    {"verify_seed", integer, "", kInfo, "of the verification data"},
    {"seed", integer, "", kInfo, "of the run"},
    {"deterministic", boolean, "", kInfo, "repeated runs gave identical bits"},
    {"gpu_name", text, "", kInfo, "device; on host the processor"},
    {"gpu_uuid", text, "", kInfo, "device identity"},
    {"gpu_arch", text, "", kInfo, "device architecture"},
    {"driver_version", text, "", kInfo, "of the device driver"},
    {"runtime_version", text, "", kInfo, "of the vendor's runtime"},
    {"clock_policy", text, "", kInfo,
     "free, locked:<MHz>, on host the governor; with --rest: the pauses"},
    {"throttle_reasons", text, "", kInfo, "seen while timing, by the management library"},
    {"sm_clock_mhz", real, "MHz", kInfo, "median of the multiprocessors' clock"},
    {"mem_clock_mhz", real, "MHz", kInfo, "median of the memory's clock"},
    {"power_w", real, "W", kInfo, "median of the device's power draw"},
    {"temp_c", real, "°C", kInfo, "median of the device's temperature"},
    {"tool_version", text, "", kInfo, "of spconv-bench"},
    {"git_sha", text, "", kInfo, "commit of the build"},
    {"git_dirty", boolean, "", kInfo, "whether the build had uncommitted changes"},
    {"build_type", text, "", kInfo, "CMake build type"},
    {"config_hash", text, "", kInfo, "SHA-256 of everything that affects results"},
};

bool has_type(const Value& value, FieldType type) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  switch (type) {
    case text:
    case enumeration:
      return std::holds_alternative<std::string>(value);
    case integer:
      return std::holds_alternative<int64_t>(value);
    case real:
      return std::holds_alternative<double>(value);
    case boolean:
      return std::holds_alternative<bool>(value);
  }
  return false;
}

template <typename Number>
Value parse_number(const Field& field, const std::string& text, std::string_view where) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(static_cast<double>(number)))
    throw input_error(where,
                      fmt::format("{} is \"{}\", expected {}", field.name, text, name(field.type)));
  return number;
}

}  // namespace

const char* name(FieldType type) {
  constexpr const char* kNames[] = {"text", "enumeration", "integer", "real", "boolean"};
  return kNames[static_cast<int>(type)];
}

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view name) {
  for (const Field& field : kFields)
    if (name == field.name) return &field;
  return nullptr;
}

void check(const Record& record) {
  for (const auto& [column, value] : record.values()) {
    const Field* field = find_field(column);
    if (!field) throw std::logic_error("\"" + column + "\" is no column of report/fields.cpp");
    if (!has_type(value, field->type))
      throw std::logic_error("column " + column + " must be " + name(field->type));
  }
}

std::string to_text(const Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  if (const auto* number = std::get_if<double>(&value); number && std::isfinite(*number))
    return fmt::format("{:.9g}", *number);
  return {};
}

Value parse_value(const Field& field, const std::string& text, std::string_view where) {
  if (text.empty()) return {};
  switch (field.type) {
    case integer:
      return parse_number<int64_t>(field, text, where);
    case real:
      return parse_number<double>(field, text, where);
    case boolean:
      if (text == "0" || text == "1") return text == "1";
      throw input_error(where, fmt::format("{} is \"{}\", expected 0 or 1", field.name, text));
    default:
      return text;
  }
}

void check_schema_version(const std::string& version, std::string_view where) {
  const auto major = [&](std::string_view words) {
    int number = -1;
    const auto result = std::from_chars(words.data(), words.data() + words.size(), number);
    const bool dotted = result.ptr != words.data() + words.size() && *result.ptr == '.';
    if (result.ec != std::errc() || !dotted)
      throw usage_error(where, fmt::format("schema_version \"{}\" is no major.minor", words));
    return number;
  };
  if (major(version) > major(kSchemaVersion))
    throw usage_error(
        where,
        fmt::format("written with schema {}, this program reads up to {}", version, kSchemaVersion),
        "use a newer spconv-bench");
}

}  // namespace spb::report
