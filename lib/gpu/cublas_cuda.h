// SPDX-License-Identifier: Apache-2.0
// cuBLAS, loaded when it is first needed: half a gigabyte of library, which a program that lists
// its suites does not wait for.
#pragma once

#include <cublas_v2.h>

namespace spb::gpu {

/// The functions used here, with the types of the header.
struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasGemmEx_64) gemm_ex = nullptr;
  decltype(&cublasGetStatusString) status_string = nullptr;
};

/// Loads the library at the first call. Throws Error (runtime) where it or a function is missing.
const Cublas& cublas();

}  // namespace spb::gpu
