// SPDX-License-Identifier: Apache-2.0
// Functions that host and device share, in headers that need no vendor: to a compiler that knows no
// device the words mean nothing.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GPU_HOST_DEVICE __host__ __device__
#else
#define GPU_HOST_DEVICE
#endif
