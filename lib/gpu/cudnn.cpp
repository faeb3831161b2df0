// SPDX-License-Identifier: Apache-2.0
#include "gpu/cudnn.h"

#include <dlfcn.h>

namespace spb::gpu::cudnn {
namespace {

/// Finds functions until one is missing, whose name it keeps.
class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <class Function>
  void operator()(const char* name, Function& function) {
    if (!missing_.empty()) return;
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

std::string find_all(void* library, Functions& f) {
  Finder find(library);
  find("cudnnGetVersion", f.version);
  find("cudnnGetErrorString", f.error_string);
  find("cudnnCreate", f.create);
  find("cudnnDestroy", f.destroy);
  find("cudnnSetStream", f.set_stream);
  find("cudnnCreateTensorDescriptor", f.create_tensor);
  find("cudnnSetTensorNdDescriptor", f.set_tensor);
  find("cudnnSetTensorNdDescriptorEx", f.set_tensor_by_format);
  find("cudnnDestroyTensorDescriptor", f.destroy_tensor);
  find("cudnnCreateFilterDescriptor", f.create_filter);
  find("cudnnSetFilterNdDescriptor", f.set_filter);
  find("cudnnDestroyFilterDescriptor", f.destroy_filter);
  find("cudnnCreateConvolutionDescriptor", f.create_convolution);
  find("cudnnSetConvolutionNdDescriptor", f.set_convolution);
  find("cudnnSetConvolutionMathType", f.set_math_type);
  find("cudnnSetConvolutionReorderType", f.set_reorder);
  find("cudnnDestroyConvolutionDescriptor", f.destroy_convolution);
  find("cudnnFindConvolutionForwardAlgorithmEx", f.find[0]);
  find("cudnnFindConvolutionBackwardDataAlgorithmEx", f.find[1]);
  find("cudnnFindConvolutionBackwardFilterAlgorithmEx", f.find[2]);
  find("cudnnConvolutionForward", f.run[0]);
  find("cudnnConvolutionBackwardData", f.run[1]);
  find("cudnnConvolutionBackwardFilter", f.run[2]);
  return find.missing();
}

/// 91900 is "9.19.0".
std::string version_text(size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

Opened open(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char* why = dlerror();
    return {nullptr, (why ? why : library + " cannot be loaded") +
                         std::string("; install cuDNN 9, or name its folder in LD_LIBRARY_PATH")};
  }
  auto functions = std::make_unique<Functions>();
  if (const std::string missing = find_all(opened, *functions); !missing.empty()) {
    dlclose(opened);
    return {nullptr, library + " has no " + missing + "; install cuDNN 9"};
  }
  std::string note = "cudnn " + version_text(functions->version());
  return {std::move(functions), std::move(note)};
}

}  // namespace spb::gpu::cudnn
