// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"

#include <gtest/gtest.h>
#include <thread>

#include "core/error.h"
#include "gpu/runtime.h"

namespace spb::gpu {
namespace {

int asked_of_the_runtime() {
  int index = -1;
  EXPECT_EQ(gpuGetDevice(&index), gpuSuccess);
  return index;
}

TEST(DeviceInUse, IsTheOneThatWasChosenLast) {
  const int before = device_index();
  for (const DeviceInfo& device : list_devices()) {
    use_device(device.index);
    EXPECT_EQ(device_index(), device.index);
    EXPECT_EQ(asked_of_the_runtime(), device.index);
    EXPECT_EQ(device_in_use().index, device.index);
  }
  use_device(before);
}

TEST(DeviceInUse, StaysWhereAnotherIsRefused) {
  const int before = device_index();
  EXPECT_THROW(use_device(1 << 20), Error);
  EXPECT_EQ(device_index(), before);
  EXPECT_EQ(asked_of_the_runtime(), before);
  static_cast<void>(gpuGetLastError());  // or the next launch would report the refusal again
}

TEST(DeviceInUse, IsTheThreadsOwn) {
  for (const DeviceInfo& device : list_devices()) {
    use_device(device.index);
    std::thread([] { EXPECT_EQ(device_index(), asked_of_the_runtime()); }).join();
  }
  use_device(list_devices().front().index);
}

}  // namespace
}  // namespace spb::gpu
