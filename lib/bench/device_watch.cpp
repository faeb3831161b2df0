// SPDX-License-Identifier: Apache-2.0
#include "bench/device_watch.h"

#include <utility>

#include "bench/host_wall.h"
#include "core/statistics.h"

namespace spb::bench {
namespace {

constexpr double kPeriodUs = 50e3;

void add(std::vector<double>& values, const std::optional<double>& value) {
  if (value) values.push_back(*value);
}

std::optional<double> take_median(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(std::exchange(values, {}));
}

}  // namespace

void DeviceWatch::read() {
  last_ = monitor_->read();
  last_us_ = host_wall_us();
  add(sm_clock_, last_.sm_clock_mhz);
  add(mem_clock_, last_.mem_clock_mhz);
  add(power_, last_.power_w);
  add(temp_, last_.temp_c);
  reasons_ |= last_.reasons;
}

const gpu::DeviceState& DeviceWatch::poll() {
  if (monitor_ && host_wall_us() - last_us_ >= kPeriodUs) read();
  return last_;
}

Conditions DeviceWatch::conditions() {
  if (monitor_ && power_.empty() && sm_clock_.empty()) read();
  return {take_median(sm_clock_), take_median(mem_clock_), take_median(power_), take_median(temp_),
          std::exchange(reasons_, {})};
}

}  // namespace spb::bench
