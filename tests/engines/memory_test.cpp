// SPDX-License-Identifier: Apache-2.0
// The formulas of what algorithms take hold to the byte. On host: devices pick tiles that keep more
// (work items, tile indices).
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>

#include "algorithms/common/tf32_products.h"
#include "algorithms/named.h"
#include "data/generate.h"
#include "engines/native/account.h"
#include "engines/native/device_operands.h"
#include "engines/native/session.h"
#include "gpu/device_info.h"
#include "kernels/kernel_variants.h"
#include "kernels/wgrad/schedule.h"
#include "reference/reference.h"

namespace spb::engines {
namespace {

struct Bytes {
  int64_t persistent = 0, workspace = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Bytes& bytes) {
    return out << "persistent " << bytes.persistent << ", workspace " << bytes.workspace;
  }
};

int64_t tiles_of(int64_t size, int tile) { return (size + tile - 1) / tile; }

/// The sizes that formulas are made of.
class Formulas {
 public:
  Formulas(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels)
      : problem_(problem),
        name_(algorithm.name),
        map_(reference::build_map(voxels, problem.geometry)),
        n_in(voxels.size()),
        n_out(static_cast<int64_t>(map_.out_coords.size())),
        pairs_of(static_cast<size_t>(problem.kernel_volume())) {
    for (const Triple& triple : map_.triples) ++pairs_of[static_cast<size_t>(triple.offset)];
    const Session session(algorithm, problem, voxels, false);
    plan_ = session.plan->description();
    if (const auto at = plan_.params_json.find("\"split\":"); at != std::string::npos)
      split_ = std::stoi(plan_.params_json.substr(at + 8));
  }

  Bytes expected() const {
    Bytes bytes = (this->*known().at(name_))();
    if (!is_subm()) bytes.persistent += n_out * int64_t{sizeof(Coord)};
    return bytes;
  }

  /// Who has a formula; a new algorithm joins by adding its own.
  static const std::map<std::string_view, Bytes (Formulas::*)() const>& known() {
    static const std::map<std::string_view, Bytes (Formulas::*)() const> formulas{
        {"explicit_gemm", &Formulas::explicit_gemm},
        {"gather_scatter", &Formulas::gather_scatter},
        {"fused_gather_scatter", &Formulas::fused},
        {"grouped_gemm", &Formulas::grouped},
        {"implicit_gemm", &Formulas::implicit},
        {"implicit_gemm_splitk", &Formulas::implicit},
        {"masked_implicit_gemm", &Formulas::implicit},
        {"masked_implicit_gemm_splitk", &Formulas::implicit},
        {"split_masked_implicit_gemm", &Formulas::implicit}};
    return formulas;
  }

 private:
  bool is_masked() const { return !name_.starts_with("implicit"); }
  bool is_segmented() const { return name_ == "split_masked_implicit_gemm"; }
  bool is_splitk() const {
    return name_.ends_with("splitk") || is_segmented() || name_ == "grouped_gemm";
  }
  bool is_wgrad() const { return problem_.direction == Direction::wgrad; }
  bool is_dgrad() const { return problem_.direction == Direction::dgrad; }
  bool is_subm() const { return problem_.geometry.kind == ConvKind::subm; }
  int64_t kv() const { return problem_.kernel_volume(); }
  int64_t element() const { return info(problem_.dtype).input().bytes; }
  /// Rows and columns of what fprop or dgrad writes, and the channels it gathers.
  int64_t rows() const { return is_dgrad() ? n_in : n_out; }
  int64_t columns() const { return is_dgrad() ? problem_.c_in : problem_.c_out; }
  int64_t gathered() const { return is_dgrad() ? problem_.c_out : problem_.c_in; }
  /// Sums in fp32 of outputs that are stored as 16 bits.
  int64_t sums(int64_t count) const { return element() == 4 ? 0 : 4 * count; }
  int64_t neighbor_map() const { return 4 * kv() * rows(); }
  int64_t kernel_map() const {
    return 8 * static_cast<int64_t>(map_.triples.size()) + 8 * (kv() + 1);
  }

  /// Products of tf32 see rounded copies only.
  bool copies() const { return problem_.dtype == Dtype::tf32; }

  Bytes explicit_gemm() const {
    if (is_wgrad())
      return {neighbor_map(), n_out * kv() * problem_.c_in * element() +
                                  (copies() ? n_out * problem_.c_out * element() : 0) +
                                  sums(weight_count(problem_))};
    const int64_t weights = is_dgrad() || copies() ? weight_count(problem_) * element() : 0;
    return {neighbor_map(),
            rows() * kv() * gathered() * element() + weights + sums(rows() * columns())};
  }

  Bytes gather_scatter() const {
    int64_t longest = 0, gathered_rows = 0;
    for (size_t o = 0; o < pairs_of.size(); ++o) {
      const bool is_center = is_subm() && static_cast<int64_t>(o) == kv() / 2;
      if (!is_center) longest = std::max(longest, pairs_of[o]);  // the center is one dense product
      if (!is_center || copies()) gathered_rows = std::max(gathered_rows, pairs_of[o]);
    }
    const int64_t c_in = problem_.c_in, c_out = problem_.c_out;
    if (is_wgrad())
      return {kernel_map(),
              gathered_rows * (c_in + c_out) * element() + sums(weight_count(problem_))};
    return {kernel_map(), gathered_rows * gathered() * element() + longest * 4 * columns() +
                              (copies() ? weight_count(problem_) * element() : 0) +
                              sums(rows() * columns())};
  }

  /// Row written, row gathered at each position; an offset and a start of each tile.
  int64_t pair_tiles(int64_t& positions) const {
    const KernelVariant& tile = variant(row_variants());
    int64_t tiles = 0;
    for (const int64_t pairs : pairs_of) tiles += tiles_of(pairs, tile.tile_m);
    positions = tiles * tile.tile_m;
    return 8 * positions + 4 * tiles + 8 * (tiles + 1);
  }
  Bytes fused() const {
    if (is_wgrad()) return implicit_wgrad();
    int64_t positions = 0;
    const int64_t tiles = pair_tiles(positions);
    return {tiles, sums(rows() * columns())};
  }
  Bytes grouped() const {
    if (is_wgrad()) return implicit_wgrad();
    int64_t positions = 0;
    const int64_t tiles = pair_tiles(positions);
    return {tiles + neighbor_map(), 4 * positions * columns()};
  }

  Bytes implicit() const { return is_wgrad() ? implicit_wgrad() : implicit_rows(); }

  Bytes implicit_rows() const {
    Bytes bytes{neighbor_map(), is_splitk() ? 4 * split_ * rows() * columns() : 0};
    if (!is_masked()) return bytes;
    const KernelVariant& tile = variant(row_variants());
    const int64_t macs_per_row = int64_t{problem_.c_in} * problem_.c_out * tile.tile_m;
    const auto listed = static_cast<int64_t>(plan_.executed_macs) / macs_per_row;
    const int64_t orders = is_segmented() ? split_ : 1;
    bytes.persistent += orders * 4 * rows() + 4 * listed +
                        8 * (orders * tiles_of(rows(), tile.tile_m) + 1);  // orders and lists
    return bytes;
  }

  Bytes implicit_wgrad() const {
    const KernelVariant& tile = variant(wgrad_variants());
    plans::WgradWork work;
    work.pairs = is_masked() ? pairs_of : std::vector<int64_t>(pairs_of.size(), n_out);
    work.tiles = static_cast<int>(tiles_of(problem_.c_out, tile.tile_m) *
                                  tiles_of(problem_.c_in, tile.tile_n));
    work.tile_k = tile.tile_k;
    const plans::WgradSchedule schedule =
        is_splitk() ? plans::split_units(work, kHostBlocks) : plans::whole_units(work);
    const auto bytes = [](const auto& list) {
      return static_cast<int64_t>(list.size() * sizeof(list[0]));
    };
    return {(is_masked() ? kernel_map() : neighbor_map()) + 48 * schedule.pieces +
                4 * (schedule.blocks + 1) + bytes(schedule.sums),
            4 * schedule.slices * tile.tile_m * tile.tile_n};
  }

  const KernelVariant& variant(std::span<const KernelVariant> all) const {
    return *std::ranges::find(all, plan_.kernel,
                              [](const KernelVariant& v) { return std::string(v.name); });
  }

  static constexpr int kHostBlocks = 8 * 4;  // blocks at a time that the host's plans assume
  const Problem& problem_;
  std::string_view name_;
  MapSet map_;

 public:
  const int64_t n_in, n_out;

 private:
  std::vector<int64_t> pairs_of;
  PlanDescription plan_;
  int split_ = 1;
};

class Memory : public testing::TestWithParam<std::string_view> {};

TEST_P(Memory, FormulasHoldToTheByte) {
  if (!gpu::on_host()) GTEST_SKIP() << "devices pick tiles that keep more";
  const Algorithm& algorithm = algorithm_named(std::string(GetParam()));
  plans::tf32_products.of_rounded_copies = true;  // as on devices whose products need them
  const VoxelSet voxels = data::generate("sphere:16");
  for (const ConvGeometry& geometry :
       {ConvGeometry{},
        ConvGeometry{.kind = ConvKind::strided, .kernel_size = {2, 2, 2}, .stride = {2, 2, 2}}})
    for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
      for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::f16}) {
        Problem problem{.geometry = geometry, .c_in = 24, .c_out = 40, .dtype = dtype};
        problem.direction = direction;
        problem.bias = false;
        const Formulas formulas(algorithm, problem, voxels);
        const MemoryUse use = account(algorithm, problem, voxels, {formulas.n_in, formulas.n_out});
        const std::string what = to_text(problem);
        EXPECT_EQ((Bytes{use.persistent_bytes, use.workspace_bytes}), formulas.expected()) << what;
        EXPECT_EQ(use.run_alloc_count, 0) << what;
        EXPECT_EQ(use.leak_bytes, 0) << what;
        // The peak holds at least all that lives during run().
        EXPECT_GE(use.peak_total_bytes, operand_bytes(problem, {formulas.n_in, formulas.n_out}) +
                                            use.persistent_bytes + use.workspace_bytes)
            << what;
      }
  plans::tf32_products = {};
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> names;
  for (const auto& [name, formula] : Formulas::known()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, Memory, testing::ValuesIn(names()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace spb::engines
