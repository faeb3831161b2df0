// SPDX-License-Identifier: Apache-2.0
// A library with the functions of NVML that device_monitor_nvml.cpp looks for: one device.
#include <cstdio>
#include <cstring>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::snprintf(version, length, "580.95.05");
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int handle;
  *device = &handle;
  return std::strcmp(uuid, "GPU-fake") == 0 ? 0 : 6;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 512'345;
  return 0;
}
static unsigned locked_mhz = 0;  // told as the clock
int nvmlDeviceSetGpuLockedClocks(void*, unsigned lo, unsigned hi) {
  if (lo == 666) return 4;  // no permission
  if (lo != hi) return 2;
  locked_mhz = lo;
  return 0;
}
int nvmlDeviceResetGpuLockedClocks(void*) {
  locked_mhz = 0;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  *mhz = type != 1 ? 2619 : locked_mhz ? locked_mhz : 1980;
  return type == 1 || type == 2 ? 0 : 2;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) { return 3; }  // not supported
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4 | 0x40;
  return 0;
}
}
