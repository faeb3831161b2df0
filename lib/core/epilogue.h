// SPDX-License-Identifier: Apache-2.0
// What becomes of a forward sum before it is stored: the layers that inference puts behind a
// convolution and that need no pass of their own.
#pragma once

#include <string>
#include <string_view>

namespace spb {

/// none: s. relu: max(s, 0). leaky_relu: s, or slope * s below zero. hswish: s * min(max(s + 3, 0),
/// 6) / 6 (Howard et al., Searching for MobileNetV3, 2019). NaN stays NaN.
enum class Activation { none, relu, leaky_relu, hswish };
const char* name(Activation activation);

/// y = act(sum + bias + residual) in fp32, and one rounding. Of scaled dtypes, which multiply
/// bytes, y = act(scale * sum + (residual_scale * residual + bias)) with a scale for each stored
/// channel, each product and its addition rounded once (fma): scales bring sums and residual to the
/// units of the output, in which the bias is.
struct Epilogue {
  Activation activation = Activation::none;
  float slope = 0;        ///< of leaky_relu: a power of two, whose products are exact
  bool residual = false;  ///< whether a tensor of the outputs' shape and type is added

  bool is_none() const { return activation == Activation::none && !residual; }
  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};

/// "none", "relu", "leaky_relu:0.125", "residual", "residual+hswish".
std::string to_text(const Epilogue& epilogue);
/// The same; empty for none, which ids, texts and records leave out.
std::string mark(const Epilogue& epilogue);
/// Throws Error (usage) naming `where`. Without a slope leaky_relu has 0.125.
Epilogue parse_epilogue(std::string_view text, std::string_view where);

}  // namespace spb
