// SPDX-License-Identifier: Apache-2.0
#include "gpu/rocblas.h"

#include <cstdlib>
#include <dlfcn.h>

#include "core/error.h"

namespace spb::gpu::rocblas {
namespace {

/// Of ROCm 5.7, of those before it, of 6 and of 7 (rocblas_SOVERSION in rocBLAS's CMakeLists.txt;
/// Debian's librocblas0, librocblas4 and librocblas5).
struct Soname {
  int hip_major;
  const char* name;
};
constexpr Soname kSonames[] = {
    {5, "librocblas.so.3"}, {5, "librocblas.so.0"}, {6, "librocblas.so.4"}, {7, "librocblas.so.5"}};

constexpr const char* kTold = "SPCONV_BENCH_ROCBLAS";
constexpr const char* kInstead = "name another rocBLAS in SPCONV_BENCH_ROCBLAS, or none";

/// Finds functions of one library.
class Finder {
 public:
  Finder(void* library, const std::string& name) : library_(library), name_(name) {}

  template <class Function>
  void operator()(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) throw input_error(name_, std::string("has no ") + name, kInstead);
  }

 private:
  void* library_;
  const std::string& name_;
};

std::unique_ptr<const Library> load(void* opened, const std::string& name) {
  auto library = std::make_unique<Library>();
  Functions& f = library->functions;
  const Finder find(opened, name);
  find("rocblas_create_handle", f.create);
  find("rocblas_set_atomics_mode", f.set_atomics);
  find("rocblas_set_stream", f.set_stream);
  find("rocblas_set_workspace", f.set_workspace);
  find("rocblas_gemm_ex", f.gemm_ex);
  find("rocblas_status_to_string", f.status_string);
  find("rocblas_get_version_string", f.version);
  char version[80] = "";
  if (f.version(version, sizeof version) == 0) library->version = version;
  return library;
}

}  // namespace

bool library_is_told() {
  const char* told = std::getenv(kTold);
  return told && *told;
}

std::vector<std::string> library_names(int hip_major) {
  if (library_is_told()) {
    const std::string told = std::getenv(kTold);
    if (told == "none") return {};
    return {told};
  }
  const char* rocm = std::getenv("ROCM_PATH");
  std::vector<std::string> names;
  for (const std::string& folder : {std::string(), std::string(rocm && *rocm ? rocm : "/opt/rocm")})
    for (const auto& [major, name] : kSonames)
      if (major == hip_major) names.push_back(folder.empty() ? name : folder + "/lib/" + name);
  return names;
}

std::unique_ptr<const Library> open(std::span<const std::string> names, bool told) {
  for (const std::string& name : names) {
    if (void* opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return load(opened, name);
    const std::string why = dlerror();
    // As glibc says it of the file itself and not of one that it needs.
    const bool is_absent = why.starts_with(name + ": cannot open shared object file: No such file");
    if (told || !is_absent) throw input_error(name, why, kInstead);
  }
  return nullptr;
}

}  // namespace spb::gpu::rocblas
