// SPDX-License-Identifier: Apache-2.0
// cuDNN without its header or its library at build time: what dense convolutions need of its API,
// whose types, numbers and orders of arguments version 9 has from versions before. Facts: NVIDIA
// cuDNN API, the cudnn_graph, cudnn_ops and cudnn_cnn libraries.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace spb::gpu::cudnn {

using Status = int;  // 0 is success
inline constexpr Status kNotSupported = 3000;
using Handle = void*;
using Descriptor = void*;  // of a tensor, a filter or a convolution: pointers all of them

enum DataType : int { kFloat = 0, kHalf = 2, kInt8 = 3, kInt32 = 4, kInt8x32 = 8, kBfloat16 = 9 };
/// The last has the channels in vectors, 32 of kInt8x32, and the vectors before the cells.
enum Format : int { kChannelsFirst = 0, kChannelsLast = 1, kChannelVectors = 2 };
/// The first permits TF32 to products of floats, the last forbids it.
enum MathType : int { kDefaultMath = 0, kTensorOpMath = 1, kFmaMath = 3 };
inline constexpr int kCrossCorrelation = 1;
/// Vectors of weights lie as the kernels take them; else each run would lay them out anew.
inline constexpr int kNoReorder = 1;

/// What one algorithm took; the same for the three directions.
struct AlgorithmTime {
  int algorithm;
  Status status;
  float time_ms;
  size_t workspace_bytes;
  int determinism;
  int math_type;
  int reserved[3];
};

/// Of operands a and b to the result c: input, weights and output of the forward convolution;
/// weights, output gradient and input gradient; input, output gradient and weight gradient.
using Find = Status (*)(Handle handle, Descriptor a_type, const void* a, Descriptor b_type,
                        const void* b, Descriptor convolution, Descriptor c_type, void* c,
                        int asked, int* found, AlgorithmTime* times, void* workspace,
                        size_t workspace_bytes);
using Run = Status (*)(Handle handle, const void* alpha, Descriptor a_type, const void* a,
                       Descriptor b_type, const void* b, Descriptor convolution, int algorithm,
                       void* workspace, size_t workspace_bytes, const void* beta, Descriptor c_type,
                       void* c);

struct Functions {
  size_t (*version)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*create)(Handle*) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*set_stream)(Handle, void* stream) = nullptr;
  Status (*create_tensor)(Descriptor*) = nullptr;
  Status (*set_tensor)(Descriptor, int type, int dimensions, const int* sizes,
                       const int* strides) = nullptr;
  Status (*set_tensor_by_format)(Descriptor, int format, int type, int dimensions,
                                 const int* sizes) = nullptr;
  Status (*destroy_tensor)(Descriptor) = nullptr;
  Status (*create_filter)(Descriptor*) = nullptr;
  Status (*set_filter)(Descriptor, int type, int format, int dimensions,
                       const int* sizes) = nullptr;
  Status (*destroy_filter)(Descriptor) = nullptr;
  Status (*create_convolution)(Descriptor*) = nullptr;
  Status (*set_convolution)(Descriptor, int axes, const int* padding, const int* stride,
                            const int* dilation, int mode, int compute_type) = nullptr;
  Status (*set_math_type)(Descriptor, int math_type) = nullptr;
  Status (*set_reorder)(Descriptor, int reorder) = nullptr;
  Status (*destroy_convolution)(Descriptor) = nullptr;
  Find find[3] = {};  ///< by Direction
  Run run[3] = {};
};

struct Opened {
  std::unique_ptr<const Functions> functions;  ///< null when there are none
  std::string note;                            ///< "cudnn 9.1.0", or why there are none
};

/// Loads the library for the rest of the process.
Opened open(const std::string& library);

}  // namespace spb::gpu::cudnn
