// SPDX-License-Identifier: Apache-2.0
#include "gpu/draw.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/scratch.h"

namespace spb::gpu {
namespace {

/// OperandDraw without its patches.
struct Made {
  Draw draw;
  Storage storage;
  bool rounds_to_tf32;
  float least;

  __device__ float rounded(float value) const {
    switch (storage) {
      case Storage::f16:
        return F16::load(F16::store(value));
      case Storage::bf16:
        return BF16::load(BF16::store(value));
      case Storage::i8:
        return static_cast<float>(I8::load(I8::store(value)));
      case Storage::e4m3:
        return E4M3::load(E4M3::store(value));
      case Storage::f32:
      case Storage::i32:  // none is drawn
        break;
    }
    return value;
  }
  __device__ float value(int64_t element) const {
    float value = rounded(drawn(draw, element));
    if (rounds_to_tf32) value = TF32::load(value);
    return value < least && value > -least ? 0.f : value;
  }
};

/// Of a matrix that is stored as its transpose, `rows` of `columns`; else no rows.
struct Turned {
  int64_t rows, columns;
  __host__ __device__ int64_t element_at(int64_t place) const {
    return rows == 0 ? place : place % rows * columns + place / rows;
  }
  int64_t place_of(int64_t element) const {
    return rows == 0 ? element : element % columns * rows + element / columns;
  }
};

/// Grids of some vendors have fewer threads than operands may have elements.
constexpr int64_t kMostThreads = 1 << 24;

template <class E>
GPU_KERNEL void draw_kernel(Made made, Turned turned, int64_t count, typename E::Storage* data) {
  for (int64_t place = global_index(); place < count; place += kMostThreads)
    data[place] = E::store(made.value(turned.element_at(place)));
}

template <class Bits>
GPU_KERNEL void patch_kernel(const int64_t* places, const Bits* values, int64_t count, Bits* data) {
  const int64_t i = global_index();
  if (i < count) data[places[i]] = values[i];
}

template <class Bits>
void put(const std::map<int64_t, float>& patches, Storage type, const Turned& turned, void* data,
         const Stream& stream) {
  std::vector<int64_t> places;
  std::vector<float> values;
  for (const auto& [element, value] : patches) {
    places.push_back(turned.place_of(element));
    values.push_back(value);
  }
  std::vector<Bits> bits(values.size());
  encode(values, type, bits.data());
  const auto count = static_cast<int64_t>(patches.size());
  const Scratch<int64_t> to = scratch<int64_t>(count, "patch an operand");
  const Scratch<Bits> from = scratch<Bits>(count, "patch an operand");
  copy_to_device(to.get(), places.data(), count * int64_t{sizeof(int64_t)}, stream);
  copy_to_device(from.get(), bits.data(), count * int64_t{sizeof(Bits)}, stream);
  launch_flat(patch_kernel<Bits>, count, stream, static_cast<const int64_t*>(to.get()),
              static_cast<const Bits*>(from.get()), count, static_cast<Bits*>(data));
  stream.synchronize();
}

}  // namespace

void draw(const OperandDraw& operand, Storage type, int64_t turned_rows, void* data,
          const Stream& stream) {
  const int64_t count = operand.count;
  const Made made{operand.draw, operand.storage, operand.rounds_to_tf32, operand.least};
  const Turned turned{turned_rows, turned_rows > 0 ? count / turned_rows : 0};
  const auto fill = [&]<class E>(E) {
    launch_flat(draw_kernel<E>, std::min(count, kMostThreads), stream, made, turned, count,
                static_cast<typename E::Storage*>(data));
  };
  std::map<int64_t, float> patches;  // the last of each element
  for (const Patch& one : operand.patches) patches[one.element] = one.value;
  const auto patch = [&]<class Bits>(Bits) {
    if (!patches.empty()) put<Bits>(patches, type, turned, data, stream);
  };
  switch (type) {
    case Storage::f32:
      fill(F32{});
      patch(uint32_t{});
      break;
    case Storage::f16:
      fill(F16{});
      patch(uint16_t{});
      break;
    case Storage::bf16:
      fill(BF16{});
      patch(uint16_t{});
      break;
    case Storage::i8:
      fill(I8{});
      patch(uint8_t{});
      break;
    case Storage::e4m3:
      fill(E4M3{});
      patch(uint8_t{});
      break;
    case Storage::i32:
      throw Error(ExitCode::runtime, "no operand is drawn as i32");
  }
  stream.synchronize();
}

std::optional<DrawnElsewise> compare_drawn(const OperandDraw& operand, const float* data,
                                           const Stream& stream) {
  constexpr int64_t kRuns = 8, kRunElements = 4096;
  const int64_t length = std::min(kRunElements, operand.count), last = operand.count - length;
  Floats here(static_cast<size_t>(length)), wanted(here.size());
  for (int64_t run = 0; run < kRuns; ++run) {
    const int64_t first = last * run / (kRuns - 1);
    copy_to_host(here.data(), data + first, length * int64_t{sizeof(float)}, stream);
    spb::draw(operand, first, wanted);
    put_patches(operand, first, wanted);
    for (size_t i = 0; i < here.size(); ++i)
      if (std::bit_cast<uint32_t>(here[i]) != std::bit_cast<uint32_t>(wanted[i]))
        return DrawnElsewise{first + static_cast<int64_t>(i), here[i], wanted[i]};
  }
  return std::nullopt;
}

}  // namespace spb::gpu
