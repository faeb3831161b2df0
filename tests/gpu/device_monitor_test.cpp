// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_monitor.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/amdgpu_metrics.h"
#include "gpu/device_info.h"
#include "temporary_folder.h"

namespace spb::gpu {
namespace {

namespace fs = std::filesystem;

TEST(Nvml, ReadsWhatTheLibraryTells) {
  const OpenedMonitor opened = open_nvml("GPU-fake", SPB_FAKE_NVML);
  ASSERT_TRUE(opened.monitor) << opened.note;
  EXPECT_EQ(opened.note, "NVML 580.95.05");
  const DeviceState state = opened.monitor->read();
  EXPECT_EQ(state.sm_clock_mhz, 1980);
  EXPECT_EQ(state.mem_clock_mhz, 2619);
  EXPECT_EQ(state.power_w, 512.345);
  EXPECT_FALSE(state.temp_c) << "what is not supported is left out";
  EXPECT_EQ(state.reasons.text(), "hw_thermal sw_power_cap");  // idle is no reason
  EXPECT_TRUE(state.reasons.throttle());
  EXPECT_TRUE(state.reasons.cap_power());
}

TEST(Nvml, LocksTheClockOrSaysWhyNot) {
  const OpenedMonitor opened = open_nvml("GPU-fake", SPB_FAKE_NVML);
  ASSERT_TRUE(opened.monitor) << opened.note;
  EXPECT_EQ(opened.monitor->lock_clock(1500), "");
  EXPECT_EQ(opened.monitor->read().sm_clock_mhz, 1500);
  EXPECT_EQ(opened.monitor->lock_clock(0), "");
  EXPECT_EQ(opened.monitor->read().sm_clock_mhz, 0xFFFFFF01) << "the base clock has a name";
  opened.monitor->unlock_clock();
  EXPECT_EQ(opened.monitor->read().sm_clock_mhz, 1980);
  EXPECT_EQ(opened.monitor->lock_clock(666), "no permission, which root has");
  EXPECT_EQ(opened.monitor->read().sm_clock_mhz, 1980);
}

TEST(Nvml, AbsenceHasAReason) {
  EXPECT_EQ(open_nvml("GPU-fake", "libno-such-library.so").note,
            "none: libno-such-library.so is not installed");
  EXPECT_EQ(open_nvml("GPU-other", SPB_FAKE_NVML).note,
            "none: NVML does not know device GPU-other");
  const OpenedMonitor other = open_nvml("GPU-fake", "libm.so.6");
  EXPECT_FALSE(other.monitor);
  EXPECT_EQ(other.note, "none: libm.so.6 cannot be started");
}

/// gpu_metrics of version 1.`content`, all zeros.
std::string metrics_of(char content, size_t bytes) {
  std::string metrics(bytes, '\0');
  metrics[2] = 1;
  metrics[3] = content;
  return metrics;
}

void put(std::string& metrics, size_t at, uint32_t value) {
  std::memcpy(&metrics[at], &value, sizeof value);
}

class AmdgpuTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_ / "0000:03:00.0" / "hwmon" / "hwmon4"); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / "0000:03:00.0" / name, std::ios::binary) << text;
  }
  const TemporaryFolder temporary_;
  const fs::path& root_ = temporary_.path();
};

TEST_F(AmdgpuTest, ReadsTheFilesOfTheDriver) {
  write("hwmon/hwmon4/freq1_input", "1700000000\n");
  write("hwmon/hwmon4/freq2_input", "1600000000\n");
  write("hwmon/hwmon4/power1_average", "300000000\n");
  write("hwmon/hwmon4/temp1_input", "45000\n");
  const OpenedMonitor opened = open_amdgpu("PCI-0000:03:00.0", root_);
  ASSERT_TRUE(opened.monitor) << opened.note;
  EXPECT_EQ(opened.note, "amdgpu hwmon, no gpu_metrics");
  DeviceState state = opened.monitor->read();
  EXPECT_EQ(state.sm_clock_mhz, 1700);
  EXPECT_EQ(state.mem_clock_mhz, 1600);
  EXPECT_EQ(state.power_w, 300);
  EXPECT_EQ(state.temp_c, 45);
  EXPECT_EQ(state.reasons.text(), "unknown") << "there is no gpu_metrics";

  // gpu_metrics 1.3 with a thermal reason.
  std::string metrics(120, '\0');
  metrics[2] = 1;
  metrics[3] = 3;
  const uint64_t reasons = uint64_t{1} << 36;
  std::memcpy(&metrics[112], &reasons, sizeof reasons);
  write("gpu_metrics", metrics);
  state = opened.monitor->read();
  EXPECT_EQ(state.reasons.text(), "thermal");
  EXPECT_TRUE(state.reasons.throttle());
  metrics[3] = 5;  // another layout
  write("gpu_metrics", metrics);
  EXPECT_EQ(opened.monitor->read().reasons.text(), "unknown");
}

TEST_F(AmdgpuTest, CountersTellWhatHeldSinceTheLastReading) {
  std::string metrics = metrics_of(6, 1664);
  write("gpu_metrics", metrics);
  const OpenedMonitor opened = open_amdgpu("PCI-0000:03:00.0", root_);
  ASSERT_TRUE(opened.monitor) << opened.note;
  EXPECT_EQ(opened.note, "amdgpu hwmon, gpu_metrics 1.6");
  EXPECT_EQ(opened.monitor->read().reasons.text(), "");
  put(metrics, 40, 17);  // time at the power limit
  write("gpu_metrics", metrics);
  EXPECT_EQ(opened.monitor->read().reasons.text(), "power_cap");
  EXPECT_EQ(opened.monitor->read().reasons.text(), "") << "no more since";
}

TEST(AmdgpuMetrics, CountersOfMi300AreDifferences) {
  struct Version {
    char content;
    size_t bytes, first;  // of its counters: hot, power, socket, regulators, memory
  };
  for (const Version& version : {Version{6, 1664, 36}, {7, 2208, 44}, {8, 3360, 44}}) {
    std::string before = metrics_of(version.content, version.bytes);
    for (size_t i = 0; i < 5; ++i) put(before, version.first + 4 * i, 1000);
    EXPECT_EQ(amdgpu_throttle_reasons(before, before).text(), "");
    const char* kNames[] = {"thermal", "power_cap", "thermal", "thermal", "thermal"};
    for (size_t i = 0; i < 5; ++i) {
      std::string now = before;
      put(now, version.first + 4 * i, 3);  // has wrapped
      EXPECT_EQ(amdgpu_throttle_reasons(before, now).text(), kNames[i]) << i;
    }
    std::string beside = before;
    put(beside, version.first - 4, 5);
    put(beside, version.first + 20, 5);
    EXPECT_EQ(amdgpu_throttle_reasons(before, beside).text(), "") << "no counters of throttling";
  }
}

TEST(AmdgpuMetrics, WhatIsNotToldIsUnknown) {
  for (const char content : {'\0', '\1', '\2', '\4', '\5', '\11'}) {
    const std::string metrics = metrics_of(content, 4096);
    EXPECT_EQ(amdgpu_throttle_reasons(metrics, metrics).text(), "unknown") << int{content};
  }
  std::string of_apu = metrics_of(3, 4096);
  of_apu[2] = 2;
  EXPECT_EQ(amdgpu_throttle_reasons(of_apu, of_apu).text(), "unknown");
  const std::string metrics = metrics_of(6, 1664);
  EXPECT_EQ(amdgpu_throttle_reasons("", metrics).text(), "unknown");
  EXPECT_EQ(amdgpu_throttle_reasons(metrics, metrics.substr(0, 50)).text(), "unknown");
  EXPECT_EQ(amdgpu_throttle_reasons(metrics_of(7, 1664), metrics).text(), "unknown");
  std::string lacking = metrics;
  put(lacking, 52, 0xFFFF'FFFF);  // heat of the memory
  EXPECT_EQ(amdgpu_throttle_reasons(lacking, lacking).text(), "unknown");
}

TEST_F(AmdgpuTest, AbsenceHasAReason) {
  const OpenedMonitor opened = open_amdgpu("PCI-0000:04:00.0", root_);
  EXPECT_FALSE(opened.monitor);
  EXPECT_TRUE(opened.note.starts_with("none: ")) << opened.note;
}

TEST(Monitor, TheBuildsOwnHasAMonitorOrAReason) {
  const OpenedMonitor opened = open_monitor(device_in_use().uuid);
  EXPECT_NE(opened.note, "");
  EXPECT_EQ(opened.monitor == nullptr, opened.note.starts_with("none: ")) << opened.note;
  if (!opened.monitor) return;
  const DeviceState state = opened.monitor->read();
  EXPECT_GT(state.sm_clock_mhz.value_or(0), 100) << opened.note;
  EXPECT_GT(state.power_w.value_or(0), 1) << opened.note;
}

}  // namespace
}  // namespace spb::gpu
