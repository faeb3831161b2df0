// SPDX-License-Identifier: Apache-2.0
// The layers and directions that mutants are wrong in.
#pragma once

#include "core/problem.h"

namespace spb::mutants {

struct Layer {
  const char* name;
  const char* options;  ///< of the command line
};
inline constexpr Layer kSubm{"subm", "--channels 32:64 --kernel-size 3"},
    kFewChannels{"1 to 2 channels", "--channels 1:2 --kernel-size 3"},
    kStrided{"strided", "--channels 32:64 --kernel-size 2 --stride 2"},
    kDepthwise{"depthwise", "--channels 48 --groups depthwise --kernel-size 3"},
    kInverse{"inverse", "--channels 32:64 --conv-kind inverse --kernel-size 2 --stride 2"},
    kRelu{"relu", "--channels 32:64 --kernel-size 3 --epilogue relu"},
    kFused{"residual+relu", "--channels 32:64 --kernel-size 3 --epilogue residual+relu"},
    kHswish{"residual+hswish", "--channels 32:64 --kernel-size 3 --epilogue residual+hswish"},
    kInteger{"subm of integers", "--channels 32:64 --kernel-size 3 --epilogue residual+relu"},
    kTwoTiles{"two tiles of columns", "--channels 16:128 --kernel-size 3"},
    kDeep{"128 channels to 16", "--channels 128:16 --kernel-size 3"},
    kSums{"sums of 128 channels", "--channels 128:16 --kernel-size 3 --bias false"},
    kGenerative{"generative", "--channels 32:64 --conv-kind generative --kernel-size 2 --stride 2"};
inline constexpr auto kFprop = Direction::fprop;
inline constexpr auto kDgrad = Direction::dgrad;
inline constexpr auto kWgrad = Direction::wgrad;

}  // namespace spb::mutants
