# SPDX-License-Identifier: Apache-2.0
# One vendor per build. The same .cu files are compiled by nvcc, by hipcc's clang, or, for host, as C++.
if(SPB_GPU STREQUAL "cuda")
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80-real;90a-real;80-virtual")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(SPB_DEVICE_LANGUAGE CUDA)
  target_compile_definitions(spb_options INTERFACE SPB_GPU_CUDA)
  target_compile_options(spb_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>")
  target_link_libraries(spb_options INTERFACE CUDA::cudart_static)
  # nvcc may have an older g++ of its own (CUDA 12.4 of Debian 13), whose libraries CMake names to the
  # linker: those of the compiler of C++ come first.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so
    OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${libstdcxx}")
    get_filename_component(libstdcxx "${libstdcxx}" DIRECTORY)
    target_link_options(spb_options INTERFACE -L${libstdcxx})
  endif()
elseif(SPB_GPU STREQUAL "hip")
  include(${CMAKE_CURRENT_LIST_DIR}/rocm.cmake)
  set(rocm_root "")
  if(NOT SPB_HIP_DEBIAN)
    spb_rocm_root(rocm_root "$ENV{ROCM_PATH}" /opt/rocm)
  endif()
  if(rocm_root AND NOT CMAKE_HIP_COMPILER)
    set(CMAKE_HIP_COMPILER ${rocm_root}/bin/amdclang++)
    list(APPEND CMAKE_PREFIX_PATH ${rocm_root})
  endif()
  set(chips_why "as asked for")
  if(NOT CMAKE_HIP_ARCHITECTURES)
    spb_chips_here(CMAKE_HIP_ARCHITECTURES "${rocm_root}")
    set(chips_why "the cards that are there")
    if(NOT CMAKE_HIP_ARCHITECTURES)
      set(CMAKE_HIP_ARCHITECTURES gfx90a)
      set(chips_why "no card was found: -DCMAKE_HIP_ARCHITECTURES chooses others")
    endif()
  endif()
  if(SPB_HIP_DEBIAN)
    spb_debian_refuses(refused ${CMAKE_HIP_ARCHITECTURES})
    if(refused)
      message(FATAL_ERROR "HIP: clang 15 of Debian 12 makes no code for ${refused}; install ROCm in /opt/rocm or set ROCM_PATH, and leave the toolchain file out")
    endif()
  endif()
  message(STATUS "HIP: for ${CMAKE_HIP_ARCHITECTURES} (${chips_why})")
  enable_language(HIP)
  set(CMAKE_HIP_STANDARD 20)  # CMake appends the standard it thinks of after the flags of spb_options
  find_package(hip REQUIRED CONFIG)
  set(SPB_DEVICE_LANGUAGE HIP)
  target_compile_definitions(spb_options INTERFACE SPB_GPU_HIP __HIP_PLATFORM_AMD__)
  # Sums of floats by the instruction that adds, not by a loop of compare and swap, which clang 15 and 19
  # make of them on gfx90a, gfx11 and gfx12. What it costs, by clang's documentation: memory must not be
  # fine-grained, and hipMalloc's is not; denormal numbers may become 0.
  target_compile_options(spb_options INTERFACE "$<$<COMPILE_LANGUAGE:HIP>:-munsafe-fp-atomics>")
  target_link_libraries(spb_options INTERFACE hip::host)
elseif(SPB_GPU STREQUAL "host")
  set(SPB_DEVICE_LANGUAGE CXX)
  set(SPB_HOST_LANES 32 CACHE STRING "lanes of a warp on host: 32, or 64 as on AMD's gfx9")
  set_property(CACHE SPB_HOST_LANES PROPERTY STRINGS 32 64)
  if(NOT SPB_HOST_LANES MATCHES "^(32|64)$")
    message(FATAL_ERROR "SPB_HOST_LANES is '${SPB_HOST_LANES}': 32 or 64")
  endif()
  target_compile_definitions(spb_options INTERFACE
    SPB_GPU_HOST SPB_HOST_LANES=${SPB_HOST_LANES})
else()
  message(FATAL_ERROR "SPB_GPU is '${SPB_GPU}': cuda, hip or host")
endif()

# spb_from_sm89(TARGET): code for sm_89 and sm_90, whatever else is compiled for. Other cards, sm_120
# among them, compile theirs when they first need it.
function(spb_from_sm89 target)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
  target_compile_options(${target} PRIVATE
    "--generate-code=arch=compute_89,code=[compute_89,sm_89,sm_90]")
endfunction()

# spb_sources(TARGET FILES...): adds files; .cu files get the vendor's language.
function(spb_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  set(device_files ${ARGN})
  list(FILTER device_files INCLUDE REGEX "\\.cu$")
  if(device_files)
    set_source_files_properties(${device_files} TARGET_DIRECTORY ${target}
      PROPERTIES LANGUAGE ${SPB_DEVICE_LANGUAGE})
  endif()
endfunction()
