// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <string>

#include "core/error.h"
#include "gpu/check.h"
#include "gpu/mma/tensor_map.h"

namespace spb::gpu {
namespace {

// Through the runtime, so that nothing links against the driver, which machines without a GPU lack.
auto encode_function() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr const char* kName = "cuTensorMapEncodeTiled";
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(kName, &function, 12000, cudaEnableDefault, &found);
#else  // which CUDA 13 has no more
  const cudaError_t status = cudaGetDriverEntryPoint(kName, &function, cudaEnableDefault, &found);
#endif
  check(status, "find cuTensorMapEncodeTiled");
  if (found != cudaDriverEntryPointSuccess)
    throw Error(ExitCode::runtime,
                "the driver has no cuTensorMapEncodeTiled; CUDA 12.0 or newer is needed");
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

CUtensorMapDataType type_of(Storage storage) {
  switch (storage) {
    case Storage::f32:  // the engine's own tf32 rounds ties to even
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case Storage::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Storage::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Storage::i8:  // bytes are copied as they are
    case Storage::e4m3:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case Storage::i32:  // no kernel copies sums by the engine
      break;
  }
  throw Error(ExitCode::runtime, std::string("no tensor map of ") + info(storage).name);
}

}  // namespace

CUtensorMap tensor_map(const void* data, Storage storage, const int64_t (&size)[3],
                       const int (&box)[3]) {
  static const auto encode = encode_function();
  cuuint64_t sizes[3], pitches[2];
  cuuint32_t boxes[3], strides[3] = {1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    sizes[i] = static_cast<cuuint64_t>(size[i]);
    boxes[i] = static_cast<cuuint32_t>(box[i]);
  }
  pitches[0] = sizes[0] * static_cast<cuuint64_t>(info(storage).bytes);
  pitches[1] = sizes[1] * pitches[0];
  const auto swizzle =
      box[0] * info(storage).bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMap map;
  const CUresult result =
      encode(&map, type_of(storage), 3, const_cast<void*>(data), sizes, pitches, boxes, strides,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(ExitCode::runtime,
                "the driver refuses the weights' tensor map, code " + std::to_string(result));
  return map;
}

}  // namespace spb::gpu
