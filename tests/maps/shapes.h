// SPDX-License-Identifier: Apache-2.0
// The shapes that every builder is tried on: seeded random ones and the corners.
#pragma once

#include <string>
#include <vector>

#include "brute_force.h"

namespace spb::brute {

struct Shape {
  std::string what;
  VoxelSet voxels;
  ConvGeometry geometry;
};

inline std::vector<Shape> shapes() {
  const Int3 one{1, 1, 1};
  const auto subm = [&](Int3 kernel, Int3 dilation = {1, 1, 1}) {
    return ConvGeometry{ConvKind::subm, kernel, one, dilation};
  };
  const auto strided = [&](Int3 kernel, Int3 stride, Int3 dilation = {1, 1, 1}) {
    return ConvGeometry{ConvKind::strided, kernel, stride, dilation};
  };
  const auto ruled = [](ConvGeometry geometry, OutputRule rule, OutputExtent extent,
                        std::optional<Int3> padding = {}) {
    geometry.output_rule = rule;
    geometry.output_extent = extent;
    geometry.padding = padding;
    return geometry;
  };
  constexpr auto kReached = OutputRule::reached, kFloor = OutputRule::floor;
  constexpr auto kBox = OutputExtent::box, kComplete = OutputExtent::complete;
  const Box box{2, {9, 7, 8}};
  std::vector<Shape> all;
  for (const auto& geometry :
       {subm({3, 3, 3}),
        subm({1, 1, 1}),
        subm({5, 5, 5}),
        subm({7, 7, 7}),
        subm({1, 3, 5}),
        subm({3, 3, 3}, {2, 1, 3}),
        subm({9, 1, 3}),
        subm({1, 3, 9}),
        strided({2, 2, 2}, {2, 2, 2}),
        strided({3, 3, 3}, {2, 2, 2}),
        strided({3, 3, 3}, {2, 2, 2}, {2, 2, 2}),
        strided({3, 3, 3}, one),
        strided({4, 1, 6}, {3, 1, 2}),
        strided({4, 4, 2}, {2, 2, 2}),
        strided({5, 5, 5}, {2, 2, 2}),
        strided({7, 7, 7}, {3, 3, 3}),
        strided({1, 1, 1}, {2, 2, 2}),
        ruled(strided({3, 3, 3}, {2, 2, 2}), kFloor, kBox),
        ruled(strided({3, 3, 3}, {2, 2, 2}), kReached, kComplete),
        ruled(strided({3, 1, 2}, {2, 1, 2}), kReached, kBox, Int3{0, 0, 1}),
        ruled(strided({2, 2, 2}, {3, 3, 3}), kFloor, kComplete, Int3{0, 0, 0})}) {
    all.push_back({"empty", {{}, box, {}}, geometry});
    all.push_back({"empty box", {{}, {1, {0, 0, 0}}, {}}, geometry});
    all.push_back({"one voxel", {{{1, 4, 3, 2}}, box, {}}, geometry});
    all.push_back({"sparse", random_voxels(box, 90, 1), geometry});
    all.push_back({"dense", random_voxels(box, 700, 2), geometry});
    all.push_back({"full", random_voxels({1, {5, 6, 4}}, 120, 3), geometry});
    VoxelSet isolated{{}, {1, {28, 28, 28}}, {}};
    for (int32_t x = 0; x < 28; x += 7)
      for (int32_t y = 0; y < 28; y += 7)
        for (int32_t z = 0; z < 28; z += 7) isolated.coords.push_back({0, x, y, z});
    all.push_back({"isolated", isolated, geometry});
  }
  // Kernel sizes 1 to 7 per axis, even ones only strided, on random sets.
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const bool is_subm = seed % 2 == 0;
    ConvGeometry geometry;
    geometry.kind = is_subm ? ConvKind::subm : ConvKind::strided;
    for (size_t axis = 0; axis < 3; ++axis) {
      geometry.kernel_size[axis] = is_subm ? 2 * pick(0, 3) + 1 : pick(1, 7);
      geometry.stride[axis] = is_subm ? 1 : pick(1, 4);
      geometry.dilation[axis] = pick(1, 3);
    }
    const Box random_box{pick(1, 3), {pick(1, 15), pick(1, 15), pick(1, 15)}};
    all.push_back({"random " + std::to_string(seed), random_voxels(random_box, pick(1, 400), seed),
                   geometry});
  }
  // Every rule against every other, over sizes that are even and odd.
  for (uint32_t seed = 0; seed < 80; ++seed) {
    ConvGeometry geometry;
    geometry.kind = ConvKind::strided;
    geometry.output_rule = seed % 2 ? kFloor : kReached;
    geometry.output_extent = seed / 2 % 2 ? kComplete : kBox;
    if (seed / 4 % 2) geometry.padding = Int3{pick(0, 2), pick(0, 2), pick(0, 2)};
    for (size_t axis = 0; axis < 3; ++axis) {
      geometry.kernel_size[axis] = pick(1, 4);
      geometry.stride[axis] = pick(1, 3);
      geometry.dilation[axis] = pick(1, 2);
    }
    const Box random_box{pick(1, 2), {pick(7, 12), pick(7, 12), pick(7, 12)}};
    all.push_back(
        {"rules " + std::to_string(seed), random_voxels(random_box, pick(1, 30), seed), geometry});
  }
  // Keys beyond 32 bits: cells 2^32 keys apart must not meet.
  for (const auto& geometry : {subm({3, 3, 3}), strided({3, 3, 3}, {2, 2, 2})})
    all.push_back({"64-bit keys",
                   {{{0, 0, 0, 0},
                     {0, 1024, 0, 0},
                     {0, 1025, 1, 2047},
                     {0, 1024, 0, 2047},
                     {0, 1023, 2047, 2047}},
                    {1, {2048, 2048, 2048}},
                    {}},
                   geometry});
  return all;
}

inline std::string text(const Shape& shape) { return shape.what + ": " + to_text(shape.geometry); }

}  // namespace spb::brute
