// SPDX-License-Identifier: Apache-2.0
#include "gpu/cublas_cuda.h"

#include <dlfcn.h>
#include <string>

#include "core/error.h"

namespace spb::gpu {
namespace {

/// Of the major version whose header this was compiled with.
const std::string kName = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);

[[noreturn]] void fail() {
  const char* why = dlerror();
  throw input_error(kName, why ? why : "cannot be loaded",
                    "install cuBLAS of CUDA " + std::to_string(CUBLAS_VER_MAJOR) +
                        ", or name its folder in LD_LIBRARY_PATH");
}

/// As the system finds it, else where the toolkit of this build has it.
void* open_library() {
  if (void* library = dlopen(kName.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return dlopen((SPB_CUDA_LIBRARIES "/" + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) fail();
}

/// "13.1.0".
std::string version_of(void* library) {
  decltype(&cublasGetProperty) property = nullptr;
  find(library, "cublasGetProperty", property);
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    property(part, &number);
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version;
}

Cublas load() {
  void* library = open_library();
  if (!library) fail();
  Cublas functions;
  find(library, "cublasCreate_v2", functions.create);
  find(library, "cublasSetMathMode", functions.set_math_mode);
  find(library, "cublasSetStream_v2", functions.set_stream);
  find(library, "cublasSetWorkspace_v2", functions.set_workspace);
  find(library, "cublasGemmEx_64", functions.gemm_ex);
  find(library, "cublasGetStatusString", functions.status_string);
  functions.gemm_grouped =
      reinterpret_cast<GemmGroupedBatchedEx>(dlsym(library, "cublasGemmGroupedBatchedEx"));
  functions.version = version_of(library);
  return functions;
}

}  // namespace

const Cublas& cublas() {
  static const Cublas functions = load();
  return functions;
}

}  // namespace spb::gpu
