// Every kernel of wgrad that this device runs, whatever the choice would be.
#include <algorithm>
#include <gtest/gtest.h>

#include "algorithms/device_run.h"
#include "algorithms/forced.h"
#include "algorithms/kernel_variants.h"

namespace spb {
namespace {

struct Shape {
  const char* geometry;
  int64_t voxels;
  int c_in, c_out;
};

// Tails in both channels and in the rows, fewer steps than stages, lists of many steps, several
// words of masks, a last group with fewer offsets, channels that tiles of several offsets take.
const Shape kShapes[] = {
    {"subm k3x3x3 s1x1x1 d1x1x1", 400, 64, 64},    {"subm k3x3x3 s1x1x1 d1x1x1", 700, 128, 128},
    {"subm k3x3x3 s1x1x1 d1x1x1", 130, 64, 200},   {"subm k3x3x3 s1x1x1 d1x1x1", 100, 264, 72},
    {"subm k3x3x3 s1x1x1 d1x1x1", 150, 17, 3},     {"strided k2x2x2 s2x2x2 d1x1x1", 300, 128, 24},
    {"strided k3x3x3 s2x2x2 d1x1x1", 200, 64, 33}, {"subm k5x5x5 s1x1x1 d1x1x1", 130, 64, 8},
    {"subm k1x1x1 s1x1x1 d1x1x1", 100, 128, 64},   {"subm k3x3x3 s1x1x1 d1x1x1", 0, 64, 64},
    {"strided k3x3x3 s1x1x1 d1x1x1", 1, 128, 16},
};

TEST(WgradVariants, EachEqualsTheNaiveConvolution) {
  uint32_t seed = 900;
  for (const KernelVariant& variant : wgrad_variants())
    for (const DtypeInfo& dtype : dtypes()) {
      if (!(variant.dtypes & dtype_bit(dtype.dtype))) continue;
      int planned = 0;
      for (const Shape& shape : kShapes) {
        // The portable kernels may run on a CPU, thread by thread.
        const bool large = shape.voxels * shape.c_in * shape.c_out > 1000000;
        if (large && variant.min_arch == 0) continue;
        for (const char* name : {"implicit_gemm", "masked_implicit_gemm", "implicit_gemm_splitk",
                                 "masked_implicit_gemm_splitk"}) {
          Problem problem =
              parse_problem(std::string(shape.geometry) + " c1:1 " + dtype.name + " wgrad", "test");
          problem.c_in = shape.c_in;
          problem.c_out = shape.c_out;
          problem.bias = ++seed % 2 != 0;
          SCOPED_TRACE(std::string(variant.name) + ": " + name + " " + to_text(problem));
          const Forced forced(variant.name);
          if (algorithm_named(name).unsupported(problem))
            continue;  // of newer devices, or channels
          ++planned;
          const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, seed);
          DeviceRun device(algorithm_named(name), problem, voxels);
          EXPECT_EQ(device.plan().description().kernel, variant.name);
          const naive::Inputs inputs =
              naive::integer_inputs(problem, device.n_in(), device.plan().n_out(), seed);
          device.set_inputs(inputs);
          MapSet map = naive::build_map(voxels, problem.geometry), found = device.map();
          std::sort(map.triples.begin(), map.triples.end());
          std::sort(found.triples.begin(), found.triples.end());
          EXPECT_EQ(found.triples, map.triples);
          const std::vector<float> expected = naive::compute(problem, map, device.n_in(), inputs);
          for (const uint8_t poison : std::initializer_list<uint8_t>{0xFF, 0x7F})
            ASSERT_EQ(device.run(poison), expected) << "poison " << int{poison};
        }
      }
      if (variant.min_arch == 0) {
        EXPECT_EQ(planned, 4 * 7);
      }
    }
}

}  // namespace
}  // namespace spb
