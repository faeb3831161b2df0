// SPDX-License-Identifier: Apache-2.0
// A forced kernel runs, or the algorithm says why not: nothing else takes its place.
#include "kernels/kernel_variants.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <set>

#include "algorithms/forced.h"
#include "algorithms/instances.h"
#include "core/error.h"
#include "gpu/device_info.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/tiling.h"

namespace spb {
namespace {

std::set<std::string> variant_names() {
  std::set<std::string> all;
  for (const auto variants : {row_variants(), wgrad_variants()})
    for (const KernelVariant& variant : variants) all.insert(variant.name);
  return all;
}

TEST(ForcedVariant, HasToBeKnown) {
  try {
    known_variant("fma_64x32x3", "--kernel");
    FAIL() << "no such variant";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("fma_64x32x32"), std::string::npos) << error.what();
  }
  EXPECT_STREQ(known_variant("fma_64x32x32", "--kernel").name, "fma_64x32x32");
  EXPECT_EQ(find_variant(""), nullptr);
}

class Forced : public ByName {};

TEST_P(Forced, RunsOrIsRefusedWithItsName) {
  const std::string& name = GetParam();
  const VoxelSet voxels = naive::random_voxels({1, {5, 5, 5}}, 30, 3);
  int planned = 0;
  for (const Algorithm& algorithm : algorithms())
    for (const char* direction : {"fprop", "dgrad", "wgrad"})
      for (const Math& dtype : float_dtypes()) {
        const Problem problem = parse_problem(
            std::string("subm k3x3x3 s1x1x1 d1x1x1 c8:8 ") + dtype.name + " " + direction, "test");
        SCOPED_TRACE(name + ": " + algorithm.name + " " + to_text(problem));
        const Algorithm one = forced(algorithm.name, name);
        if (const auto reason = one.unsupported(problem)) {
          // What no kernel can help is refused before anybody asks for one.
          if (!unclaimed(one.claim, problem)) {
            EXPECT_EQ(reason->find("kernel " + name), 0u) << *reason;
          }
          continue;
        }
        DeviceRun device(one, problem, voxels);
        EXPECT_EQ(device.plan().description().kernel, name);
        ++planned;
      }
  // Portable kernels run everywhere: in all algorithms that choose among tile kernels, four dtypes
  // (3xtf32 is not portable), those of the rows in two directions, of wgrad in one.
  const auto takers = std::ranges::count_if(algorithms(), [](const Algorithm& algorithm) {
    return algorithm.choices != nullptr &&
           std::ranges::any_of(algorithm.knobs,
                               [](const Knob& knob) { return std::string(knob.name) == "kernel"; });
  });
  const KernelVariant& variant = known_variant(name, "test");
  const auto directions = 2 * std::ranges::count(kernel_names(row_variants()), name) +
                          std::ranges::count(kernel_names(wgrad_variants()), name);
  if (variant.is_portable()) {
    EXPECT_EQ(planned, takers * 4 * directions);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Forced, testing::ValuesIn(kernel_names(row_variants())), its_name);
INSTANTIATE_TEST_SUITE_P(Wgrad, Forced, testing::ValuesIn(kernel_names(wgrad_variants())),
                         its_name);

TEST(ForcedVariant, IsRefusedWithTheFirstReason) {
  const auto refusal = [](const char* name, const char* algorithm, const char* direction) {
    return forced(algorithm, name)
        .unsupported(
            parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 c8:8 f32 ") + direction, "test"))
        .value_or("");
  };
  EXPECT_EQ(refusal("fma_64x32x32", "implicit_gemm", "wgrad"),
            "kernel fma_64x32x32 does fprop and dgrad only");
  EXPECT_EQ(refusal("fma_32x32x32", "masked_implicit_gemm_splitk", "dgrad"),
            "kernel fma_32x32x32 does wgrad only");
  EXPECT_NE(refusal("fma_64x32x32", "explicit_gemm", "fprop"), "");
  EXPECT_NE(refusal("fma_64x32x32", "gather_scatter", "wgrad"), "");
  if (variant_names().contains("mma_128x256x32_s5")) {
    EXPECT_EQ(refusal("mma_128x256x32_s5", "implicit_gemm", "wgrad"),
              "kernel mma_128x256x32_s5 is not compiled for f32");
  } else {  // of another vendor
    EXPECT_EQ(find_variant("mma_128x256x32_s5"), nullptr);
  }
}

TEST(MatrixCoreVariants, AreThoseThatTheBuildHasCodeFor) {
  const std::string vendor = gpu::backend_name();
  EXPECT_EQ(find_variant("mma_sm75_i8_64x64x64") != nullptr, vendor != "hip");
  EXPECT_EQ(find_variant("mfma_i8_64x32x128") != nullptr, vendor != "cuda");
  for (const KernelVariant& variant : row_variants()) {
    const bool of_matrix_cores = variant.chips || variant.min_arch == 75;
    EXPECT_EQ(variant.by_name_only() && !variant.cuts_sums(), of_matrix_cores && vendor != "cuda")
        << variant.name;
  }
}

struct Limit {
  explicit Limit(int architecture) { limit_architecture(architecture); }
  ~Limit() { limit_architecture(std::numeric_limits<int>::max()); }
};

// On a device below the limit, and on one without an architecture, there is nothing to leave out.
TEST(ArchitectureLimit, LeavesOutNewerKernelsAlone) {
  const int own = plans::architecture();
  auto limit = std::make_optional<Limit>(80);
  EXPECT_EQ(plans::architecture(), std::min(own, 80));
  const Problem problem =
      parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c64:64 f16 fprop", "ArchitectureLimit");
  for (const KernelVariant& variant : row_variants())
    if (variant.min_arch > 80) {
      EXPECT_TRUE(forced("masked_implicit_gemm", variant.name).unsupported(problem))
          << variant.name;
    }
  const plans::RowWork work{
      .dtype = Dtype::f16, .rows = 300, .depth = 64, .columns = 64, .offsets = 27, .masked = true};
  EXPECT_LE(plans::choose_row_kernel(work, nullptr).variant().min_arch, 80);
  limit.reset();
  EXPECT_EQ(plans::architecture(), own);
}

// Which newer devices take by their names alone, even where sm_80's have no use for the channels.
TEST(ArchitectureLimit, LeavesBytesToTuringsTensorCores) {
  for (const int architecture : {75, 80, 90}) {
    const Limit limit(architecture);
    const bool turing = plans::architecture() == 75;
    for (const int channels : {64, 36})
      for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32}) {
        plans::RowWork work{.dtype = dtype,
                            .rows = 300,
                            .depth = channels,
                            .columns = channels,
                            .offsets = 27,
                            .masked = true};
        const std::string chosen = plans::choose_row_kernel(work).variant().name;
        EXPECT_EQ(chosen.starts_with("mma_sm75_"), turing) << chosen;
        for (const plans::RowKernel& kernel : plans::rank_row_kernels(work))
          EXPECT_EQ(kernel.variant().min_arch == 75, turing) << kernel.variant().name;
        const KernelVariant* named = find_variant("mma_sm75_i8_64x64x64");
        if (!named || plans::architecture() == 0) continue;  // of another vendor, or a twin
        EXPECT_EQ(unsupported(work, *named), std::nullopt);
        EXPECT_STREQ(plans::choose_row_kernel(work, named).variant().name, named->name);
      }
  }
}

}  // namespace
}  // namespace spb
