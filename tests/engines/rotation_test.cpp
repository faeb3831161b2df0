// SPDX-License-Identifier: Apache-2.0
#include "engines/native/rotation.h"

#include <gtest/gtest.h>

#include "algorithms/fake_algorithm.h"
#include "data/generate.h"

namespace spb::engines {
namespace {

TEST(SetsNeeded, PassTwiceTheCacheBeforeASetReturns) {
  EXPECT_EQ(sets_needed(1000, 100), 2);  // two at least
  EXPECT_EQ(sets_needed(100, 100), 3);
  EXPECT_EQ(sets_needed(60, 100), 5);
  for (const int64_t set : {1, 7, 100, 1000})
    EXPECT_GE((sets_needed(set, 5000) - 1) * set, 2 * 5000) << set;
}

class RotationTest : public testing::Test {
 protected:
  Problem problem_{.geometry = {}, .c_in = 8, .c_out = 8};
  VoxelSet voxels_ = data::generate("sphere:16");
};

TEST_F(RotationTest, SetsTakeTurnsAndAgree) {
  const Algorithm algorithm = fake_algorithm({});
  Session session(algorithm, problem_, voxels_, false);
  session.allocator.poison(gpu::Tag::input, 0, session.stream);
  session.allocator.poison(gpu::Tag::weight, 0, session.stream);
  const int64_t one = session.allocator.counts().live_bytes;
  Rotation rotation(session, algorithm, problem_, one);
  ASSERT_EQ(rotation.sets(), 3);
  EXPECT_GT(session.allocator.counts().live_bytes, 2 * one) << "sets share their buffers";
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  for (int run = 0; run < 7; ++run) {
    EXPECT_EQ(rotation.next(), run % 3);
    rotation.queue_run();
  }
  session.stream.synchronize();
  EXPECT_EQ(rotation.differing_set(), std::nullopt);
}

// The first set's outputs are judged, though samples may be fewer than sets.
TEST_F(RotationTest, BeginsAnewWhenAllHaveRun) {
  const Algorithm algorithm = fake_algorithm({});
  Session session(algorithm, problem_, voxels_, false);
  session.allocator.poison(gpu::Tag::input, 0, session.stream);
  session.allocator.poison(gpu::Tag::weight, 0, session.stream);
  Rotation rotation(session, algorithm, problem_, session.allocator.counts().live_bytes);
  rotation.queue_run();
  rotation.queue_run();
  rotation.run_all();
  EXPECT_EQ(rotation.next(), 0);
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);
  rotation.queue_run();
  session.stream.synchronize();
  EXPECT_EQ(rotation.differing_set(), std::nullopt) << "what ran before counts no more";
}

TEST_F(RotationTest, ASetThatStoredOtherBitsIsFound) {
  int runs = 0;
  const Algorithm algorithm =
      fake_algorithm({.after_run = [&runs](const Operands& operands, const gpu::Stream& stream) {
        if (++runs == 3) write_element(operands, {}, 5, 12345, stream);
      }});
  Session session(algorithm, problem_, voxels_, false);
  session.allocator.poison(gpu::Tag::input, 0, session.stream);
  session.allocator.poison(gpu::Tag::weight, 0, session.stream);
  Rotation rotation(session, algorithm, problem_, session.allocator.counts().live_bytes);
  for (int run = 0; run < 3; ++run) rotation.queue_run();
  EXPECT_EQ(rotation.differing_set(), 2);
}

TEST_F(RotationTest, TooManySetsAreNone) {
  const Algorithm algorithm = fake_algorithm({});
  Session session(algorithm, problem_, voxels_, false);
  Rotation rotation(session, algorithm, problem_, int64_t{1} << 50);
  EXPECT_EQ(rotation.sets(), 1);
  rotation.queue_run();
  rotation.queue_run();
  EXPECT_EQ(rotation.next(), 0);
  EXPECT_EQ(rotation.differing_set(), std::nullopt);
}

}  // namespace
}  // namespace spb::engines
