// SPDX-License-Identifier: Apache-2.0
#include "tuning/problem_class.h"

#include <gtest/gtest.h>

#include "tuning/samples.h"

namespace spb::tuning {
namespace {

TEST(Buckets, AreHalfOctaves) {
  EXPECT_EQ(bucket_of(0), -1);
  EXPECT_EQ(bucket_of(1), 0);
  EXPECT_EQ(bucket_of(1.41), 0);
  EXPECT_EQ(bucket_of(1.42), 1);
  EXPECT_EQ(bucket_of(2), 2);
  EXPECT_EQ(bucket_of(1024), 20);
  EXPECT_EQ(bucket_of(0.5), -2);
  for (const int bucket : {0, 1, 19, 20, 41}) {
    EXPECT_EQ(bucket_of(bucket_begin(bucket) * 1.001), bucket);
    EXPECT_EQ(bucket_of(bucket_begin(bucket) * 0.999), bucket - 1);
  }
  EXPECT_EQ(bucket_begin(-1), 0);
}

TEST(ProblemClass, TakesLikeSizesTogether) {
  const ProblemClass one = class_of(some_algorithm(), sized_problem(16, 1100));
  EXPECT_EQ(one, class_of(some_algorithm(), sized_problem(16, 1300)));
  EXPECT_NE(one, class_of(some_algorithm(), sized_problem(16, 1500)));
  SizedProblem denser = sized_problem(16, 1100);
  denser.n_pairs *= 2;
  EXPECT_NE(one, class_of(some_algorithm(), denser));
}

TEST(ProblemClass, KeepsApartWhatRunsAnotherWay) {
  const SizedProblem base = sized_problem();
  const ProblemClass one = class_of(some_algorithm(), base);
  EXPECT_NE(one, class_of(other_algorithm(), base));
  Algorithm newer = some_algorithm();
  ++newer.version;
  EXPECT_NE(one, class_of(newer, base));
  const auto changed = [&](auto change) {
    SizedProblem sized = base;
    change(sized.problem);
    return class_of(some_algorithm(), sized);
  };
  EXPECT_NE(one, changed([](Problem& p) { p.c_in = 17; }));
  EXPECT_NE(one, changed([](Problem& p) { p.c_out = 17; }));
  EXPECT_NE(one, changed([](Problem& p) { p.dtype = Dtype::tf32; }));
  EXPECT_NE(one, changed([](Problem& p) { p.direction = Direction::wgrad; }));
  EXPECT_NE(one, changed([](Problem& p) { p.geometry.kind = ConvKind::strided; }));
  EXPECT_NE(one, changed([](Problem& p) { p.geometry.kernel_size = {5, 3, 3}; }));
  EXPECT_EQ(one, changed([](Problem& p) { p.bias = !p.bias; }));
}

TEST(ProblemClass, TakesNoVoxels) {
  const ProblemClass none = class_of(some_algorithm(), SizedProblem());
  EXPECT_EQ(none.n_out_bucket, -1);
  EXPECT_EQ(none.pairs_bucket, -1);
}

}  // namespace
}  // namespace spb::tuning
