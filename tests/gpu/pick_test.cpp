// SPDX-License-Identifier: Apache-2.0
#include "gpu/pick.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "gpu/buffer.h"

namespace spb::gpu {
namespace {

template <class T>
class Pick : public testing::Test {};
using Elements = testing::Types<uint8_t, uint16_t, uint32_t>;
TYPED_TEST_SUITE(Pick, Elements);

TYPED_TEST(Pick, BringsWhatIsListed) {
  std::vector<TypeParam> values(5000);
  std::iota(values.begin(), values.end(), TypeParam{7});
  Allocator allocator;
  const Stream stream;
  Buffer<TypeParam> buffer(allocator, static_cast<int64_t>(values.size()), Tag::output);
  buffer.upload(values, stream);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < 2000; ++i) places.push_back(i * i % 5000);
  places.push_back(4999);
  std::vector<TypeParam> picked(places.size()), expected;
  for (const int64_t place : places) expected.push_back(values[static_cast<size_t>(place)]);
  pick(buffer.data(), sizeof(TypeParam), places, picked.data(), stream);
  EXPECT_EQ(picked, expected);
  pick(buffer.data(), sizeof(TypeParam), {}, nullptr, stream);
}

TEST(PickedElements, HaveFourBytesAtMost) {
  const int64_t place = 0;
  EXPECT_THROW(pick(nullptr, 8, {&place, 1}, nullptr, {}), std::logic_error);
}

}  // namespace
}  // namespace spb::gpu
