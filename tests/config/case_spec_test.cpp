// SPDX-License-Identifier: Apache-2.0
#include "config/case_spec.h"

#include <gtest/gtest.h>

namespace spb::config {
namespace {

CaseSpec spec_of(const std::string& dataset) {
  CaseSpec spec;
  spec.dataset = dataset;
  spec.algorithm = "gather_scatter";
  spec.problem.c_out = 32;
  return spec;
}

TEST(CaseId, IsReadable) {
  CaseSpec spec = spec_of("scans/room_scan1.pcd");
  spec.voxel_size = 0.05;
  spec.row_order = std::string("z");
  EXPECT_EQ(case_id(spec), "room_scan1@0.05+z/subm-k3-s1-d1/c16x32/fprop/f32/gather_scatter");
  spec.problem.geometry = {ConvKind::strided, {2, 2, 1}, {2, 2, 2}, {1, 1, 1}};
  spec.problem.bias = false;
  EXPECT_EQ(case_id(spec),
            "room_scan1@0.05+z/strided-k2x2x1-s2-d1/c16x32-nobias/fprop/f32/gather_scatter");
  spec.problem.geometry.padding = Int3{0, 1, 1};
  spec.problem.geometry.output_rule = OutputRule::floor;
  spec.problem.geometry.output_extent = OutputExtent::complete;
  EXPECT_NE(case_id(spec).find("/strided-k2x2x1-s2-d1-p0x1x1-floor-complete/"), std::string::npos);
  spec.problem.groups = 4;
  EXPECT_NE(case_id(spec).find("-floor-complete-g4/c16x32-nobias/"), std::string::npos);
}

TEST(CaseId, NamesTheEpilogue) {
  CaseSpec spec = spec_of("sphere:64");
  spec.problem.epilogue = {.activation = Activation::relu, .residual = true};
  EXPECT_EQ(case_id(spec), "sphere:64/subm-k3-s1-d1/c16x32-residual+relu/fprop/f32/gather_scatter");
  EXPECT_NE(full_text(spec).find(" bias residual+relu |"), std::string::npos) << full_text(spec);
}

TEST(CaseId, NamesTheGridOfADetector) {
  CaseSpec spec = spec_of("scan.bin");
  spec.voxel_size = VoxelSize(0.05, 0.05, 0.1);
  spec.range = CropRange{{0, -40, -3}, {70.4, 40, 1}};
  spec.frame = Frame::cylinder;
  EXPECT_TRUE(case_id(spec).starts_with("scan@0.05x0.05x0.1@0,-40,-3:70.4,40,1@cylinder/subm"))
      << case_id(spec);
}

TEST(CaseId, KeepsGeneratorsWhole) {
  EXPECT_TRUE(case_id(spec_of("random:128,0.05")).starts_with("random:128,0.05/"));
  CaseSpec mesh = spec_of("snowden.ply");
  mesh.resolution = 256;
  EXPECT_TRUE(case_id(mesh).starts_with("snowden@R256/"));
}

TEST(CaseId, NamesTheMapVariant) {
  CaseSpec spec = spec_of("sphere:64");
  spec.map_variant = std::string("half");
  EXPECT_TRUE(case_id(spec).starts_with("sphere:64/subm-k3-s1-d1+half/c16x32/")) << case_id(spec);
}

TEST(CaseId, NamesCopies) {
  CaseSpec spec = spec_of("sphere:64");
  spec.batch_copies = 4;
  EXPECT_TRUE(case_id(spec).starts_with("sphere:64*4/"));
}

TEST(DataId, TellsFilesOfEqualNameApart) {
  EXPECT_NE(data_id(spec_of("a/scan.bin")), data_id(spec_of("b/scan.bin")));
}

TEST(FullText, DiffersWithEveryMember) {
  const CaseSpec base = spec_of("scan.bin");
  std::vector<CaseSpec> others(14, base);
  others[0].dataset = std::string("b.bin");
  others[1].voxel_size = 0.1;
  others[2].resolution = 4;
  others[3].row_order = std::string("z");
  others[4].problem.c_in = 17;
  others[5].problem.geometry.dilation = {2, 1, 1};
  others[6].algorithm = std::string("implicit_gemm");
  others[7].seed = 1;
  others[8].batch_copies = 2;
  others[9].voxel_size = VoxelSize(0.1, 0.1, 0.2);
  others[10].range = CropRange{{0, 0, 0}, {1, 1, 1}};
  others[11].frame = Frame::cylinder;
  others[12].problem.groups = 2;
  others[13].map_variant = std::string("half");
  for (const CaseSpec& other : others) EXPECT_NE(full_text(other), full_text(base));
}

}  // namespace
}  // namespace spb::config
