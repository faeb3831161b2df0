// SPDX-License-Identifier: Apache-2.0
// Included before every HIP file by hip-debian.cmake: clang 15 crashes on libstdc++'s std::pair
// with concepts when it infers whether a copy assignment may run on the device. This takes
// the pair of C++17 instead.
#pragma once

#include <compare>
#include <concepts>

#pragma push_macro("__cpp_lib_concepts")
#undef __cpp_lib_concepts
#include <bits/stl_pair.h>
#pragma pop_macro("__cpp_lib_concepts")
