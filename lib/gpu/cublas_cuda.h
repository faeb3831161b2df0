// SPDX-License-Identifier: Apache-2.0
// cuBLAS, loaded when it is first needed: half a gigabyte of library, which a program that lists
// its suites does not wait for.
#pragma once

#include <cublas_v2.h>
#include <string>

namespace spb::gpu {

/// cublasGemmGroupedBatchedEx, which headers before cuBLAS 12.5 do not have.
using GemmGroupedBatchedEx = cublasStatus_t (*)(
    cublasHandle_t handle, const cublasOperation_t a_operations[],
    const cublasOperation_t b_operations[], const int m[], const int n[], const int k[],
    const void* alphas, const void* const a[], cudaDataType_t a_type, const int a_pitches[],
    const void* const b[], cudaDataType_t b_type, const int b_pitches[], const void* betas,
    void* const c[], cudaDataType_t c_type, const int c_pitches[], int groups, const int sizes[],
    cublasComputeType_t compute);

/// The functions used here, with the types of the header.
struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasGemmEx_64) gemm_ex = nullptr;
  decltype(&cublasGetStatusString) status_string = nullptr;
  GemmGroupedBatchedEx gemm_grouped = nullptr;  ///< null where the library is older
  std::string version;                          ///< of the library that was found
};

/// Loads the library at the first call. Throws Error (runtime) where it or a function that every
/// version has is missing.
const Cublas& cublas();

}  // namespace spb::gpu
