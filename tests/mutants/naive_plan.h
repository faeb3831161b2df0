// SPDX-License-Identifier: Apache-2.0
// A plain convolution on the CPU with hooks at which a mutant goes wrong. Without hooks it is
// right.
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.h"

namespace spb::mutants {

/// What a hook sees: host copies of the operands and the problem.
struct State {
  Problem problem;
  MapSet map;
  int64_t n_in = 0, n_out = 0;
  std::vector<float> in, weights, bias, gout, residual, scale, residual_scale;
  std::vector<float> remembered;  ///< survives between runs
  int runs = 0;
  gpu::Guards guards;  ///< around the operands; stray writes stay within them

  int64_t rows() const;  ///< of the main output
  int64_t cols() const;
};

/// y of a sum; of all of them.
float activated(const Epilogue& epilogue, float sum);
void activate_all(const State& state, std::vector<float>& sums);

/// Of integer sums: scale * sum + (residual_scale * residual + bias).
std::vector<float> requantized(const State& state, const std::vector<double>& sums);

/// Null where the mutant behaves.
struct Hooks {
  float (*load)(float) = nullptr;                        ///< instead of rounding an operand
  void (*operands)(State&) = nullptr;                    ///< changes the copies that are multiplied
  bool (*keeps)(const State&, const Triple&) = nullptr;  ///< drops pairs
  int (*weights_of)(const State&, const Triple&) = nullptr;  ///< offset that a pair multiplies by
  float (*multiply)(float, float) = nullptr;                 ///< instead of a product of fp32
  float (*accumulate)(float) = nullptr;                      ///< after every offset's partial sum
  /// Instead of requantized().
  std::vector<float> (*requantize)(State&, const std::vector<double>& sums) = nullptr;
  /// Instead of the activation, on sums that have bias and residual.
  void (*epilogue)(State&, std::vector<float>&) = nullptr;
  float (*store)(float) = nullptr;                        ///< before rounding to the output type
  void (*result)(State&, std::vector<float>&) = nullptr;  ///< changes the finished output
  /// Writes the encoded output (`bytes`) itself, or elsewhere as well.
  void (*write)(State&, const Operands&, std::span<const std::byte> bytes, void* output,
                const gpu::Stream&) = nullptr;
  void (*exposed_map)(State&, MapSet&) = nullptr;  ///< changes the map shown for checking
  const char* params = "{}";                       ///< PlanDescription::params_json
};

// What a plan with hooks is made of.

/// Elements of device memory, stored so, as floats; of null none. And back.
std::vector<float> read_floats(const void* device, int64_t count, Storage storage,
                               const gpu::Stream& stream);
void write_floats(void* device, std::span<const float> values, Storage storage,
                  const gpu::Stream& stream);
/// What a run was given, as it is stored.
void read_operands(State& state, const Operands& operands, const gpu::Stream& stream);
/// A finished output to where the run wants it, or by the hook.
void write_result(State& state, const Hooks& hooks, const Operands& operands,
                  std::span<const float> result, const gpu::Stream& stream);
MapSet shown_map(const State& state, const Hooks& hooks);

maps::MapNeeds naive_needs(const Case& of);
std::unique_ptr<Plan> naive_plan(const Case& of, const maps::Maps& maps, maps::BuildContext context,
                                 const Hooks& hooks);

}  // namespace spb::mutants
