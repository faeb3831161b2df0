// SPDX-License-Identifier: Apache-2.0
#include "core/tensors.h"

#include <algorithm>

#include "core/error.h"

namespace spb {
namespace {

constexpr const char* kTensors[] = {
    "in",   "weights", "bias", "residual", "scale", "residual_scale",
    "gout", "out",     "gin",  "gw",       "gbias"};

Shape matrix(int64_t rows, int64_t columns) { return {.extents = {rows, columns, 1}, .rank = 2}; }
Shape vector(int64_t size) { return {.extents = {size, 1, 1}, .rank = 1}; }

[[noreturn]] void unknown_direction(Direction direction) {
  throw Error(ExitCode::runtime, std::string("tensors of direction ") + name(direction));
}

}  // namespace

const char* name(Tensor tensor) { return kTensors[static_cast<size_t>(tensor)]; }

std::vector<TensorSpec> tensors(const Problem& problem, const MapSize& size) {
  const Math& math = info(problem.dtype);
  const Shape in = matrix(size.n_in, problem.c_in), out = matrix(size.n_out, problem.c_out);
  const Shape weights{.extents = {problem.c_out, problem.kernel_volume(), problem.group_c_in()},
                      .rank = 3};
  std::vector<TensorSpec> specs;
  Tensor bias = Tensor::bias;
  switch (problem.direction) {
    case Direction::fprop:
      specs = {{Tensor::in, math.in, in, Access::read},
               {Tensor::weights, math.weights, weights, Access::read},
               {Tensor::out, math.out, out, Access::write}};
      if (problem.epilogue.residual)
        specs.push_back({Tensor::residual, math.out, out, Access::read});
      if (has_scales(problem)) {
        specs.push_back({Tensor::scale, Storage::f32, vector(problem.c_out), Access::read});
        if (problem.epilogue.residual)
          specs.push_back({Tensor::residual_scale, Storage::f32, vector(1), Access::read});
      }
      break;
    case Direction::dgrad:
      specs = {{Tensor::gout, math.in, out, Access::read},
               {Tensor::weights, math.weights, weights, Access::read},
               {Tensor::gin, math.out, in, Access::write}};
      if (has_scales(problem))
        specs.push_back({Tensor::scale, Storage::f32, vector(problem.c_in), Access::read});
      return specs;
    case Direction::wgrad:
      specs = {{Tensor::in, math.in, in, Access::read},
               {Tensor::gout, math.in, out, Access::read},
               {Tensor::gw, math.out, weights, Access::write}};
      bias = Tensor::gbias;
      break;
    default:
      unknown_direction(problem.direction);
  }
  if (problem.bias)
    specs.push_back({bias, Storage::f32, vector(problem.c_out),
                     bias == Tensor::bias ? Access::read : Access::write, true});
  return specs;
}

TensorSpec main_output(const Problem& problem, const MapSize& size) {
  const std::vector<TensorSpec> all = tensors(problem, size);
  return *std::ranges::find(all, Access::write, &TensorSpec::access);
}

int64_t weight_row_pitch(const Problem& problem) {
  return int64_t{problem.kernel_volume()} * problem.group_c_in();
}

int64_t weight_count(const Problem& problem) { return problem.c_out * weight_row_pitch(problem); }

GemmView gemm_view(const Problem& problem, const MapSize& size) {
  const int64_t group_pitch = problem.group_c_out() * weight_row_pitch(problem);
  switch (problem.direction) {
    case Direction::fprop:
      return {.source = Tensor::in,
              .target = Tensor::out,
              .m = size.n_out,
              .source_rows = size.n_in,
              .n = problem.group_c_out(),
              .k = problem.group_c_in(),
              .transposed = false,
              .offset_pitch = problem.group_c_in(),
              .k_pitch = 1,
              .n_pitch = weight_row_pitch(problem),
              .groups = problem.groups,
              .group_pitch = group_pitch};
    case Direction::dgrad:
      return {.source = Tensor::gout,
              .target = Tensor::gin,
              .m = size.n_in,
              .source_rows = size.n_out,
              .n = problem.group_c_in(),
              .k = problem.group_c_out(),
              .transposed = true,
              .offset_pitch = problem.group_c_in(),
              .k_pitch = weight_row_pitch(problem),
              .n_pitch = 1,
              .groups = problem.groups,
              .group_pitch = group_pitch};
    case Direction::wgrad:
      break;
  }
  throw Error(ExitCode::runtime, std::string(name(problem.direction)) + " is no product of rows");
}

}  // namespace spb
