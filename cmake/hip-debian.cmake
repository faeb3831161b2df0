# SPDX-License-Identifier: Apache-2.0
# Toolchain of Debian 12's packaged HIP (ROCm 5.2.3, clang 15), which CMake cannot use as it lies:
#   cmake -S . -B build/hip -G Ninja -DSPB_GPU=hip -DCMAKE_TOOLCHAIN_FILE=cmake/hip-debian.cmake
#
# CMake expects ROCm in a folder of its own with lib/, include/ and bin/. A folder of links into
# the build tree looks like one.
set(SPB_HIP_DEBIAN ON)
set(library_folder /usr/lib/x86_64-linux-gnu)
set(rocm_root ${CMAKE_BINARY_DIR}/rocm)
file(MAKE_DIRECTORY ${rocm_root})
foreach(link "lib=${library_folder}" "include=/usr/include" "bin=/usr/bin")
  string(REPLACE "=" ";" link "${link}")
  list(GET link 0 name)
  list(GET link 1 target)
  if(NOT EXISTS ${rocm_root}/${name})
    file(CREATE_LINK ${target} ${rocm_root}/${name} SYMBOLIC)
  endif()
endforeach()

set(CMAKE_HIP_COMPILER /usr/bin/clang++-15)
set(CMAKE_HIP_COMPILER_ROCM_ROOT ${rocm_root})
set(CMAKE_HIP_FLAGS_INIT
  "--rocm-path=/usr --rocm-device-lib-path=${library_folder}/amdgcn/bitcode \
-include ${CMAKE_CURRENT_LIST_DIR}/hip-debian.h")
list(APPEND CMAKE_PREFIX_PATH ${library_folder}/cmake)
