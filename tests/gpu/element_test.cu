// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

template <class E>
GPU_KERNEL void load_kernel(const typename E::Storage* in, float* out, int64_t n) {
  const int64_t i = global_index();
  if (i < n) out[i] = E::load(in[i]);
}

template <class E>
GPU_KERNEL void store_kernel(const float* in, typename E::Storage* out, int64_t n) {
  const int64_t i = global_index();
  if (i < n) out[i] = E::store(in[i]);
}

template <class E>
std::vector<float> load_all(const std::vector<typename E::Storage>& stored) {
  Stream stream;
  Allocator memory;
  const int64_t n = static_cast<int64_t>(stored.size());
  Buffer<typename E::Storage> in(memory, n, Tag::input);
  Buffer<float> out(memory, n, Tag::output);
  in.upload(stored, stream);
  launch_flat(load_kernel<E>, n, stream, in.data(), out.data(), n);
  return out.download(stream);
}

template <class E>
std::vector<typename E::Storage> store_all(const std::vector<float>& values) {
  Stream stream;
  Allocator memory;
  const int64_t n = static_cast<int64_t>(values.size());
  Buffer<float> in(memory, n, Tag::input);
  Buffer<typename E::Storage> out(memory, n, Tag::output);
  in.upload(values, stream);
  launch_flat(store_kernel<E>, n, stream, in.data(), out.data(), n);
  return out.download(stream);
}

void expect_same(float got, float expected, uint32_t from) {
  if (std::isnan(expected))
    ASSERT_TRUE(std::isnan(got)) << std::hex << from;
  else
    ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected)) << std::hex << from;
}

/// Random words, every exponent with the ties of all formats and their neighbors, both signs.
std::vector<float> many_floats() {
  std::vector<uint32_t> words;
  std::mt19937 random(7);
  for (int i = 0; i < 1'000'000; ++i) words.push_back(static_cast<uint32_t>(random()));
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (const uint32_t mantissa :
         {0x0u, 0x1000u, 0x3000u, 0x8000u, 0x18000u, 0x7FFFFFu, 0x7FF000u})
      for (const uint32_t step : {0u, 1u, ~0u})
        for (const uint32_t sign : {0u, 0x80000000u})
          words.push_back(sign | (((exponent << 23 | mantissa) + step) & 0x7FFFFFFFu));
  // Halfway between f16 subnormals and just beside.
  for (int k = 0; k < 1024; ++k) {
    const float tie = std::ldexp(static_cast<float>(2 * k + 1), -25);
    for (const uint32_t step : {0u, 1u, ~0u}) words.push_back(std::bit_cast<uint32_t>(tie) + step);
  }
  std::vector<float> values;
  for (const uint32_t word : words) values.push_back(std::bit_cast<float>(word));
  return values;
}

template <class E>
void check_all_words() {
  using Word = typename E::Storage;
  std::vector<Word> words(size_t{1} << 8 * sizeof(Word));
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<Word>(i);
  const std::vector<float> got = load_all<E>(words);
  for (uint32_t i = 0; i < words.size(); ++i) {
    float expected = 0;
    decode(&words[i], info(E::dtype).in, {&expected, 1});
    expect_same(got[i], expected, i);
  }
}

template <class E>
void check_stores() {
  const std::vector<float> values = many_floats();
  const auto stored = store_all<E>(values);
  for (size_t i = 0; i < values.size(); ++i) {
    float got = 0;
    decode(&stored[i], info(E::dtype).in, {&got, 1});
    expect_same(got, round_output(values[i], E::dtype), std::bit_cast<uint32_t>(values[i]));
  }
}

TEST(Element, LoadsEveryWord) {
  check_all_words<F16>();
  check_all_words<BF16>();
  check_all_words<E4M3>();
}

TEST(Element, StoresTheNearest) {
  check_stores<F32>();
  check_stores<TF32>();
  check_stores<TF32x3>();
  check_stores<F16>();
  check_stores<BF16>();
  check_stores<E4M3>();
}

TEST(Element, Tf32OperandsAreRoundedWithTiesAway) {
  const std::vector<float> values = many_floats();
  const std::vector<float> got = load_all<TF32>(values);
  for (size_t i = 0; i < values.size(); ++i)
    expect_same(got[i], round_operand(values[i], Dtype::tf32), std::bit_cast<uint32_t>(values[i]));
}

TEST(Element, DispatchNamesTheType) {
  for (const Math& row : float_dtypes()) {
    dispatch(row.dtype, [&](auto element) {
      using E = decltype(element);
      EXPECT_EQ(E::dtype, row.dtype);
      EXPECT_EQ(static_cast<int>(sizeof(typename E::Storage)), row.input().bytes);
    });
  }
}

TEST(Element, FactorsAreNeverOf3xtf32) {
  for (const Math& row : float_dtypes()) {
    const auto dispatched = [&] {
      return dispatch_factors(row.dtype, [](auto element) { return decltype(element)::dtype; });
    };
    if (row.dtype == Dtype::tf32x3)
      EXPECT_THROW(dispatched(), Error);
    else
      EXPECT_EQ(dispatched(), row.dtype);
  }
}

}  // namespace
}  // namespace spb::gpu
