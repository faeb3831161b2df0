// SPDX-License-Identifier: Apache-2.0
// A plug-in of spconv-bench in one file: sparse convolution by the neighbor table, in all three
// directions, one thread for each element of the output. Plain, right and slow: put your kernels in
// its place. docs/plugins.md of spconv-bench explains it. The same source is CUDA, HIP, or C++ for
// the program's host backend.
#include <cstdint>
#include <cstring>
#include <new>
#include <spconv_bench/plugin.h>

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
#define DEVICE __device__
#else
#define DEVICE
#endif

namespace {

/// All that a thread has to know; the plan is a copy of it.
struct Layer {
  int64_t n_in, n_out;
  int32_t c_in, c_out, kernel_volume;
  const int32_t* neighbors;  // [rows of what is written or, in wgrad, of gout][kernel_volume]
  bool mirrored;
};

DEVICE int64_t weight_at(const Layer& layer, int32_t j, int32_t offset, int32_t i) {
  return (int64_t{j} * layer.kernel_volume + offset) * layer.c_in + i;
}

struct Forward {
  static int64_t outputs(const Layer& layer) { return layer.n_out * layer.c_out; }
  DEVICE static void compute(const Layer& layer, const SpbOperands& given, int64_t index) {
    const int64_t row = index / layer.c_out;
    const auto j = static_cast<int32_t>(index % layer.c_out);
    const auto* in = static_cast<const float*>(given.in);
    const auto* weights = static_cast<const float*>(given.weights);
    float sum = 0;
    for (int32_t offset = 0; offset < layer.kernel_volume; ++offset) {
      const int64_t neighbor = layer.neighbors[row * layer.kernel_volume + offset];
      if (neighbor < 0) continue;
      for (int32_t i = 0; i < layer.c_in; ++i)
        sum += in[neighbor * layer.c_in + i] * weights[weight_at(layer, j, offset, i)];
    }
    static_cast<float*>(given.out)[index] = given.bias ? sum + given.bias[j] : sum;
  }
};

struct InputGradient {
  static int64_t outputs(const Layer& layer) { return layer.n_in * layer.c_in; }
  DEVICE static void compute(const Layer& layer, const SpbOperands& given, int64_t index) {
    const int64_t row = index / layer.c_in;
    const auto i = static_cast<int32_t>(index % layer.c_in);
    const auto* gout = static_cast<const float*>(given.gout);
    const auto* weights = static_cast<const float*>(given.weights);
    float sum = 0;
    for (int32_t entry = 0; entry < layer.kernel_volume; ++entry) {
      const int64_t neighbor = layer.neighbors[row * layer.kernel_volume + entry];
      if (neighbor < 0) continue;
      const int32_t offset = layer.mirrored ? layer.kernel_volume - 1 - entry : entry;
      for (int32_t j = 0; j < layer.c_out; ++j)
        sum += gout[neighbor * layer.c_out + j] * weights[weight_at(layer, j, offset, i)];
    }
    static_cast<float*>(given.gin)[index] = sum;
  }
};

struct WeightGradient {
  /// Those of the bias behind those of the weights.
  static int64_t outputs(const Layer& layer) {
    return int64_t{layer.c_out} * layer.kernel_volume * layer.c_in + layer.c_out;
  }
  DEVICE static void compute(const Layer& layer, const SpbOperands& given, int64_t index) {
    const auto* in = static_cast<const float*>(given.in);
    const auto* gout = static_cast<const float*>(given.gout);
    const int64_t weights = int64_t{layer.c_out} * layer.kernel_volume * layer.c_in;
    float sum = 0;
    if (index >= weights) {
      if (!given.gbias) return;
      const int64_t j = index - weights;
      for (int64_t row = 0; row < layer.n_out; ++row) sum += gout[row * layer.c_out + j];
      given.gbias[j] = sum;
      return;
    }
    const int64_t i = index % layer.c_in, offset = index / layer.c_in % layer.kernel_volume,
                  j = index / layer.c_in / layer.kernel_volume;
    for (int64_t row = 0; row < layer.n_out; ++row) {
      const int64_t neighbor = layer.neighbors[row * layer.kernel_volume + offset];
      if (neighbor >= 0) sum += gout[row * layer.c_out + j] * in[neighbor * layer.c_in + i];
    }
    static_cast<float*>(given.gw)[index] = sum;
  }
};

#if defined(__CUDACC__) || defined(__HIPCC__)

#if defined(__CUDACC__)
constexpr const char* kBackend = "cuda";
using Stream = cudaStream_t;
const char* last_fault() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
#else
constexpr const char* kBackend = "hip";
using Stream = hipStream_t;
const char* last_fault() {
  const hipError_t error = hipGetLastError();
  return error == hipSuccess ? nullptr : hipGetErrorString(error);
}
#endif

template <class Direction>
__global__ void compute_all(Layer layer, SpbOperands given, int64_t outputs) {
  const int64_t index = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < outputs) Direction::compute(layer, given, index);
}

template <class Direction>
const char* launch(const Layer& layer, const SpbOperands& given, void* stream) {
  constexpr int kThreads = 256;
  const int64_t outputs = Direction::outputs(layer);
  const auto blocks = static_cast<unsigned>((outputs + kThreads - 1) / kThreads);
  if (blocks > 0)
    compute_all<Direction>
        <<<blocks, kThreads, 0, static_cast<Stream>(stream)>>>(layer, given, outputs);
  return last_fault();
}

#else

constexpr const char* kBackend = "host";

template <class Direction>
const char* launch(const Layer& layer, const SpbOperands& given, void*) {
  const int64_t outputs = Direction::outputs(layer);
  for (int64_t index = 0; index < outputs; ++index) Direction::compute(layer, given, index);
  return nullptr;
}

#endif

struct Plan {
  Layer layer;
  const char* (*launch)(const Layer& layer, const SpbOperands& given, void* stream);
};

const char* make_plan(const SpbAlgorithm*, const SpbProblem* problem, const SpbMaps* maps,
                      const SpbHost*, void** made, SpbDescription* description) {
  const int32_t* kernel = problem->kernel_size;
  auto* plan = new (std::nothrow)
      Plan{{maps->n_in, maps->n_out, problem->c_in, problem->c_out,
            kernel[0] * kernel[1] * kernel[2], maps->neighbors, maps->neighbors_mirrored != 0},
           launch<Forward>};
  if (!plan) return "the host's memory is exhausted";
  if (std::strcmp(problem->direction, "dgrad") == 0) plan->launch = launch<InputGradient>;
  if (std::strcmp(problem->direction, "wgrad") == 0) plan->launch = launch<WeightGradient>;
  description->kernel = "one_thread_per_output";
  *made = plan;
  return nullptr;
}

const char* run(void* made, const SpbOperands* given, void* stream) {
  const Plan& plan = *static_cast<const Plan*>(made);
  return plan.launch(plan.layer, *given, stream);
}

void destroy(void* made) { delete static_cast<Plan*>(made); }

SpbAlgorithm gather() {
  SpbAlgorithm row{};
  row.name = "gather";
  row.summary = "one thread for each output, by the neighbor table";
  row.version = 1;
  row.dtypes = "f32";
  row.directions = "fprop,dgrad,wgrad";
  row.kinds = "subm,strided,inverse,generative";
  row.takes_bias = 1;
  row.needs = SPB_NEEDS_NEIGHBORS;
  row.plan = make_plan;
  row.run = run;
  row.destroy = destroy;
  return row;
}

const SpbAlgorithm kAlgorithms[] = {gather()};
const SpbPlugin kPlugin = {SPB_PLUGIN_ABI, "example", "1.0", kBackend, 1, kAlgorithms};

}  // namespace

extern "C" SPB_PLUGIN_EXPORT const SpbPlugin* spconv_bench_plugin(void) { return &kPlugin; }
