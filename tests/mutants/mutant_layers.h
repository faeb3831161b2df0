// SPDX-License-Identifier: Apache-2.0
// The layers and directions that mutants are wrong in.
#pragma once

#include "core/problem.h"

namespace spb::mutants {

inline constexpr const char* kSubm = "--channels 32:64 --kernel-size 3";
inline constexpr const char* kFewChannels = "--channels 1:2 --kernel-size 3";
inline constexpr const char* kStrided = "--channels 32:64 --kernel-size 2 --stride 2";
inline constexpr const char* kDepthwise = "--channels 48 --groups depthwise --kernel-size 3";
inline constexpr const char* kInverse =
    "--channels 32:64 --conv-kind inverse --kernel-size 2 --stride 2";
inline constexpr const char* kGenerative =
    "--channels 32:64 --conv-kind generative --kernel-size 2 --stride 2";
inline constexpr auto kFprop = Direction::fprop;
inline constexpr auto kDgrad = Direction::dgrad;
inline constexpr auto kWgrad = Direction::wgrad;

}  // namespace spb::mutants
