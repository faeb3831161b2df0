// SPDX-License-Identifier: Apache-2.0
#include "report/compare/means.h"

#include <algorithm>
#include <cmath>

namespace spb::report {
namespace {

class Mean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    ++count_;
  }
  std::optional<double> value() const {
    if (count_ == 0) return {};
    return std::exp(logarithms_ / static_cast<double>(count_));
  }
  int64_t count() const { return count_; }

 private:
  double logarithms_ = 0;
  int64_t count_ = 0;
};

struct Means {
  Mean ratio, lo, hi, base_speedup, next_speedup, base_roofline, next_roofline;
};

std::optional<double> roofline(const Record& row) {
  const auto value = row.number(columns::roofline_pct);
  return value && *value > 0 ? value : std::nullopt;
}

void add_pair(Mean& base, Mean& next, std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return;
  base.add(*before);
  next.add(*after);
}

}  // namespace

std::string phase_text(const Record& row) {
  const std::string cache = row.text(columns::cache);
  return row.text(columns::phase) + (cache.empty() ? "" : " " + cache);
}

std::vector<GeometricMean> geometric_means(const DeviceComparison& device) {
  std::vector<GeometricMean> groups;
  std::vector<Means> means;
  for (const ComparedRow& row : device.rows) {
    if (!row.ratio && row.change != Change::relative) continue;
    const std::string algorithm = row.next->text(columns::algorithm), phase = phase_text(*row.next);
    const auto found = std::ranges::find_if(groups, [&](const GeometricMean& group) {
      return group.algorithm == algorithm && group.phase == phase;
    });
    const auto index = static_cast<size_t>(found - groups.begin());
    if (found == groups.end()) {
      groups.emplace_back();
      groups.back().algorithm = algorithm;
      groups.back().phase = phase;
      means.emplace_back();
    }
    Means& mean = means[index];
    ++groups[index].rows;
    if (row.ratio) mean.ratio.add(*row.ratio);
    if (row.interval) {
      mean.lo.add(row.interval->lo);
      mean.hi.add(row.interval->hi);
    }
    add_pair(mean.base_speedup, mean.next_speedup, row.base_speedup, row.next_speedup);
    add_pair(mean.base_roofline, mean.next_roofline, roofline(*row.base), roofline(*row.next));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const Means& mean = means[i];
    groups[i].ratio = mean.ratio.value();
    if (mean.lo.count() == mean.ratio.count() && mean.lo.count() > 0)
      groups[i].interval = Interval{*mean.lo.value(), *mean.hi.value()};
    groups[i].base_speedup = mean.base_speedup.value();
    groups[i].next_speedup = mean.next_speedup.value();
    groups[i].base_roofline = mean.base_roofline.value();
    groups[i].next_roofline = mean.next_roofline.value();
  }
  return groups;
}

}  // namespace spb::report
