// SPDX-License-Identifier: Apache-2.0
// A fixed number of segments: by every kernel that takes them, exactly as many as asked for.
#include "algorithms/forced_run.h"
#include "algorithms/instances.h"
#include "gpu/device_info.h"

namespace spb {
namespace {

constexpr const char* kName = "split_masked_implicit_gemm";

std::string segments_of(const Algorithm& row, const std::string& text, int64_t voxels) {
  DeviceRun device(row, parsed_problem(text), naive::random_voxels({1, {9, 9, 9}}, voxels, 3));
  const std::string& params = device.plan().description().params_json;
  const size_t at = params.find("\"segments\":");
  return at == std::string::npos ? "none" : params.substr(at + 11, params.find(',', at) - at - 11);
}

using SplitMasks = ByName;

TEST_P(SplitMasks, GiveTheNaiveConvolution) {
  const KernelVariant& variant = known_variant(GetParam(), "test");
  // Twins of AMD's matrix cores are slow.
  const int64_t rows = variant.chips && gpu::on_host() ? 80 : 400;
  uint32_t seed = 60;
  for (const Math& dtype : float_dtypes())
    for (const char* direction : {"fprop", "dgrad"})
      for (const int segments : {2, 3, maps::kMostSegments})
        for (const KernelShape& shape :
             {KernelShape{"subm k3x3x3 s1x1x1 d1x1x1", rows, 24, 72},
              {"subm k5x5x5 s1x1x1 d1x1x1", std::min<int64_t>(130, rows), 17, 3},
              {"strided k3x3x3 s2x2x2 d1x1x1", std::min<int64_t>(300, rows), 8, 40},
              {"subm k3x3x3 s1x1x1 d1x1x1", 1, 16, 16},
              {"subm k3x3x3 s1x1x1 d1x1x1", 0, 16, 16}}) {
          Problem problem =
              parsed_problem(std::string(shape.geometry) + " c1:1 " + dtype.name + " " + direction);
          problem.c_in = shape.c_in;
          problem.c_out = shape.c_out;
          problem.bias = ++seed % 2 != 0;
          Algorithm algorithm = forced(kName, GetParam());
          algorithm.choice.values["segments"] = std::to_string(segments);
          if (algorithm.unsupported(problem)) continue;
          SCOPED_TRACE(to_text(problem) + ", " + std::to_string(segments) + " segments");
          const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, seed);
          const std::string params = expect_naive(algorithm, problem, voxels, seed).params_json;
          EXPECT_NE(params.find("\"segments\":" + std::to_string(segments) + ","),
                    std::string::npos)
              << params;
          if (HasFailure()) return;
        }
  if (variant.is_portable()) {
    EXPECT_EQ(seed, 60u + 5 * 2 * 3 * 5) << "runs everywhere";
  }
}

SPB_FOR_KERNELS(SplitMasks, row_variants());

// Few rows or many, whatever the plan would cut them into.
TEST(SplitMask, HasTwoSegmentsUnlessTold) {
  const std::string problem = "subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop";
  Algorithm row = algorithm_named(kName);
  for (const int64_t voxels : {1, 60, 2000}) EXPECT_EQ(segments_of(row, problem, voxels), "2");
  row.choice.values["segments"] = "5";
  EXPECT_EQ(segments_of(row, problem, 60), "5");
  EXPECT_EQ(segments_of(row, "strided k2x2x2 s2x2x2 d1x1x1 c8:8 f32 dgrad", 60), "5");
}

TEST(SplitMask, RefusesWhatIsNoSplit) {
  const auto reason = [](const char* segments, const char* problem) {
    Algorithm row = algorithm_named(kName);
    if (*segments) row.choice.values["segments"] = segments;
    return row.unsupported(parsed_problem(problem)).value_or("runs");
  };
  const char* kWide = "subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 fprop";
  const char* kOfEight = "strided k2x2x2 s2x2x2 d1x1x1 c8:8 f32 fprop";
  EXPECT_EQ(reason("16", kWide), "runs");
  EXPECT_EQ(reason("8", kOfEight), "runs");
  EXPECT_EQ(reason("1", kWide), "of 1 segment is masked_implicit_gemm");
  EXPECT_NE(reason("17", kWide).find("17"), std::string::npos) << reason("17", kWide);
  EXPECT_EQ(reason("9", kOfEight), "cuts offsets into 9 segments; the kernel has 8");
  EXPECT_EQ(reason("", "subm k1x1x1 s1x1x1 d1x1x1 c8:8 f32 dgrad"),
            "cuts offsets into 2 segments; the kernel has 1");
  EXPECT_EQ(reason("", "subm k1x1x1 s1x1x1 d1x1x1 c8:8 f32 wgrad"), "runs");
}

}  // namespace
}  // namespace spb
