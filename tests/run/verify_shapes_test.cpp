// SPDX-License-Identifier: Apache-2.0
// What mutants cannot show: tests/mutants/shape_mutants.h has the others.
#include "run/verify_shapes.h"

#include <gtest/gtest.h>

#include "algorithms/fake_algorithm.h"
#include "data/generate.h"
#include "engines/native/native.h"

namespace spb::run {
namespace {

// What is left of fprop when the reference had the same defect.
TEST(Adjoint, JoinsTheDirectionsWithoutAReference) {
  const VoxelSet voxels = data::generate("sphere:8");
  const Problem problem{.geometry = {}, .c_in = 6, .c_out = 5};
  EXPECT_EQ(adjoint_fault(engines::Native(fake_algorithm({})), problem, voxels, 3), "");
  const Defect defect{.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
    if (!operands.out) return;
    for (int64_t i = 0; i < 5; ++i)  // as a missed bias or channel would
      write_element(operands, problem, i, 1 + read_element(operands, problem, i, stream), stream);
  }};
  const std::string fault =
      adjoint_fault(engines::Native(fake_algorithm(defect)), problem, voxels, 3);
  EXPECT_NE(fault.find("adjoint: sums of the directions differ: fprop "), std::string::npos)
      << fault;
}

TEST(Shapes, SayThatTheyRan) {
  const engines::Native native(fake_algorithm({}));
  Verdict verdict;
  verdict.status = VerifyStatus::pass;
  verdict.modes = "exact";
  verify_shapes(
      native, {.geometry = {}, .c_in = 64, .c_out = 3}, {}, [](const std::string&) {}, verdict);
  EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
  EXPECT_EQ(verdict.modes, "exact,shapes");
}

// A forced choice, say, that takes no few channels.
TEST(Shapes, DoNotSayThatTheyRanWhereNoneIsClaimed) {
  const engines::Native native(fake_algorithm({}));
  Verdict verdict;
  verdict.status = VerifyStatus::pass;
  verdict.modes = "exact";
  const Problem problem{.geometry = {}, .c_in = 13, .c_out = 13};
  verify_shapes(
      native, problem, {}, [](const std::string&) {}, verdict);
  EXPECT_EQ(verdict.modes, "exact");
}

}  // namespace
}  // namespace spb::run
