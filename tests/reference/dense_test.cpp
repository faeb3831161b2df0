// SPDX-License-Identifier: Apache-2.0
// On a full box a sparse convolution is the dense one: the reference against loops over tensors
// [batch, x, y, z, channel] with zero padding, which know no coords and no maps.
#include <gtest/gtest.h>
#include <random>

#include "data/generate.h"
#include "reference/reference.h"

namespace spb {
namespace {

struct Layer {
  const char* name;
  const char* voxels;
  ConvGeometry geometry;
  Int3 padding;  ///< on both sides of each axis
  Int3 outputs;  ///< per axis, as dense libraries count them
};
void PrintTo(const Layer& layer, std::ostream* out) { *out << layer.name; }

constexpr int kIns = 3, kOuts = 5;

/// Small integers, whose sums are exact.
std::vector<float> draw(int64_t count, std::mt19937_64& random) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 15) - 7);
  return values;
}

struct DenseTensors {
  std::vector<float> in, weights, gout;
};
struct DenseResults {
  std::vector<double> out, gin, gw;
};

/// Where element [batch, cell, channel] of a tensor with these cells stands.
size_t at(const Int3& shape, int batch, const Int3& cell, int channels, int channel) {
  const int64_t voxel =
      ((int64_t{batch} * shape[0] + cell[0]) * shape[1] + cell[1]) * shape[2] + cell[2];
  return static_cast<size_t>(voxel * channels + channel);
}

template <typename Work>
void for_each_cell(const Int3& shape, Work&& work) {
  for (int x = 0; x < shape[0]; ++x)
    for (int y = 0; y < shape[1]; ++y)
      for (int z = 0; z < shape[2]; ++z) work(Int3{x, y, z});
}

DenseResults dense_loops(const Layer& layer, const Box& box, const DenseTensors& tensors) {
  const ConvGeometry& g = layer.geometry;
  DenseResults sums{std::vector<double>(tensors.gout.size()),
                    std::vector<double>(tensors.in.size()),
                    std::vector<double>(tensors.weights.size())};
  for (int batch = 0; batch < box.batch_size; ++batch)
    for_each_cell(layer.outputs, [&](const Int3& u) {
      for_each_cell(g.kernel_size, [&](const Int3& o) {
        Int3 p;
        for (size_t a = 0; a < 3; ++a) {
          p[a] = u[a] * g.stride[a] + o[a] * g.dilation[a] - layer.padding[a];
          if (p[a] < 0 || p[a] >= box.shape[a]) return;  // a zero of the padding
        }
        for (int j = 0; j < kOuts; ++j)
          for (int i = 0; i < kIns; ++i) {
            const size_t in = at(box.shape, batch, p, kIns, i);
            const size_t out = at(layer.outputs, batch, u, kOuts, j);
            const size_t weight = at(g.kernel_size, j, o, kIns, i);  // [c_out, offsets, c_in]
            sums.out[out] += double{tensors.in[in]} * double{tensors.weights[weight]};
            sums.gin[in] += double{tensors.gout[out]} * double{tensors.weights[weight]};
            sums.gw[weight] += double{tensors.in[in]} * double{tensors.gout[out]};
          }
      });
    });
  return sums;
}

class Dense : public ::testing::TestWithParam<Layer> {};

TEST_P(Dense, BoxesAreDenseConvolutions) {
  const Layer& layer = GetParam();
  const VoxelSet voxels = data::generate(layer.voxels);
  const MapSet map = reference::build_map(voxels, layer.geometry);
  const int64_t outputs =
      int64_t{voxels.box.batch_size} * layer.outputs[0] * layer.outputs[1] * layer.outputs[2];
  ASSERT_EQ(static_cast<int64_t>(map.out_coords.size()), outputs);
  std::mt19937_64 random(1);
  DenseTensors tensors;
  tensors.in = draw(voxels.size() * kIns, random);
  tensors.weights = draw(int64_t{kOuts} * layer.geometry.kernel_volume() * kIns, random);
  tensors.gout = draw(outputs * kOuts, random);
  const DenseResults dense = dense_loops(layer, voxels.box, tensors);
  const reference::Inputs inputs{tensors.in, tensors.weights, {}, tensors.gout};
  const auto sparse = [&](Direction direction) {
    Problem problem{layer.geometry, kIns, kOuts, Dtype::f32, direction, false};
    return reference::compute(problem, map, voxels.size(), inputs).main.value;
  };
  EXPECT_EQ(sparse(Direction::fprop), dense.out);
  EXPECT_EQ(sparse(Direction::dgrad), dense.gin);
  EXPECT_EQ(sparse(Direction::wgrad), dense.gw);
}

ConvGeometry subm(const Int3& kernel_size, const Int3& dilation = {1, 1, 1}) {
  return {ConvKind::subm, kernel_size, {1, 1, 1}, dilation};
}
ConvGeometry strided(const Int3& kernel_size, const Int3& stride,
                     const std::optional<Int3>& padding) {
  return {ConvKind::strided, kernel_size, stride, {1, 1, 1}, padding};
}

INSTANTIATE_TEST_SUITE_P(
    Layers, Dense,
    ::testing::Values(
        Layer{"same 3x3x3", "box:4,5,6,2", subm({3, 3, 3}), {1, 1, 1}, {4, 5, 6}},
        Layer{"same 3x3x3, dilated", "box:5,4,6", subm({3, 3, 3}, {2, 1, 3}), {2, 1, 3}, {5, 4, 6}},
        Layer{"2-D NHWC 3x3", "box:7,5,1,3", subm({3, 3, 1}), {1, 1, 0}, {7, 5, 1}},
        Layer{"2-D NHWC 5x3", "box:6,7,1,2", subm({5, 3, 1}), {2, 1, 0}, {6, 7, 1}},
        Layer{"stride 2, padding 1",
              "box:6,5,7,2",
              strided({3, 3, 3}, {2, 2, 2}, Int3{1, 1, 1}),
              {1, 1, 1},
              {3, 3, 4}},
        Layer{"stride 2, padding by axis",
              "box:6,5,7,2",
              strided({3, 3, 3}, {2, 1, 2}, Int3{0, 1, 1}),
              {0, 1, 1},
              {2, 5, 4}},
        Layer{"stride 2, centered",
              "box:6,5,7",
              strided({3, 3, 3}, {2, 2, 2}, std::nullopt),
              {1, 1, 1},
              {3, 3, 4}},
        Layer{"2x2x2 to halves",
              "box:4,6,8,2",
              strided({2, 2, 2}, {2, 2, 2}, std::nullopt),
              {0, 0, 0},
              {2, 3, 4}}));

}  // namespace
}  // namespace spb
