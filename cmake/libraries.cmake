# SPDX-License-Identifier: Apache-2.0
# Every library comes from a package of the distribution. What is header-only falls back on a pinned
# release (SPB_FETCH); bootstrap.sh reads the rows that have one, so each stands on a line of its own.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # files of a release are as new as their download
endif()
option(SPB_FETCH "download a pinned release of a header-only library that is missing" ON)
find_package(PkgConfig)
set(SPB_MISSING "")

function(spb_missing library package)
  set(SPB_MISSING "${SPB_MISSING}\n  ${library} (Debian, Ubuntu: ${package})" PARENT_SCOPE)
endfunction()

# spb_library(NAME VERSION TARGET PACKAGE): what CMake finds by itself. VERSION 0 takes any.
macro(spb_library name version target package)
  find_package(${name} ${version} QUIET ${ARGN})
  if(NOT TARGET ${target})
    spb_missing("${name}" ${package})
  endif()
endmacro()

# Downloads by itself: FetchContent tries six times, for a minute and a half, and then prints a page.
# FETCHCONTENT_SOURCE_DIR_<NAME> names an unpacked release instead.
macro(spb_fetch name package sha256 url)
  string(TOUPPER FETCHCONTENT_SOURCE_DIR_${name} unpacked)
  set(archive ${CMAKE_BINARY_DIR}/releases/${name}.tar.gz)
  if(NOT ${unpacked})
    message(STATUS "${name}: ${package} is not installed or too old, taking ${url}")
    file(DOWNLOAD ${url} ${archive} STATUS downloaded INACTIVITY_TIMEOUT 20)
    file(SHA256 ${archive} found)
    if(NOT found STREQUAL "${sha256}")
      file(REMOVE ${archive})
      message(FATAL_ERROR "${name} is missing or too old, and ${url} cannot be had "
        "(status ${downloaded}, SHA-256 ${found}). "
        "Install ${package}, or unpack that release and name its folder by -D${unpacked}=FOLDER.")
    endif()
  endif()
  FetchContent_Declare(${name} URL ${archive} URL_HASH SHA256=${sha256} SOURCE_SUBDIR no-build)
  FetchContent_MakeAvailable(${name})
endmacro()

# spb_headers(NAME VERSION TARGET PACKAGE FOLDER SHA256 URL): a header-only library. FOLDER of the
# release holds its headers; nothing of the release's own build is run.
macro(spb_headers name version target package folder sha256 url)
  find_package(${name} ${version} QUIET)
  if(NOT TARGET ${target} AND SPB_FETCH)
    spb_fetch(${name} ${package} ${sha256} ${url})
    string(TOLOWER ${name} fetched)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE ${${fetched}_SOURCE_DIR}/${folder})
  elseif(NOT TARGET ${target})
    spb_missing("${name}" ${package})
  endif()
endmacro()

# spb_pkg_config(NAME PACKAGE): the target PkgConfig::NAME.
macro(spb_pkg_config name package)
  if(PkgConfig_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${name})
  endif()
  if(NOT TARGET PkgConfig::${name})
    spb_missing("${name}" "${package} pkg-config")
  endif()
endmacro()

set(github https://github.com)
#           name          least   target                      package              folder  sha256, url
spb_headers(CLI11         2.1     CLI11::CLI11                libcli11-dev         include f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a ${github}/CLIUtils/CLI11/archive/v2.4.2.tar.gz)
spb_headers(fmt           8.1     fmt::fmt                    libfmt-dev           include 1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811 ${github}/fmtlib/fmt/archive/10.2.1.tar.gz)
spb_headers(Eigen3        3.4     Eigen3::Eigen               libeigen3-dev        .       b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626 https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.bz2)
spb_headers(tomlplusplus  3.0     tomlplusplus::tomlplusplus  libtomlplusplus-dev  include 8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155 ${github}/marzer/tomlplusplus/archive/v3.4.0.tar.gz)
spb_headers(nlohmann_json 3.10    nlohmann_json::nlohmann_json nlohmann-json3-dev  include 0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406 ${github}/nlohmann/json/archive/v3.11.3.tar.gz)
spb_library(OpenSSL       3.0     OpenSSL::Crypto             libssl-dev)
spb_library(ZLIB          1.2     ZLIB::ZLIB                  zlib1g-dev)
spb_library(LibLZMA       5.2     LibLZMA::LibLZMA            liblzma-dev)
spb_pkg_config(libzip libzip-dev)
spb_pkg_config(liblzf liblzf-dev)
find_path(LIBCSV_INCLUDE_DIR csv.h)
find_library(LIBCSV_LIBRARY csv)
if(NOT LIBCSV_INCLUDE_DIR OR NOT LIBCSV_LIBRARY)
  spb_missing(libcsv libcsv-dev)
endif()
if(SPB_GPU STREQUAL "host")
  spb_library(Boost 1.74 Boost::context libboost-context-dev COMPONENTS context)
endif()
if(SPB_TESTS)
  spb_library(GTest 1.11 GTest::gtest libgtest-dev)
endif()

# A release is used as headers alone; fmt must be told.
if(fmt_SOURCE_DIR)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
if(SPB_MISSING)
  message(FATAL_ERROR "these libraries are missing or too old:${SPB_MISSING}\n"
    "Install them, or run ./bootstrap.sh build; SPB_FETCH is ${SPB_FETCH}.")
endif()
