# SPDX-License-Identifier: Apache-2.0
# Flags every target shares.
add_library(spb_options INTERFACE)

# CMake 3.25 drops CUDA_STANDARD 20 in silence, so the standard is spelled out for all languages.
target_compile_options(spb_options INTERFACE -std=c++20)

set(warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlaps in std::string that do not exist (GCC bug 105651).
  list(APPEND warnings -Wno-restrict)
endif()
target_compile_options(spb_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
  $<$<COMPILE_LANGUAGE:HIP>:-Wall -Wextra -Werror>)

# No contraction: host results do not depend on where a compiler finds an fma.
target_compile_options(spb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(SPB_NATIVE)
  target_compile_options(spb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()

# spb_quick_to_build(TARGET): for what computes nothing that anybody waits for, a third less of the
# compiler's time. GCC 12 sees variables at -O1 as perhaps unset that it knows to be set at -O3.
function(spb_quick_to_build target)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-O1;-Wno-maybe-uninitialized>)
endfunction()

# spb_in_groups(TARGET): several files to one run of the compiler, which spends most of its time on
# the headers that they share. A change then compiles its whole group again: turn it off to work on
# the sources.
option(SPB_GROUPS "compile files of the same folder in groups" ON)
function(spb_in_groups target)
  if(SPB_GROUPS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# ThreadSanitizer cannot be joined with the others: a build of its own.
if(SPB_SANITIZE STREQUAL "thread")
  set(sanitizers thread)
elseif(SPB_SANITIZE)
  set(sanitizers address,undefined)
endif()
if(sanitizers)
  target_compile_options(spb_options INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(spb_options INTERFACE -fsanitize=${sanitizers})
endif()

find_package(Threads REQUIRED)
target_link_libraries(spb_options INTERFACE Threads::Threads)
target_include_directories(spb_options INTERFACE ${CMAKE_SOURCE_DIR}/lib)
