#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian or Ubuntu to a built, tested or running spconv-bench. docs/installing.md says where it was tried.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./bootstrap.sh COMMAND [--vendor cuda|hip|host] [--jobs N] [--all] [-- CMAKE_OPTION...]

  build   install what is missing and build the program, build/<vendor>/spconv-bench
  test    build program and tests, then run the whole test suite
  plan    say what build would install and ask of CMake, and do nothing
  demo    build, run every algorithm on a scan of a room, print a table and the paths written

The vendor is picked by what the machine has: a working NVIDIA GPU and nvcc, a working AMD GPU and
hipcc or ROCm, else host (no GPU needed; kernels run on the CPU). --vendor overrides. ROCm in ROCM_PATH
or /opt/rocm is preferred to Debian's packages of HIP.
demo takes less than a minute on the CPU: one dtype, large voxels, few samples. --all runs on it what
demo runs on a GPU, every dtype at 0.05 m, which takes two cores minutes.
Packages are installed as root or by sudo. Without, what is missing is named; a header-only library
is then downloaded as a pinned release (-- -DSPB_FETCH=OFF forbids it).
TEXT
}

say() { printf '\033[1m%s\033[0m\n' "bootstrap: $*" >&2; }
die() { printf 'error: bootstrap: %s\n' "$1" >&2; exit "${2:-2}"; }

packages_build=(
  g++ cmake ninja-build pkg-config ca-certificates
  libcli11-dev libfmt-dev libeigen3-dev libtomlplusplus-dev nlohmann-json3-dev
  libcsv-dev libzip-dev zlib1g-dev liblzf-dev liblzma-dev libssl-dev libboost-context-dev)
packages_test=(libgtest-dev)
packages_optional=(git gnuplot-nox) # the commit in records; plots of report
packages_hip=(hipcc libamdhip64-dev librocprim-dev rocm-device-libs rocm-cmake clang-15 lld-15)

# What a distribution calls otherwise: distribution, package, its name there; "-" if it has none.
names_there='
ubuntu-22.04 g++                 g++-12
ubuntu-22.04 libtomlplusplus-dev -
'
tried=' debian-12 debian-13 ubuntu-22.04 ubuntu-24.04 '

distribution=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown}-${VERSION_ID:-}" || echo unknown)

# The names of packages on this distribution.
named_here() {
  local package name
  for package in "$@"; do
    name=$(awk -v d="$distribution" -v p="$package" '$1 == d && $2 == p { print $3 }' <<<"$names_there")
    echo "${name:-$package}"
  done
}

not_installed() {
  local package
  for package in $(named_here "$@"); do
    if [[ $package != - ]] && ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
      echo "$package"
    fi
  done
}

# install_packages PACKAGE...: as root or by sudo. Without, it goes on if CMake can replace all that is missing.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg on this system: install the libraries yourself; CMake names what is missing"
    return
  fi
  local missing=() as_root=()
  # shellcheck disable=SC2207  # names of packages; a root file system without /proc has no <()
  missing=($(not_installed "$@"))
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null && sudo -v || { go_on_without "${missing[@]}"; return; }
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed, going on with the lists that are there"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get cannot install ${missing[*]}" 4
}

go_on_without() {
  local package needed=() replaced=()
  for package in "$@"; do
    if grep -q "^spb_headers(.* $package " cmake/libraries.cmake; then replaced+=("$package")
    elif [[ " ${packages_optional[*]} " == *" $package "* ]]; then say "without $package, which this user cannot install"
    else needed+=("$package"); fi
  done
  ((${#needed[@]} == 0)) ||
    die "these packages are missing and this user cannot install them; as root: apt-get install ${needed[*]} ${replaced[*]}"
  ((${#replaced[@]} == 0)) || say "missing, a pinned release is downloaded instead: ${replaced[*]}"
}

find_nvcc() { PATH="$PATH:/usr/local/cuda/bin" command -v nvcc; }

# The folder of a ROCm with AMD's own compiler, which knows chips that Debian's packages do not.
rocm_root() {
  local root
  for root in "${ROCM_PATH:-}" /opt/rocm; do
    if [[ -n $root && -x $root/bin/amdclang++ ]]; then echo "$root"; return; fi
  done
  return 1
}

pick_vendor() {
  if nvidia-smi -L >/dev/null 2>&1; then
    if find_nvcc >/dev/null; then vendor=cuda why="nvidia-smi lists a GPU and nvcc is installed"; return; fi
    why="a GPU is listed by nvidia-smi, but there is no nvcc"
  elif [[ -e /dev/kfd ]]; then
    if rocm_root >/dev/null; then vendor=hip why="/dev/kfd exists and ROCm is in $(rocm_root)"; return; fi
    if command -v hipcc >/dev/null; then vendor=hip why="/dev/kfd exists and hipcc is installed"; return; fi
    why="/dev/kfd exists, but there is no hipcc and no ROCm in /opt/rocm or ROCM_PATH"
  else
    why="no NVIDIA and no AMD GPU found"
  fi
  vendor=host
}

# The distribution's own compiler may be too old; CXX overrides.
pick_compiler() {
  local compiler
  compiler=$(named_here g++)
  [[ -z ${CXX:-} && $compiler != g++ ]] || return 0
  options+=("-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_C_COMPILER=${compiler/g++/gcc}")
  [[ $vendor != cuda ]] || options+=("-DCMAKE_CUDA_HOST_COMPILER=$compiler")
}

# build TESTS: ON builds the tests too, more than half of the work.
build() {
  [[ $tried == *" $distribution "* ]] || say "$distribution was never tried, going on with Debian's names of packages"
  local rocm=''
  [[ $vendor != hip ]] || rocm=$(rocm_root) || [[ $distribution == debian-12 ]] ||
    die "--vendor hip: needs ROCm in /opt/rocm or ROCM_PATH, or the HIP packages of Debian 12; this is $distribution"
  local packages=("${packages_build[@]}" "${packages_optional[@]}")
  [[ $1 == OFF ]] || packages+=("${packages_test[@]}")
  [[ $vendor != hip || -n $rocm ]] || packages+=("${packages_hip[@]}")
  [[ -n $plan ]] || install_packages "${packages[@]}"
  local options=(-DCMAKE_BUILD_TYPE=Release "-DSPB_GPU=$vendor" "-DSPB_TESTS=$1")
  pick_compiler
  case $vendor in
    cuda)
      nvcc=$(find_nvcc) || die "--vendor cuda: nvcc is not found; install the CUDA toolkit (12.4 or newer)"
      options+=("-DCMAKE_CUDA_COMPILER=$nvcc")
      ;;
    hip)
      if [[ -n $rocm ]]; then
        export ROCM_PATH=$rocm
        say "HIP of $rocm"
      else
        say "HIP of Debian's packages, clang 15"
        options+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/hip-debian.cmake")
      fi
      ;;
  esac
  if [[ -n $plan ]]; then
    echo "packages: ${packages[*]}"
    echo "cmake: ${options[*]} ${cmake_options[*]}"
    return
  fi
  cmake -S . -B "build/$vendor" -G Ninja "${options[@]}" "${cmake_options[@]}" >"build-$vendor.log" 2>&1 ||
    { cat "build-$vendor.log" >&2; die "cmake failed" 4; }
  sed -n 's/^-- \(HIP: for\)/\1/p' "build-$vendor.log" >&2
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
  local suite=demo_all sampling=()
  [[ $vendor != host || -n $all ]] || { suite=demo; sampling=(--max-time 0.2 --min-samples 3); }
  say "suite $suite: a room by a rotating scanner, 16 -> 32 channels, verified and timed"
  "build/$vendor/spconv-bench" run --config "$suite" "${sampling[@]}" --out "results/$suite-$vendor"
}

command=${1:-help}
shift || true
vendor='' why='' plan='' jobs=$(nproc) all='' cmake_options=()
while (($#)); do
  case $1 in
    --vendor) [[ ${2:-} =~ ^(cuda|hip|host)$ ]] || die "--vendor: \"${2:-}\" is unknown; use cuda, hip or host"; vendor=$2 why='--vendor'; shift 2 ;;
    --jobs) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "--jobs: a positive number is needed"; jobs=$2; shift 2 ;;
    --all) [[ $command == demo ]] || die "--all is for demo"; all=yes; shift ;;
    --) shift; cmake_options=("$@"); break ;;
    *) usage >&2; die "\"$1\" is unknown" ;;
  esac
done
case $command in
  build | plan | test | demo) ;;
  help | -h | --help) usage; exit 0 ;;
  *) usage >&2; die "\"$command\" is unknown; use build, plan, test or demo" ;;
esac
[[ -n $vendor ]] || pick_vendor
say "vendor $vendor ($why)"
case $command in
  build) build OFF ;;
  plan) plan=yes; build OFF ;;
  test) run_tests ;;
  demo) demo ;;
esac
