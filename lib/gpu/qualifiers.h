// SPDX-License-Identifier: Apache-2.0
// Functions that host and device share, in headers that need no vendor: to a compiler that knows no
// device the words mean nothing.
#pragma once

#if defined(__CUDACC__)
#define GPU_HOST_DEVICE __host__ __device__
#elif defined(__HIPCC__)  // whose words come with its header
#define GPU_HOST_DEVICE __attribute__((host)) __attribute__((device))
#else
#define GPU_HOST_DEVICE
#endif

// A loop over an array that is to stay in registers: clang leaves large ones rolled, and then the
// array lies in memory. g++ needs no such advice.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define GPU_UNROLL _Pragma("unroll")
#else
#define GPU_UNROLL
#endif

// The same of loops whose arrays nvcc keeps in registers by itself: told so, it would make other
// code of them than what was timed.
#if defined(__HIPCC__)
#define GPU_UNROLL_AMD GPU_UNROLL
#else
#define GPU_UNROLL_AMD
#endif
