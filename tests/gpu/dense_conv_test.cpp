// SPDX-License-Identifier: Apache-2.0
// The seam to cuDNN, by a library of the same functions that works on memory of the host.
#include "gpu/dense_conv.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/generate.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "reference/reference.h"

namespace spb::gpu {
namespace {

std::vector<float> draw(int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 15) - 7);
  return values;
}

class DenseConvTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!on_host()) GTEST_SKIP() << "the library of this test works on memory of the host";
    ASSERT_TRUE(opened_.library) << opened_.note;
  }

  std::vector<std::unique_ptr<DenseConvPlan>> plans(const DenseConv& conv) {
    in_ = draw(conv.in_elements(), 1);
    weights_ = draw(conv.weight_elements(), 2);
    out_ = draw(conv.out_elements(), 3);
    return opened_.library->plans(
        conv, {in_.data(), weights_.data(), out_.data(), workspace_.data(), 64}, stream_);
  }
  std::vector<std::string> sources(const DenseConv& conv) {
    std::vector<std::string> all;
    for (const auto& plan : plans(conv)) all.push_back(plan->source());
    return all;
  }
  std::string refusal(const DenseConv& conv) {
    try {
      static_cast<void>(plans(conv));
    } catch (const Error& error) {
      return error.what();
    }
    return "works";
  }

  const OpenedDenseConv opened_ = open_cudnn(SPB_FAKE_CUDNN);
  const Stream stream_;
  std::vector<float> in_, weights_, out_;
  std::vector<std::byte> workspace_ = std::vector<std::byte>(64);
};

constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};

DenseConv padded(Direction direction) {
  return {.dtype = Dtype::f32,
          .direction = direction,
          .batches = 2,
          .in = {6, 5, 7},
          .out = {3, 5, 4},
          .kernel = {3, 3, 3},
          .stride = {2, 1, 2},
          .padding = {1, 1, 1},
          .c_in = 3,
          .c_out = 4};
}

/// [first, cells, channels] as [first, channels, cells], or back.
std::vector<float> turned(const std::vector<float>& from, int64_t first, int64_t channels,
                          bool back) {
  std::vector<float> to(from.size());
  const int64_t cells = static_cast<int64_t>(from.size()) / first / channels;
  for (int64_t i = 0; i < first; ++i)
    for (int64_t cell = 0; cell < cells; ++cell)
      for (int64_t c = 0; c < channels; ++c) {
        auto last = static_cast<size_t>((i * cells + cell) * channels + c);
        auto ahead = static_cast<size_t>((i * channels + c) * cells + cell);
        if (back) std::swap(last, ahead);
        to[ahead] = from[last];
      }
  return to;
}

/// A layer and the convolution that it is on its box.
struct SameLayer {
  const char* voxels;
  ConvGeometry geometry;
  DenseConv conv;
};

std::vector<SameLayer> same_layers() {
  const ConvGeometry strided{ConvKind::strided, {3, 3, 3}, {2, 1, 2}, {1, 1, 1}, Int3{1, 1, 1}};
  DenseConv channels_first = padded(Direction::fprop);
  channels_first.c_in = 13;
  const DenseConv image{.dtype = Dtype::f32,
                        .batches = 3,
                        .in = {5, 6, 1},
                        .out = {5, 6, 1},
                        .kernel = {3, 5, 1},
                        .padding = {1, 2, 0},
                        .c_in = 2,
                        .c_out = 3};
  return {{"box:6,5,7,2", strided, padded(Direction::fprop)},
          {"box:6,5,7,2", strided, channels_first},
          {"box:5,6,1,3", {ConvKind::subm, {3, 5, 1}}, image}};
}

/// Where both agree, rows, weights and arguments have the order that the library takes them in. On
/// a device with the vendor's library that is a witness which shares nothing with the reference.
TEST(DenseConvLibraries, RowsAndWeightsAreThoseOfSparseLayers) {
  const OpenedDenseConv fake = on_host() ? open_cudnn(SPB_FAKE_CUDNN) : OpenedDenseConv{};
  const OpenedDenseConv& opened = on_host() ? fake : dense_conv_library();
  if (!opened.library) GTEST_SKIP() << opened.note;
  const Stream stream;
  Allocator allocator;
  std::set<bool> layouts;
  for (const auto& [voxels, geometry, layer] : same_layers())
    for (const Direction direction : kDirections) {
      DenseConv conv = layer;
      conv.direction = direction;
      struct Tensor {
        std::vector<float> host;
        int64_t first, channels;
        Buffer<float> device;
      } in{draw(conv.in_elements(), 1), conv.batches, conv.c_in, {}},
          weights{draw(conv.weight_elements(), 2), conv.c_out, conv.c_in, {}},
          out{draw(conv.out_elements(), 3), conv.batches, conv.c_out, {}};
      for (Tensor* tensor : {&in, &weights, &out})
        tensor->device =
            Buffer<float>(allocator, static_cast<int64_t>(tensor->host.size()), Tag::input);
      Buffer<std::byte> workspace(allocator, 1 << 24, Tag::workspace);
      const auto plans =
          opened.library->plans(conv,
                                {in.device.data(), weights.device.data(), out.device.data(),
                                 workspace.data(), workspace.bytes()},
                                stream);
      const VoxelSet set = data::generate(voxels);
      const Problem problem{geometry, conv.c_in, conv.c_out, Dtype::f32, direction, false};
      const auto expected = reference::compute(problem, reference::build_map(set, geometry),
                                               set.size(), {in.host, weights.host, {}, out.host})
                                .main.value;
      for (const auto& plan : plans) {
        const bool first = plan->source().find("NC") != std::string::npos;
        layouts.insert(first);
        // Now, for whatever ran before has overwritten the result.
        for (Tensor* tensor : {&in, &weights, &out})
          tensor->device.upload(
              first ? turned(tensor->host, tensor->first, tensor->channels, false) : tensor->host,
              stream);
        plan->run();
        const Tensor& result = direction == Direction::fprop   ? out
                               : direction == Direction::dgrad ? in
                                                               : weights;
        std::vector<float> values = result.device.download(stream);
        if (first) values = turned(values, result.first, result.channels, true);
        ASSERT_EQ(values.size(), expected.size());
        // Sums of integers are exact but for transforms, which a library may prefer.
        const double tolerance = on_host() ? 0 : 1e-4 * std::ranges::max(expected);
        for (size_t i = 0; i < values.size(); ++i)
          ASSERT_NEAR(values[i], expected[i], tolerance)
              << voxels << " " << name(direction) << " " << plan->source() << " " << i;
      }
    }
  if (on_host()) {
    EXPECT_EQ(layouts.size(), 2u);
  }
}

// The same of bytes: sums of integers are exact, and outputs of bytes saturate. Vectors are run
// alone: in which order their weights lie is the library's affair.
TEST(DenseConvLibraries, BytesAreThoseOfSparseLayers) {
  if (on_host()) GTEST_SKIP() << "the library of this test sums no bytes";
  const OpenedDenseConv& opened = dense_conv_library();
  if (!opened.library) GTEST_SKIP() << opened.note;
  const Stream stream;
  Allocator allocator;
  DenseConv conv{.batches = 3,
                 .in = {5, 6, 1},
                 .out = {5, 6, 1},
                 .kernel = {3, 3, 1},
                 .padding = {1, 1, 0},
                 .c_in = 32,
                 .c_out = 64};
  const auto bytes = [&](const std::vector<float>& values) {
    Buffer<int8_t> buffer(allocator, static_cast<int64_t>(values.size()), Tag::input);
    buffer.upload(std::vector<int8_t>(values.begin(), values.end()), stream);
    return buffer;
  };
  const std::vector<float> in = draw(conv.in_elements(), 1),
                           weights = draw(conv.weight_elements(), 2);
  const Buffer<int8_t> in_bytes = bytes(in), weight_bytes = bytes(weights);
  const ConvGeometry geometry{ConvKind::subm, {3, 3, 1}};
  const VoxelSet set = data::generate("box:5,6,1,3");
  const Problem problem{geometry, conv.c_in, conv.c_out, Dtype::f32, Direction::fprop, false};
  const auto expected = reference::compute(problem, reference::build_map(set, geometry), set.size(),
                                           {in, weights, {}, {}})
                            .main.value;
  ASSERT_GT(std::ranges::max(expected), 127) << "nothing saturates";
  Buffer<std::byte> workspace(allocator, 1 << 24, Tag::workspace);
  std::set<std::string> layouts;
  for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32}) {
    conv.dtype = dtype;
    Buffer<float> out(allocator, conv.out_elements(), Tag::output);
    for (const auto& plan : opened.library->plans(
             conv,
             {const_cast<int8_t*>(in_bytes.data()), const_cast<int8_t*>(weight_bytes.data()),
              out.data(), workspace.data(), workspace.bytes()},
             stream)) {
      layouts.insert(plan->source().substr(plan->source().rfind(' ') + 1));
      plan->run();
      if (plan->source().ends_with("NC/32HW32")) continue;
      const std::vector<float> stored = out.download(stream);
      for (size_t i = 0; i < expected.size(); ++i) {
        const bool is_byte = dtype == Dtype::i8;
        const double got =
            is_byte ? reinterpret_cast<const int8_t*>(stored.data())[i] : double{stored[i]};
        ASSERT_EQ(got, is_byte ? std::clamp(expected[i], -128.0, 127.0) : expected[i])
            << info(dtype).name << " " << plan->source() << " " << i;
      }
    }
  }
  EXPECT_EQ(layouts, (std::set<std::string>{"NC/32HW32", "NHWC"}));
}

using Sources = std::vector<std::string>;

TEST_F(DenseConvTest, TheSourceIsVersionAlgorithmAndLayout) {
  EXPECT_EQ(sources(padded(Direction::fprop)),
            (Sources{"cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NDHWC",
                     "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NCDHW"}))
      << "others fail, or would multiply in TF32";
  EXPECT_EQ(sources(padded(Direction::dgrad)).front(), "cudnn 9.19.0 1 NDHWC");
  DenseConv conv = padded(Direction::fprop);
  for (const Dtype dtype : {Dtype::tf32, Dtype::f16}) {
    conv.dtype = dtype;
    EXPECT_EQ(
        sources(conv),
        (Sources{"cudnn 9.19.0 IMPLICIT_GEMM NDHWC", "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NDHWC",
                 "cudnn 9.19.0 IMPLICIT_GEMM NCDHW", "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NCDHW"}));
  }
}

TEST_F(DenseConvTest, EveryDtypeHasItsTypeAndMath) {
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16})
    for (const Direction direction : kDirections) {
      DenseConv conv = padded(direction);
      conv.dtype = dtype;
      EXPECT_EQ(refusal(conv), "works") << info(dtype).name;
    }
}

TEST_F(DenseConvTest, BytesHaveChannelsLastAndImagesOfThemVectors) {
  DenseConv conv = padded(Direction::fprop);
  conv.dtype = Dtype::i8;
  conv.c_in = conv.c_out = 32;
  const Sources voxels = {"cudnn 9.19.0 IMPLICIT_GEMM NDHWC",
                          "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NDHWC"};
  EXPECT_EQ(sources(conv), voxels);
  conv.in[2] = conv.out[2] = conv.kernel[2] = conv.stride[2] = 1;
  conv.padding[2] = 0;
  const Sources images = {"cudnn 9.19.0 IMPLICIT_GEMM NHWC",
                          "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NHWC"};
  Sources vectors = images;
  vectors.insert(vectors.end(), {"cudnn 9.19.0 IMPLICIT_GEMM NC/32HW32",
                                 "cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NC/32HW32"});
  EXPECT_EQ(sources(conv), vectors);
  conv.dtype = Dtype::i8_f32;
  EXPECT_EQ(sources(conv), images) << "vectors make no floats";
  conv.dtype = Dtype::i8;
  conv.c_out = 48;
  EXPECT_EQ(sources(conv), images) << "48 channels fill no vectors";
}

TEST_F(DenseConvTest, OneLayoutIsEnough) {
  DenseConv conv = padded(Direction::fprop);
  conv.c_in = 13;
  EXPECT_EQ(sources(conv), Sources{"cudnn 9.19.0 IMPLICIT_PRECOMP_GEMM NCDHW"});
}

TEST_F(DenseConvTest, WhatFailsSaysWhere) {
  DenseConv conv = padded(Direction::wgrad);
  conv.c_in = 17;
  EXPECT_EQ(refusal(conv),
            "NDHWC: cudnn 9.19.0: no algorithm was found: CUDNN_STATUS_NOT_SUPPORTED; "
            "NCDHW: cudnn 9.19.0: no algorithm was found: CUDNN_STATUS_NOT_SUPPORTED");
  conv.c_in = 19;
  EXPECT_TRUE(refusal(conv).starts_with("NDHWC: cudnn 9.19.0: none of 4 algorithms runs: CUDNN_"))
      << refusal(conv);
}

TEST_F(DenseConvTest, SizesBeyondIntAreRefusedBeforeMemoryIsTaken) {
  DenseConv conv = padded(Direction::fprop);
  EXPECT_EQ(opened_.library->unsupported(conv), std::nullopt);
  conv.in = {2048, 2048, 512};
  conv.batches = 1;
  conv.c_in = 1;
  EXPECT_EQ(opened_.library->unsupported(conv),
            "a tensor of 2147483648 elements is more than 2^31 - 1");
  conv.in = {1 << 21, 1 << 21, 1 << 21};
  conv.c_in = 64;
  EXPECT_TRUE(opened_.library->unsupported(conv)) << "2^69 elements, which 64 bits count as none";
  conv.in = {2048, 2048, 1};
  conv.c_in = 1;
  conv.dtype = Dtype::tf32x3;
  EXPECT_EQ(opened_.library->unsupported(conv), "no type of cuDNN is 3xtf32");
}

TEST(DenseConvLibraries, AbsenceHasAReason) {
  const OpenedDenseConv none = open_cudnn("libno-such-library.so");
  EXPECT_FALSE(none.library);
  EXPECT_TRUE(none.note.starts_with("libno-such-library.so: cannot open shared object file"))
      << none.note;
  EXPECT_TRUE(none.note.ends_with("; install cuDNN 9, or name its folder in LD_LIBRARY_PATH"))
      << none.note;
  const OpenedDenseConv other = open_cudnn("libm.so.6");
  EXPECT_FALSE(other.library);
  EXPECT_EQ(other.note, "libm.so.6 has no cudnnGetVersion; install cuDNN 9");
}

TEST(DenseConvLibraries, TheVendorsIsThereOrHasAReason) {
  const OpenedDenseConv& opened = dense_conv_library();
  EXPECT_NE(opened.note, "");
  if (!vendor_has_dense_conv()) {
    EXPECT_FALSE(opened.library);
    EXPECT_EQ(opened.note,
              std::string("no library of dense convolutions is known for ") + backend_name());
  }
}

}  // namespace
}  // namespace spb::gpu
