// SPDX-License-Identifier: Apache-2.0
// Tests that run kernels with the threads in order and, on host, in reverse; a GPU runs them twice.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "gpu/runtime.h"

namespace spb::gpu {

class BothOrders : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { host_reverse_order = GetParam(); }
  void TearDown() override { host_reverse_order = false; }
};

inline std::string order_name(const testing::TestParamInfo<bool>& info) {
  return info.param ? "reverse" : "forward";
}

#define SPB_BOTH_ORDERS(Fixture) \
  INSTANTIATE_TEST_SUITE_P(Order, Fixture, testing::Bool(), spb::gpu::order_name)

}  // namespace spb::gpu
