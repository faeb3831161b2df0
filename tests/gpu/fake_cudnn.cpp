// SPDX-License-Identifier: Apache-2.0
// A library with the functions of cuDNN that gpu/cudnn.cpp looks for. It convolves floats of the
// host by the sizes and strides it is told; of other types it checks what it is told alone.
//
// Channels choose what fails: 13 input channels have no layout but channels first, 17 none at all,
// 19 no algorithm that runs.
#include <cstddef>
#include <vector>

namespace {

constexpr int kBadParam = 2000, kNotSupported = 3000, kExecutionFailed = 5000;
constexpr int kFloat = 0, kHalf = 2, kInt8 = 3, kInt32 = 4, kInt8x32 = 8, kBfloat16 = 9;
constexpr int kChannelVectors = 2, kNoReorder = 1;

struct Tensor {
  int type = -1;
  std::vector<int> sizes, strides;  // batch, channels, cells
  float* data = nullptr;            // while it is used
};
struct Convolution {
  std::vector<int> padding, stride, dilation;
  int compute = -1, math = 0, reorder = 0;
};
struct Time {
  int algorithm, status;
  float time_ms;
  size_t bytes;
  int determinism, math, reserved[3];
};

/// The next index in sizes from the second axis on, of cells alone.
bool next(std::vector<int>& cell, const std::vector<int>& sizes) {
  for (size_t i = cell.size(); i-- > 0;) {
    if (++cell[i] < sizes[i + 2]) return true;
    cell[i] = 0;
  }
  return false;
}

float& at(const Tensor& tensor, int first, int channel, const std::vector<int>& cell) {
  ptrdiff_t place = ptrdiff_t{first} * tensor.strides[0] + ptrdiff_t{channel} * tensor.strides[1];
  for (size_t i = 0; i < cell.size(); ++i) place += ptrdiff_t{cell[i]} * tensor.strides[i + 2];
  return tensor.data[place];
}

/// Of the types that products take: bytes are summed as integers, to bytes or floats, channels last
/// or in vectors, whose weights are in order; vectors stay vectors.
bool types_fit(const Tensor& in, const Tensor& weights, const Tensor& out,
               const Convolution& conv) {
  if (in.type != weights.type) return false;
  if (in.type == kInt8)
    return conv.compute == kInt32 && in.strides[1] == 1 && weights.strides[1] == 1 &&
           out.strides[1] == 1 && (out.type == kInt8 || out.type == kFloat);
  if (in.type == kInt8x32)
    return conv.compute == kInt32 && out.type == kInt8x32 && conv.reorder == kNoReorder &&
           in.sizes[1] % 32 == 0 && out.sizes[1] % 32 == 0;
  return conv.compute == kFloat && in.type == out.type &&
         (in.type == kFloat || in.type == kHalf || in.type == kBfloat16);
}

bool fits(const Tensor& in, const Tensor& weights, const Tensor& out, const Convolution& conv) {
  if (!types_fit(in, weights, out, conv)) return false;
  if (in.sizes.size() != conv.padding.size() + 2 || in.sizes[0] != out.sizes[0] ||
      weights.sizes[0] != out.sizes[1] || weights.sizes[1] != in.sizes[1])
    return false;
  for (size_t i = 0; i < conv.padding.size(); ++i)
    if (out.sizes[i + 2] !=
        (in.sizes[i + 2] + 2 * conv.padding[i] - conv.dilation[i] * (weights.sizes[i + 2] - 1) -
         1) / conv.stride[i] +
            1)
      return false;
  return true;
}

/// Adds what `use` makes of each product's three places.
template <typename Use>
void for_each_product(const Tensor& in, const Tensor& weights, const Tensor& out,
                      const Convolution& conv, Use use) {
  const size_t axes = conv.padding.size();
  for (int batch = 0; batch < in.sizes[0]; ++batch) {
    std::vector<int> u(axes, 0);
    do {
      std::vector<int> o(axes, 0);
      do {
        std::vector<int> p(axes);
        bool inside = true;
        for (size_t i = 0; i < axes; ++i) {
          p[i] = u[i] * conv.stride[i] + o[i] * conv.dilation[i] - conv.padding[i];
          inside = inside && p[i] >= 0 && p[i] < in.sizes[i + 2];
        }
        for (int j = 0; inside && j < out.sizes[1]; ++j)
          for (int c = 0; c < in.sizes[1]; ++c)
            use(at(in, batch, c, p), at(weights, j, c, o), at(out, batch, j, u));
      } while (next(o, weights.sizes));
    } while (next(u, out.sizes));
  }
}

void clear(const Tensor& tensor) {
  ptrdiff_t count = 1;
  for (const int size : tensor.sizes) count *= size;
  for (ptrdiff_t i = 0; i < count; ++i) tensor.data[i] = 0;  // packed in every layout
}

int find(const Tensor& in, const Tensor& weights, const Tensor& out, const Convolution& conv,
         int asked, int* found, Time* times) {
  if (!fits(in, weights, out, conv)) return kBadParam;
  if (in.type == kFloat ? conv.math != 0 && conv.math != 3 : conv.math != 1) return kBadParam;
  const bool channels_last = !in.strides.empty() && in.strides[1] == 1;
  if (in.sizes[1] == 17 || (in.sizes[1] == 13 && channels_last)) return kNotSupported;
  // The second fails when it is run, the third needs math that permits TF32.
  const int status = in.sizes[1] == 19 ? kNotSupported : 0;
  const Time all[] = {{4, kNotSupported, -1, 0, 1, conv.math, {}},
                      {6, status, 0.5F, 64, 1, conv.math, {}},
                      {0, status, 0.75F, 64, 1, 0, {}},
                      {1, status, 1, 64, 1, conv.math, {}}};
  *found = 0;
  for (const Time& one : all)
    if (*found < asked) times[(*found)++] = one;
  return 0;
}

template <typename Use>
int run(const Tensor& in, const Tensor& weights, const Tensor& out, const Tensor& result,
        const Convolution& conv, int algorithm, size_t bytes, Use use) {
  if (algorithm > 1 || (algorithm == 0 && conv.math != 0)) return kExecutionFailed;
  if (!fits(in, weights, out, conv) || bytes != 64) return kBadParam;
  if (in.type != kFloat) return 0;
  clear(result);
  for_each_product(in, weights, out, conv, use);
  return 0;
}

Tensor with(const Tensor* tensor, const void* data) {
  Tensor used = *tensor;
  used.data = static_cast<float*>(const_cast<void*>(data));
  return used;
}

}  // namespace

extern "C" {
size_t cudnnGetVersion() { return 91900; }
const char* cudnnGetErrorString(int status) {
  return status == kNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_OTHER";
}
int cudnnCreate(void** handle) { return *handle = new int(0), 0; }
int cudnnDestroy(void* handle) { return delete static_cast<int*>(handle), 0; }
int cudnnSetStream(void* handle, void*) { return handle ? 0 : kBadParam; }
int cudnnCreateTensorDescriptor(Tensor** tensor) { return *tensor = new Tensor, 0; }
int cudnnDestroyTensorDescriptor(Tensor* tensor) { return delete tensor, 0; }
int cudnnCreateFilterDescriptor(Tensor** tensor) { return *tensor = new Tensor, 0; }
int cudnnDestroyFilterDescriptor(Tensor* tensor) { return delete tensor, 0; }
int cudnnCreateConvolutionDescriptor(Convolution** conv) { return *conv = new Convolution, 0; }
int cudnnDestroyConvolutionDescriptor(Convolution* conv) { return delete conv, 0; }

int cudnnSetTensorNdDescriptor(Tensor* tensor, int type, int count, const int* sizes,
                               const int* strides) {
  if (count < 4 || count > 5) return kBadParam;
  *tensor = {type, {sizes, sizes + count}, {strides, strides + count}};
  return 0;
}
int cudnnSetTensorNdDescriptorEx(Tensor* tensor, int format, int type, int count,
                                 const int* sizes) {
  if (format != kChannelVectors || type != kInt8x32 || count != 4) return kBadParam;
  *tensor = {type, {sizes, sizes + count}, {}};
  return 0;
}
int cudnnSetFilterNdDescriptor(Tensor* tensor, int type, int format, int count, const int* sizes) {
  if (count < 4 || count > 5) return kBadParam;
  *tensor = {type, {sizes, sizes + count}, std::vector<int>(static_cast<size_t>(count))};
  int step = 1;
  const auto pack = [&](int axis) {
    tensor->strides[static_cast<size_t>(axis)] = step;
    step *= sizes[axis];
  };
  if (format == 1) pack(1);
  for (int axis = count; axis-- > 2;) pack(axis);
  if (format == 0) pack(1);
  pack(0);
  if ((format == kChannelVectors) != (type == kInt8x32)) return kBadParam;
  return 0;
}
int cudnnSetConvolutionNdDescriptor(Convolution* conv, int axes, const int* padding,
                                    const int* stride, const int* dilation, int mode, int compute) {
  if (mode != 1) return kBadParam;
  conv->compute = compute;
  conv->padding.assign(padding, padding + axes);
  conv->stride.assign(stride, stride + axes);
  conv->dilation.assign(dilation, dilation + axes);
  return 0;
}
int cudnnSetConvolutionMathType(Convolution* conv, int math) { return conv->math = math, 0; }
int cudnnSetConvolutionReorderType(Convolution* conv, int reorder) {
  return conv->reorder = reorder, 0;
}

int cudnnFindConvolutionForwardAlgorithmEx(void*, Tensor* in, const void*, Tensor* weights,
                                           const void*, Convolution* conv, Tensor* out, void*,
                                           int asked, int* found, Time* times, void*, size_t) {
  return find(*in, *weights, *out, *conv, asked, found, times);
}
int cudnnFindConvolutionBackwardDataAlgorithmEx(void*, Tensor* weights, const void*, Tensor* out,
                                                const void*, Convolution* conv, Tensor* in, void*,
                                                int asked, int* found, Time* times, void*, size_t) {
  return find(*in, *weights, *out, *conv, asked, found, times);
}
int cudnnFindConvolutionBackwardFilterAlgorithmEx(void*, Tensor* in, const void*, Tensor* out,
                                                  const void*, Convolution* conv, Tensor* weights,
                                                  void*, int asked, int* found, Time* times, void*,
                                                  size_t) {
  return find(*in, *weights, *out, *conv, asked, found, times);
}

int cudnnConvolutionForward(void*, const float*, Tensor* in, const void* in_data, Tensor* weights,
                            const void* weight_data, Convolution* conv, int algorithm, void*,
                            size_t bytes, const float*, Tensor* out, void* out_data) {
  const Tensor result = with(out, out_data);
  return run(with(in, in_data), with(weights, weight_data), result, result, *conv, algorithm, bytes,
             [](float x, float w, float& y) { y += x * w; });
}
int cudnnConvolutionBackwardData(void*, const float*, Tensor* weights, const void* weight_data,
                                 Tensor* out, const void* out_data, Convolution* conv,
                                 int algorithm, void*, size_t bytes, const float*, Tensor* in,
                                 void* in_data) {
  const Tensor result = with(in, in_data);
  return run(result, with(weights, weight_data), with(out, out_data), result, *conv, algorithm,
             bytes, [](float& x, float w, float y) { x += y * w; });
}
int cudnnConvolutionBackwardFilter(void*, const float*, Tensor* in, const void* in_data,
                                   Tensor* out, const void* out_data, Convolution* conv,
                                   int algorithm, void*, size_t bytes, const float*,
                                   Tensor* weights, void* weight_data) {
  const Tensor result = with(weights, weight_data);
  return run(with(in, in_data), result, with(out, out_data), result, *conv, algorithm, bytes,
             [](float x, float& w, float y) { w += x * y; });
}
}
