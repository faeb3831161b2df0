// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "report/compare/conditions.h"
#include "report/compare/match.h"
#include "report/compare/times.h"
#include "report/records/read_samples.h"

namespace spb::report {
namespace {

using Rows = std::vector<const Record*>;

constexpr Column<Integer> kMemoryColumns[] = {columns::peak_total_bytes, columns::peak_plan_bytes,
                                              columns::workspace_bytes, columns::persistent_bytes,
                                              columns::leak_bytes};

template <typename Predicate>
const Record* find(const Rows* rows, const Predicate& predicate) {
  if (!rows) return nullptr;
  const auto found =
      std::ranges::find_if(*rows, [&](const Record* row) { return predicate(*row); });
  return found == rows->end() ? nullptr : *found;
}

bool has_failed(const Record& row) { return is_wrong(row) || is_broken(row); }

/// The medians of the reference algorithm, by what its competitors have in common with it.
class References {
 public:
  References(const DeviceRows& device, const std::string& algorithm) {
    for (const auto& [name, rows] : device.cases)
      for (const Record* row : rows)
        if (is_good(*row) && row->text(columns::algorithm) == algorithm)
          if (const auto time = time_of(*row)) times_[common_key(*row)] = *time;
  }
  std::optional<double> speedup(const Record& row) const {
    const auto found = times_.find(common_key(row));
    const auto time = time_of(row);
    return time && *time > 0 && found != times_.end() ? std::optional(found->second / *time)
                                                      : std::nullopt;
  }

 private:
  static std::string common_key(const Record& row) {
    return row_key(row, {columns::algorithm, columns::backend});
  }
  std::map<std::string, double> times_;
};

/// Compares one device of BASE with one of NEW.
class DeviceComparer {
 public:
  DeviceComparer(const DeviceRows& base, const DeviceRows& next, const CompareOptions& options,
                 Comparison& all)
      : base_(base),
        next_(next),
        options_(options),
        all_(all),
        base_references_(base, options.reference),
        next_references_(next, options.reference) {
    result_.base_name = base.name;
    result_.next_name = next.name;
    const Record* before = base.order.empty() ? nullptr : base.find(base.order.front())->front();
    const Record* after = next.order.empty() ? nullptr : next.find(next.order.front())->front();
    if (!before || !after) return;
    result_.relative = is_host(*before) != is_host(*after);
    result_.same_device = base.name == next.name || base.name.empty() || next.name.empty();
    const std::string uuids[] = {before->text(columns::gpu_uuid), after->text(columns::gpu_uuid)};
    if (result_.same_device && !uuids[0].empty() && !uuids[1].empty() && uuids[0] != uuids[1])
      all.notes.push_back(
          fmt::format("{}: BASE and NEW ran on two devices of this name", base.name));
  }

  DeviceComparison run() {
    for (const std::string& name : base_.order) compare_case(base_.find(name), next_.find(name));
    for (const std::string& name : next_.order)
      if (!base_.find(name)) compare_case(nullptr, next_.find(name));
    return std::move(result_);
  }

 private:
  void add(const Record* base, const Record* next, Change change, std::string detail = {}) {
    ComparedRow row;
    row.base = base;
    row.next = next;
    row.change = change;
    row.detail = std::move(detail);
    result_.rows.push_back(std::move(row));
  }

  void compare_case(const Rows* base, const Rows* next) {
    const Record* failed_before = find(base, has_failed);
    const Record* failed_now = find(next, has_failed);
    if (failed_now)
      return compare_failure(failed_before ? failed_before : first(base), *failed_now);
    const Record* good_now = find(next, is_good);
    if (failed_before && good_now)
      return add(failed_before, good_now, Change::fixed, "was " + reason(*failed_before));
    if (base)
      for (const Record* row : *base) compare_row(*row, next);
    if (next)
      for (const Record* row : *next)
        if (is_good(*row) && !partner(*row, base)) add(nullptr, row, Change::added);
  }

  void compare_failure(const Record* base, const Record& next) {
    Change change = is_wrong(next) ? Change::incorrect : Change::error;
    const bool failed_before = base && has_failed(*base);
    if (failed_before && is_wrong(*base) == is_wrong(next)) change = Change::failing;
    add(base, &next, change, reason(next));
  }

  void compare_row(const Record& base, const Rows* next) {
    if (!is_good(base)) return;  // it has not failed either: unsupported or skipped
    const Record* row = partner(base, next);
    if (!row) {
      const Record* other = first(next);
      return add(&base, nullptr, Change::missing, other && !is_good(*other) ? reason(*other) : "");
    }
    std::string detail;
    for (const Difference& difference : differences(base, *row, options_.allowed)) {
      detail += fmt::format("{}{}: {}", detail.empty() ? "" : "; ", difference.condition,
                            difference.values);
      all_.differing.emplace(difference.condition, difference.values);
    }
    if (!detail.empty()) return add(&base, row, Change::not_comparable, detail);
    add(&base, row, result_.relative ? Change::relative : Change::same);
    ComparedRow& added = result_.rows.back();
    add_numbers(added);
    if (result_.relative) return;
    if (!added.ratio && (time_of(base) || time_of(*row))) {
      added.change = Change::inconclusive;
      added.detail = "no time above 0 on both sides";
    }
    compare_memory(base, *row);
  }

  void add_numbers(ComparedRow& row) const {
    const auto before = time_of(*row.base), after = time_of(*row.next);
    if (before && after && *before > 0 && !result_.relative) row.ratio = *after / *before;
    if (result_.same_device) return;
    row.base_speedup = base_references_.speedup(*row.base);
    row.next_speedup = next_references_.speedup(*row.next);
  }

  /// All rows of a case hold the same counts.
  void compare_memory(const Record& base, const Record& next) {
    const std::string name = case_name(next);
    if (!memory_seen_.insert(name).second) return;
    for (const Column<Integer>& column : kMemoryColumns) {
      const auto before = base.get(column), after = next.get(column);
      if (!before || !after || *before == *after) continue;
      const double limit = static_cast<double>(*before) * (1 + options_.memory_threshold);
      result_.memory.push_back(
          {name, column.name, *before, *after, static_cast<double>(*after) > limit});
    }
  }

  static const Record* first(const Rows* rows) { return rows ? rows->front() : nullptr; }

  static const Record* partner(const Record& row, const Rows* rows) {
    const std::string key = row_key(row, {columns::backend});
    return find(rows, [&](const Record& other) {
      return is_good(other) && row_key(other, {columns::backend}) == key;
    });
  }

  static std::string reason(const Record& row) {
    const std::string detail = row.text(columns::status_detail);
    return row.text(columns::status) + (detail.empty() ? "" : ": " + detail);
  }

  const DeviceRows& base_;
  const DeviceRows& next_;
  const CompareOptions& options_;
  Comparison& all_;
  const References base_references_, next_references_;
  std::set<std::string> memory_seen_;
  DeviceComparison result_;
};

std::vector<DeviceRows> group(const Side& side, const char* name, Comparison& comparison) {
  for (const std::string& note : side.records.notes) comparison.notes.push_back(note);
  int64_t repeated = 0;
  std::vector<DeviceRows> devices = group_by_device(side.records.rows, repeated);
  if (repeated > 0)
    comparison.notes.push_back(
        fmt::format("{} holds {} rows again from later runs, which count", name, repeated));
  return devices;
}

}  // namespace

const char* name(Change change) {
  constexpr const char* kNames[kChanges] = {"slower",    "faster", "same",           "inconclusive",
                                            "incorrect", "error",  "fixed",          "failing",
                                            "missing",   "new",    "not_comparable", "relative"};
  return kNames[static_cast<int>(change)];
}

bool DeviceComparison::judges_times() const {
  return std::ranges::any_of(rows, [](const ComparedRow& row) { return row.ratio.has_value(); });
}

int64_t Comparison::count(Change change) const {
  int64_t count = 0;
  for (const DeviceComparison& device : devices)
    count += std::ranges::count(device.rows, change, &ComparedRow::change);
  return count;
}

int64_t Comparison::count_worse_memory() const {
  int64_t count = 0;
  for (const DeviceComparison& device : devices)
    count += std::ranges::count(device.memory, true, &MemoryChange::worse);
  return count;
}

int64_t Comparison::compared() const {
  int64_t compared = 0;
  for (const DeviceComparison& device : devices)
    compared += std::ranges::count_if(device.rows, [](const ComparedRow& row) {
      return row.base && row.next && row.change != Change::not_comparable;
    });
  return compared;
}

Side read_side(const std::filesystem::path& path) {
  Side side{.path = path.string(), .records = read_records(path), .samples = {}, .processes = {}};
  std::set<std::string> keys;
  for (const Record& row : side.records.rows) keys.insert(sample_key(row));
  side.samples = read_samples(side.records.files, keys);
  return side;
}

Comparison compare(const Side& base, const Side& next, const CompareOptions& options) {
  Comparison result;
  const std::vector<DeviceRows> before = group(base, "BASE", result);
  const std::vector<DeviceRows> after = group(next, "NEW", result);
  const DeviceRows nothing;
  std::set<std::string> paired;
  for (const DeviceRows& device : after) {
    const auto same = std::ranges::find(before, device.name, &DeviceRows::name);
    const DeviceRows& partner = same != before.end() ? *same
                                : before.size() == 1 ? before.front()
                                                     : nothing;
    paired.insert(partner.name);
    result.devices.push_back(DeviceComparer(partner, device, options, result).run());
  }
  for (const DeviceRows& device : before)
    if (!paired.contains(device.name))
      result.devices.push_back(DeviceComparer(device, nothing, options, result).run());
  judge_times(result, base, next, options);
  for (const DeviceComparison& device : result.devices)
    result.matched += std::ranges::count_if(
        device.rows, [](const ComparedRow& row) { return row.base && row.next; });
  return result;
}

}  // namespace spb::report
