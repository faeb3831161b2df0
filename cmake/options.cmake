# SPDX-License-Identifier: Apache-2.0
# Flags every target shares.
add_library(spb_options INTERFACE)

# CMake up to 3.25 drops CUDA_STANDARD 20 in silence, so the standard is spelled out for all languages.
target_compile_options(spb_options INTERFACE -std=c++20)

set(warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlaps in std::string that do not exist (GCC bug 105651).
  list(APPEND warnings -Wno-restrict)
  # GCC 13 and 14 do not see that what is loaded under a condition is stored under the same one.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    list(APPEND warnings -Wno-maybe-uninitialized)
  endif()
endif()
target_compile_options(spb_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
  $<$<COMPILE_LANGUAGE:HIP>:-Wall -Wextra>)
# Elsewhere a compiler that knows more warnings than ours must not stop a build.
if(SPB_WERROR)
  target_compile_options(spb_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX,HIP>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()

# No contraction: host results do not depend on where a compiler finds an fma.
target_compile_options(spb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(SPB_NATIVE)
  target_compile_options(spb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()

# spb_quick_to_build(TARGET): for what computes nothing that anybody waits for, a third less of the
# compiler's time; sanitized, half of it. GCC 12 sees variables at -O1 as perhaps unset that it knows
# to be set at -O3.
function(spb_quick_to_build target)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-O1;-Wno-maybe-uninitialized>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SPB_SANITIZE}>>:-O0>)
endfunction()

# spb_in_groups(TARGET): several files to one run of the compiler, which spends most of its time on
# the headers that they share. A change then compiles its whole group again: turn it off to work on
# the sources.
option(SPB_GROUPS "compile files of the same folder in groups" ON)
function(spb_in_groups target)
  if(SPB_GROUPS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# spb_by_itself(TARGET FILES...): keeps large files of a target out of its groups.
function(spb_by_itself target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# spb_device_in_groups(TARGET): the same of the target's .cu files, fewer in a group, as they hold
# more: CMake groups those of C++ alone. The property SPB_GROUPED of the target lists them.
function(spb_device_in_groups target)
  if(NOT SPB_GROUPS)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/.*\\.cu$")
  set_target_properties(${target} PROPERTIES SPB_GROUPED "${files}")
  set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  set(number 0)
  while(files)
    list(SUBLIST files 0 9 group)
    list(REMOVE_ITEM files ${group})
    list(TRANSFORM group REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN group "" group)
    math(EXPR number "${number} + 1")
    set(file ${CMAKE_CURRENT_BINARY_DIR}/groups/${target}_${number}.cu)
    file(CONFIGURE OUTPUT ${file} CONTENT "${group}")
    spb_sources(${target} ${file})
    spb_by_itself(${target} ${file})
  endwhile()
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
