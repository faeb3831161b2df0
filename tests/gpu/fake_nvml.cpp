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
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  *mhz = type == 1 ? 1980 : 2619;
  return type == 1 || type == 2 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 512'345;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) { return 3; }  // not supported
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4 | 0x40;
  return 0;
}
}
