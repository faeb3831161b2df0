// SPDX-License-Identifier: Apache-2.0
#include "gpu/mma/matrix_twin_host.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

namespace spb::gpu {
namespace {

constexpr int kMostDepth = 16, kMostWords = 4;  // of all atoms; of a lane's fragment

MatrixArithmetic arithmetic_from_environment() {
  const char* chip = std::getenv("SPB_HOST_CHIP");
  return chip && std::string_view(chip) == "gfx90a" ? MatrixArithmetic::gfx90a
                                                    : MatrixArithmetic::gfx942;
}

int bytes_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 2; }

/// The fragments of all lanes of the warp.
struct Fragments {
  uint64_t words[kMostWords][vendor::kWarpSize];

  Fragments(const MatrixAtom& atom, const void* own, const vendor::Site& site) {
    const size_t bytes = static_cast<size_t>(atom.table.elements() * bytes_of(atom.dtype));
    for (size_t w = 0; w * 8 < bytes; ++w) {
      uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(own) + w * 8, std::min<size_t>(8, bytes - w * 8));
      const vendor::WarpValues warp = vendor::exchange_lanes(word, site);
      std::memcpy(words[w], warp.values, sizeof words[w]);
    }
  }

  float element(Dtype dtype, int lane, int index) const {
    const int per_word = 8 / bytes_of(dtype);
    const uint64_t bits = words[index / per_word][lane] >>
                          (static_cast<unsigned>(index % per_word * bytes_of(dtype)) * 8);
    if (dtype == Dtype::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    return dtype == Dtype::f16 ? vendor::decode_f16(static_cast<uint16_t>(bits))
                               : vendor::decode_bf16(static_cast<uint16_t>(bits));
  }

  /// Of a row of A or a column of B, in order of k. Where lanes repeat a line and do not agree, it
  /// is not defined which of them counts: NaN.
  void line(const MatrixAtom& atom, int line, float (&values)[kMostDepth]) const {
    const LaneTable& table = atom.table;
    for (int group = 0; group < table.groups(); ++group)
      for (int e = 0; e < table.elements(); ++e) {
        const int lane = line + group * table.size;
        const float value = element(atom.dtype, lane, e);
        float& to = values[table.k(lane, e)];
        const bool agree = !table.repeat || group == 0 ||
                           std::bit_cast<uint32_t>(to) == std::bit_cast<uint32_t>(value);
        to = agree ? value : std::numeric_limits<float>::quiet_NaN();
      }
  }
};

}  // namespace

MatrixArithmetic host_matrix_arithmetic = arithmetic_from_environment();

void vendor::multiply_as_twin(const MatrixAtom& atom, const void* a, const void* b, float* sums,
                              const Site& site) {
  const Fragments all_a(atom, a, site), all_b(atom, b, site);
  const LaneTable& table = atom.table;
  const int own = lane_index();
  const auto arithmetic =
      atom.cores == MatrixCores::cdna ? host_matrix_arithmetic : MatrixArithmetic::fused;
  const auto depth = static_cast<size_t>(table.depth);
  float row[kMostDepth], column[kMostDepth];
  all_b.line(atom, table.line(own), column);
  for (int r = 0; r < table.sums(); ++r) {
    all_a.line(atom, table.row(own, r), row);
    sums[r] = add_products(arithmetic, atom.dtype, {row, depth}, {column, depth}, sums[r]);
  }
}

}  // namespace spb::gpu
