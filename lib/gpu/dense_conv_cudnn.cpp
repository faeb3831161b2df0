// SPDX-License-Identifier: Apache-2.0
// Dense convolutions by cuDNN. A row of a tensor is a voxel's channels, in the order of the cells:
// to cuDNN NDHWC, with x the depth, y the height and z the width, and weights KDHWC. Who has dense
// tensors lays them out as it is fastest: NCDHW is tried, too, and images of int8 in vectors of 32
// channels.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "gpu/cudnn.h"
#include "gpu/dense_conv.h"

namespace spb::gpu {
namespace {

/// As cuDNN names and numbers them, by Direction.
constexpr std::array<std::array<const char*, 8>, 3> kAlgorithms = {{
    {"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING", "WINOGRAD",
     "WINOGRAD_NONFUSED"},
    {"0", "1", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"},
    {"0", "1", "FFT", "3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"},
}};

std::string algorithm_name(Direction direction, int algorithm) {
  const auto& names = kAlgorithms[static_cast<size_t>(direction)];
  const auto index = static_cast<size_t>(algorithm);
  return index < names.size() && names[index] ? names[index]
                                              : "algorithm " + std::to_string(algorithm);
}

struct Types {
  cudnn::DataType data, result, compute;
  cudnn::MathType math;
};

constexpr Types floats(cudnn::DataType data, cudnn::MathType math) {
  return {data, data, cudnn::kFloat, math};
}

std::optional<Types> types_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return floats(cudnn::kFloat, cudnn::kFmaMath);
    case Dtype::tf32:
      return floats(cudnn::kFloat, cudnn::kDefaultMath);
    case Dtype::f16:
      return floats(cudnn::kHalf, cudnn::kTensorOpMath);
    case Dtype::bf16:
      return floats(cudnn::kBfloat16, cudnn::kTensorOpMath);
    case Dtype::i8:
      return Types{cudnn::kInt8, cudnn::kInt8, cudnn::kInt32, cudnn::kTensorOpMath};
    case Dtype::i8_f32:
      return Types{cudnn::kInt8, cudnn::kFloat, cudnn::kInt32, cudnn::kTensorOpMath};
    case Dtype::tf32x3:
    case Dtype::i8_i32:
    case Dtype::e4m3:
    case Dtype::e4m3_f16:
    case Dtype::e4m3_bf16:
      break;
  }
  return std::nullopt;
}

/// The axes that the library sees: two where z is none (images), else three.
int axes_of(const DenseConv& conv) {
  const bool flat =
      conv.in[2] == 1 && conv.out[2] == 1 && conv.kernel[2] == 1 && conv.padding[2] == 0;
  return flat ? 2 : 3;
}

const char* layout_name(int axes, cudnn::Format format) {
  if (format == cudnn::kChannelVectors) return "NC/32HW32";
  if (format == cudnn::kChannelsLast) return axes == 2 ? "NHWC" : "NDHWC";
  return axes == 2 ? "NCHW" : "NCDHW";
}

/// Vectors are of images alone, whose channels fill them, and make no floats.
std::vector<cudnn::Format> formats_of(const DenseConv& conv) {
  if (!info(conv.dtype).is_integer()) return {cudnn::kChannelsLast, cudnn::kChannelsFirst};
  const bool has_vectors =
      conv.dtype == Dtype::i8 && axes_of(conv) == 2 && conv.c_in % 32 == 0 && conv.c_out % 32 == 0;
  if (has_vectors) return {cudnn::kChannelsLast, cudnn::kChannelVectors};
  return {cudnn::kChannelsLast};
}

/// Batch, channels, cells: the order of sizes whatever the layout.
std::vector<int> sizes_of(int first, int channels, const Int3& cells, int axes) {
  std::vector<int> sizes{first, channels};
  sizes.insert(sizes.end(), cells.begin(), cells.begin() + axes);
  return sizes;
}

std::vector<int> strides_of(const std::vector<int>& sizes, cudnn::Format format) {
  std::vector<int> strides(sizes.size());
  int step = 1;
  if (format == cudnn::kChannelsLast) strides[1] = std::exchange(step, sizes[1]);
  for (size_t i = sizes.size(); i-- > 2;) strides[i] = std::exchange(step, step * sizes[i]);
  if (format == cudnn::kChannelsFirst) strides[1] = std::exchange(step, step * sizes[1]);
  strides[0] = step;
  return strides;
}

/// What cuDNN made, given back at the end.
class Made {
 public:
  Made(void* made, cudnn::Status (*destroy)(void*)) : made_(made), destroy_(destroy) {}
  ~Made() { static_cast<void>(destroy_(made_)); }
  Made(const Made&) = delete;  // owns it
  Made& operator=(const Made&) = delete;
  void* get() const { return made_; }

 private:
  void* made_;
  cudnn::Status (*destroy_)(void*);
};

class CudnnPlan final : public DenseConvPlan {
 public:
  CudnnPlan(const cudnn::Functions& functions, const std::string& library, const DenseConv& conv,
            const DenseConvBuffers& buffers, const Stream& stream, cudnn::Format format)
      : f_(functions),
        library_(library),
        conv_(conv),
        buffers_(buffers),
        types_(types_of(conv.dtype).value()),
        format_(format),
        handle_(made(f_.create, "cudnnCreate"), f_.destroy),
        in_(made(f_.create_tensor, "cudnnCreateTensorDescriptor"), f_.destroy_tensor),
        out_(made(f_.create_tensor, "cudnnCreateTensorDescriptor"), f_.destroy_tensor),
        weights_(made(f_.create_filter, "cudnnCreateFilterDescriptor"), f_.destroy_filter),
        convolution_(made(f_.create_convolution, "cudnnCreateConvolutionDescriptor"),
                     f_.destroy_convolution) {
    check(f_.set_stream(handle_.get(), stream.handle()), "cudnnSetStream");
    describe(format);
  }

  /// By cuDNN's times the fastest first; those without a time have a status.
  std::vector<cudnn::AlgorithmTime> find() const {
    std::vector<cudnn::AlgorithmTime> times(kMostFound);
    int found = 0;
    const Roles r = roles();
    check(f_.find[index()](handle_.get(), r.a.type, r.a.data, r.b.type, r.b.data,
                           convolution_.get(), r.c.type, r.c.data, kMostFound, &found, times.data(),
                           buffers_.workspace, static_cast<size_t>(buffers_.workspace_bytes)),
          "no algorithm was found");
    times.resize(static_cast<size_t>(found));
    return times;
  }

  /// Runs once by this algorithm; the status with which that fails.
  cudnn::Status take(const cudnn::AlgorithmTime& one, const Stream& stream) {
    // f32 allows no TF32, whatever else an algorithm offers.
    if (conv_.dtype == Dtype::f32 && one.math_type != cudnn::kFmaMath) return cudnn::kNotSupported;
    if (one.status != 0) return one.status;
    algorithm_ = one.algorithm;
    workspace_bytes_ = one.workspace_bytes;
    source_ = library_ + " " + algorithm_name(conv_.direction, algorithm_) + " " +
              layout_name(axes_of(conv_), format_);
    check(f_.set_math_type(convolution_.get(), one.math_type), "cudnnSetConvolutionMathType");
    const cudnn::Status status = run_status();
    stream.synchronize();
    return status;
  }

  void run() const override { check(run_status(), run_name()); }
  const std::string& source() const override { return source_; }

 private:
  /// One operand or result with what describes it.
  struct Tensor {
    void* type;
    void* data;
  };
  /// a, b and c of cudnn::Find and cudnn::Run.
  struct Roles {
    Tensor a, b, c;
  };

  template <class Create>
  void* made(Create create, const char* what) const {
    void* result = nullptr;
    check(create(&result), what);
    return result;
  }

  void check(cudnn::Status status, const std::string& what) const {
    if (status != 0)
      throw Error(ExitCode::runtime, library_ + ": " + what + ": " + f_.error_string(status));
  }

  void describe(cudnn::Format format) {
    const int axes = axes_of(conv_), dimensions = axes + 2;
    const bool has_vectors = format == cudnn::kChannelVectors;
    const auto tensor = [&](void* type, cudnn::DataType data, int channels, const Int3& cells) {
      const std::vector<int> sizes = sizes_of(conv_.batches, channels, cells, axes);
      check(has_vectors ? f_.set_tensor_by_format(type, format, data, dimensions, sizes.data())
                        : f_.set_tensor(type, data, dimensions, sizes.data(),
                                        strides_of(sizes, format).data()),
            has_vectors ? "cudnnSetTensorNdDescriptorEx" : "cudnnSetTensorNdDescriptor");
    };
    const cudnn::DataType data = has_vectors ? cudnn::kInt8x32 : types_.data;
    tensor(in_.get(), data, conv_.c_in, conv_.in);
    tensor(out_.get(), has_vectors ? data : types_.result, conv_.c_out, conv_.out);
    check(f_.set_filter(weights_.get(), data, format, dimensions,
                        sizes_of(conv_.c_out, conv_.c_in, conv_.kernel, axes).data()),
          "cudnnSetFilterNdDescriptor");
    check(f_.set_convolution(convolution_.get(), axes, conv_.padding.data(), conv_.stride.data(),
                             conv_.dilation.data(), cudnn::kCrossCorrelation, types_.compute),
          "cudnnSetConvolutionNdDescriptor");
    if (has_vectors)
      check(f_.set_reorder(convolution_.get(), cudnn::kNoReorder),
            "cudnnSetConvolutionReorderType");
    check(f_.set_math_type(convolution_.get(), types_.math), "cudnnSetConvolutionMathType");
  }

  Roles roles() const {
    const Tensor in{in_.get(), buffers_.in}, out{out_.get(), buffers_.out},
        weights{weights_.get(), buffers_.weights};
    if (conv_.direction == Direction::fprop) return {in, weights, out};
    if (conv_.direction == Direction::dgrad) return {weights, out, in};
    return {in, out, weights};
  }

  static constexpr int kMostFound = 32;

  cudnn::Status run_status() const {
    const float one = 1, zero = 0;
    const Roles r = roles();
    return f_.run[index()](handle_.get(), &one, r.a.type, r.a.data, r.b.type, r.b.data,
                           convolution_.get(), algorithm_, buffers_.workspace, workspace_bytes_,
                           &zero, r.c.type, r.c.data);
  }

  size_t index() const { return static_cast<size_t>(conv_.direction); }
  const char* run_name() const {
    constexpr const char* kNames[] = {"cudnnConvolutionForward", "cudnnConvolutionBackwardData",
                                      "cudnnConvolutionBackwardFilter"};
    return kNames[index()];
  }

  const cudnn::Functions& f_;
  const std::string& library_;
  DenseConv conv_;
  DenseConvBuffers buffers_;
  Types types_;
  cudnn::Format format_;
  Made handle_, in_, out_, weights_, convolution_;
  int algorithm_ = 0;
  size_t workspace_bytes_ = 0;
  std::string source_;
};

class Cudnn final : public DenseConvLibrary {
 public:
  Cudnn(std::unique_ptr<const cudnn::Functions> functions, std::string name)
      : functions_(std::move(functions)), name_(std::move(name)) {}

  std::optional<std::string> unsupported(const DenseConv& conv) const override {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // strides are int
    if (!types_of(conv.dtype)) return std::string("no type of cuDNN is ") + info(conv.dtype).name;
    for (const int64_t elements : {conv.in_elements(), conv.out_elements(), conv.weight_elements()})
      if (elements > kMost)
        return "a tensor of " + std::to_string(elements) + " elements is more than 2^31 - 1";
    return std::nullopt;
  }

  std::vector<std::unique_ptr<DenseConvPlan>> plans(const DenseConv& conv,
                                                    const DenseConvBuffers& buffers,
                                                    const Stream& stream) const override {
    std::string refusals;
    std::vector<std::unique_ptr<DenseConvPlan>> all;
    for (const cudnn::Format format : formats_of(conv)) try {
        for (auto& plan : plans_of(format, conv, buffers, stream)) all.push_back(std::move(plan));
      } catch (const Error& error) {
        refusals += (refusals.empty() ? "" : "; ") +
                    std::string(layout_name(axes_of(conv), format)) + ": " + error.what();
      }
    if (all.empty()) throw Error(ExitCode::runtime, refusals);
    return all;
  }

 private:
  std::vector<std::unique_ptr<DenseConvPlan>> plans_of(cudnn::Format format, const DenseConv& conv,
                                                       const DenseConvBuffers& buffers,
                                                       const Stream& stream) const {
    constexpr size_t kMostPlans = 3;
    const auto new_plan = [&] {
      return std::make_unique<CudnnPlan>(*functions_, name_, conv, buffers, stream, format);
    };
    const std::vector<cudnn::AlgorithmTime> found = new_plan()->find();
    std::vector<std::unique_ptr<DenseConvPlan>> plans;
    cudnn::Status refused = 0;
    for (const cudnn::AlgorithmTime& one : found) {
      if (plans.size() == kMostPlans) break;
      auto plan = new_plan();
      const cudnn::Status status = plan->take(one, stream);
      if (status == 0)
        plans.push_back(std::move(plan));
      else
        refused = status;
    }
    if (plans.empty())
      throw Error(ExitCode::runtime,
                  name_ + ": none of " + std::to_string(found.size()) + " algorithms runs" +
                      (refused == 0 ? "" : std::string(": ") + functions_->error_string(refused)));
    return plans;
  }

  std::unique_ptr<const cudnn::Functions> functions_;
  std::string name_;
};

}  // namespace

OpenedDenseConv open_cudnn(const std::string& library) {
  cudnn::Opened opened = cudnn::open(library);
  if (!opened.functions) return {nullptr, opened.note};
  return {std::make_unique<Cudnn>(std::move(opened.functions), opened.note), opened.note};
}

}  // namespace spb::gpu
