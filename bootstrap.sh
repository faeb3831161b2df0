#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian 12 to a built, tested or running spconv-bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./bootstrap.sh COMMAND [--vendor cuda|hip|host] [--jobs N]

  build   install what is missing and build the program, build/<vendor>/spconv-bench
  test    build program and tests, then run the whole test suite
  demo    build, fetch a real scan, run every algorithm on it, print a table and the paths written

The vendor is picked by what the machine has: a working NVIDIA GPU and nvcc, a working AMD GPU and
hipcc, else host (no GPU needed; kernels run on the CPU). --vendor overrides.
TEXT
}

say() { printf '\033[1m%s\033[0m\n' "bootstrap: $*" >&2; }
die() { printf 'error: bootstrap: %s\n' "$*" >&2; exit "${2:-2}"; }

packages_common=(
  g++ cmake ninja-build pkg-config git ca-certificates
  libcli11-dev libfmt-dev libeigen3-dev libtomlplusplus-dev nlohmann-json3-dev
  libcsv-dev libzip-dev zlib1g-dev liblzf-dev liblzma-dev libssl-dev libboost-context-dev libgtest-dev
  gnuplot-nox)
packages_hip=(hipcc libamdhip64-dev librocprim-dev rocm-device-libs rocm-cmake clang-15 lld-15)

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "these Debian packages are missing and this user cannot install them: ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

find_nvcc() { PATH="$PATH:/usr/local/cuda/bin" command -v nvcc; }

pick_vendor() {
  if nvidia-smi -L >/dev/null 2>&1; then
    if find_nvcc >/dev/null; then vendor=cuda why="nvidia-smi lists a GPU and nvcc is installed"; return; fi
    why="a GPU is listed by nvidia-smi, but there is no nvcc"
  elif [[ -e /dev/kfd ]]; then
    if command -v hipcc >/dev/null; then vendor=hip why="/dev/kfd exists and hipcc is installed"; return; fi
    why="/dev/kfd exists, but there is no hipcc"
  else
    why="no NVIDIA and no AMD GPU found"
  fi
  vendor=host
}

# build TESTS: ON builds the tests too, more than half of the work.
build() {
  install_packages "${packages_common[@]}"
  local options=(-DCMAKE_BUILD_TYPE=Release "-DSPB_GPU=$vendor" "-DSPB_TESTS=$1")
  case $vendor in
    cuda)
      nvcc=$(find_nvcc) || die "--vendor cuda: nvcc is not found; install the CUDA toolkit (12.4 or newer)"
      options+=("-DCMAKE_CUDA_COMPILER=$nvcc")
      ;;
    hip)
      install_packages "${packages_hip[@]}"
      options+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/hip-debian.cmake")
      ;;
  esac
  cmake -S . -B "build/$vendor" -G Ninja "${options[@]}" >"build-$vendor.log" 2>&1 ||
    { cat "build-$vendor.log" >&2; die "cmake failed" 4; }
  rm -f "build-$vendor.log"
  ninja -C "build/$vendor" -j "$jobs" >&2
  say "built build/$vendor/spconv-bench"
}

run_tests() {
  build ON
  ctest --test-dir "build/$vendor" --output-on-failure -j "$jobs"
}

demo() {
  build OFF
  say "fetching room_scan1, a room by a rotating scanner (BSD-3-Clause)"
  install_packages bzip2
  datasets/fetch.sh room_scan1 >&2
  say "every algorithm, direction and dtype on room_scan1, 16 -> 32 channels, verified and timed"
  "build/$vendor/spconv-bench" run --config configs/suites/demo.toml --out "results/demo-$vendor"
}

command=${1:-help}
shift || true
vendor='' why='' jobs=$(nproc)
while (($#)); do
  case $1 in
    --vendor) [[ ${2:-} =~ ^(cuda|hip|host)$ ]] || die "--vendor: \"${2:-}\" is unknown; use cuda, hip or host"; vendor=$2 why='--vendor'; shift 2 ;;
    --jobs) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "--jobs: a positive number is needed"; jobs=$2; shift 2 ;;
    *) usage >&2; die "\"$1\" is unknown" ;;
  esac
done
case $command in
  build | test | demo) ;;
  help | -h | --help) usage; exit 0 ;;
  *) usage >&2; die "\"$command\" is unknown; use build, test or demo" ;;
esac
[[ -n $vendor ]] || pick_vendor
say "vendor $vendor ($why)"
case $command in
  build) build OFF ;;
  test) run_tests ;;
  demo) demo ;;
esac
