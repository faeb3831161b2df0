// SPDX-License-Identifier: Apache-2.0
// Lane tables of matrix cores, held against what the device, or its twin, multiplies. Where
// warps have another width, or the chip other cores, an atom is skipped.
#include "gpu/mma/matrix_cores.cuh"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

#include "both_orders.h"
#include "core/dtype.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

/// A wavefront's fragments as they lie: [lane][element], [lane][sum].
template <class Atom>
GPU_KERNEL void __launch_bounds__(64)
    matrix_atom_kernel(const typename Atom::Storage* a, const typename Atom::Storage* b,
                       typename Atom::Sum* sums) {
  if constexpr (Atom::kPresent) {
    typename Atom::Operand own_a, own_b;
    typename Atom::Sums own;
    GPU_UNROLL
    for (int e = 0; e < Atom::kElements; ++e) own_a[e] = a[lane() * Atom::kElements + e];
    GPU_UNROLL
    for (int e = 0; e < Atom::kElements; ++e) own_b[e] = b[lane() * Atom::kElements + e];
    GPU_UNROLL
    for (int r = 0; r < Atom::kSums; ++r) own[r] = sums[lane() * Atom::kSums + r];
    Atom::multiply(own, own_a, own_b);
    GPU_UNROLL
    for (int r = 0; r < Atom::kSums; ++r) sums[lane() * Atom::kSums + r] = own[r];
  }
}

using Matrix = std::vector<std::vector<float>>;

/// Row-major: A [size][depth], B [depth][size], C and D [size][size].
struct Product {
  Matrix a, b, c;
};

Matrix matrix_of(int rows, int columns, const std::function<float()>& draw) {
  Matrix matrix(static_cast<size_t>(rows), std::vector<float>(static_cast<size_t>(columns)));
  for (auto& row : matrix)
    for (float& value : row) value = draw();
  return matrix;
}

Product integer_product(const LaneTable& table, std::mt19937& random) {
  const auto draw = [&] { return static_cast<float>(static_cast<int>(random() % 17) - 8); };
  return {matrix_of(table.size, table.depth, draw), matrix_of(table.depth, table.size, draw),
          matrix_of(table.size, table.size, draw)};
}

/// E::store() is the device's.
template <class E>
typename E::Storage stored(float value) {
  typename E::Storage element{};
  encode({&value, 1}, info(E::dtype).in, &element);
  return element;
}

template <class E, MatrixCores Cores, int Size>
struct Kind {
  using Element = E;
  using Atom = MatrixAtomOf<E, Cores, Size>;
};

template <class K>
class MatrixAtoms : public testing::Test {
 protected:
  using E = typename K::Element;
  using Atom = typename K::Atom;
  using Storage = typename E::Storage;
  using Sum = typename E::Sum;
  static constexpr LaneTable kTable = Atom::kTable;

  void SetUp() override {
    const DeviceInfo device = list_devices()[0];
    const bool runs =
        on_host() ? device.warp_size == kTable.lanes : has_matrix_cores(device.arch, Atom::kCores);
    if (!runs) GTEST_SKIP() << Atom::kAtom.name << " is of other wavefronts or chips";
  }

  struct Fragments {
    std::vector<Storage> a, b;
    std::vector<Sum> sums;
  };

  static size_t at(int lane, int count, int index) {
    return static_cast<size_t>(lane * count + index);
  }

  static Fragments fragments_of(const LaneTable& table, const Product& product) {
    Fragments f;
    for (int lane = 0; lane < table.lanes; ++lane) {
      const auto line = static_cast<size_t>(table.line(lane));
      for (int e = 0; e < table.elements(); ++e) {
        const auto k = static_cast<size_t>(table.k(lane, e));
        f.a.push_back(stored<E>(product.a[line][k]));
        f.b.push_back(stored<E>(product.b[k][line]));
      }
      for (int r = 0; r < table.sums(); ++r)
        f.sums.push_back(
            static_cast<Sum>(product.c[static_cast<size_t>(table.row(lane, r))][line]));
    }
    return f;
  }

  static Matrix matrix_of_sums(const LaneTable& table, const std::vector<Sum>& sums) {
    Matrix d(static_cast<size_t>(table.size), std::vector<float>(static_cast<size_t>(table.size)));
    for (int lane = 0; lane < table.lanes; ++lane)
      for (int r = 0; r < table.sums(); ++r)
        d[static_cast<size_t>(table.row(lane, r))][static_cast<size_t>(table.line(lane))] =
            static_cast<float>(sums[at(lane, table.sums(), r)]);
    return d;
  }

  std::vector<Sum> multiply(const Fragments& f) {
    Buffer<Storage> a(memory_, static_cast<int64_t>(f.a.size()), Tag::input);
    Buffer<Storage> b(memory_, static_cast<int64_t>(f.b.size()), Tag::input);
    Buffer<Sum> sums(memory_, static_cast<int64_t>(f.sums.size()), Tag::output);
    a.upload(f.a, stream_);
    b.upload(f.b, stream_);
    sums.upload(f.sums, stream_);
    launch(matrix_atom_kernel<Atom>, dim3(1), dim3(static_cast<unsigned>(kTable.lanes)), 0, stream_,
           a.data(), b.data(), sums.data());
    return sums.download(stream_);
  }

  Stream stream_;
  Allocator memory_;
};

using Kinds = testing::Types<Kind<F16, MatrixCores::cdna, 16>, Kind<F16, MatrixCores::cdna, 32>,
                             Kind<BF16, MatrixCores::cdna, 16>, Kind<BF16, MatrixCores::cdna, 32>,
                             Kind<F32, MatrixCores::cdna, 16>, Kind<F32, MatrixCores::cdna, 32>,
                             Kind<TF32, MatrixCores::cdna3, 16>, Kind<TF32, MatrixCores::cdna3, 32>,
                             Kind<I8, MatrixCores::cdna2, 16>, Kind<I8, MatrixCores::cdna2, 32>,
                             Kind<I8, MatrixCores::cdna3, 16>, Kind<I8, MatrixCores::cdna3, 32>,
                             Kind<F16, MatrixCores::gfx11, 16>, Kind<BF16, MatrixCores::gfx11, 16>,
                             Kind<I8, MatrixCores::gfx11, 16>, Kind<F16, MatrixCores::gfx12, 16>,
                             Kind<BF16, MatrixCores::gfx12, 16>, Kind<I8, MatrixCores::gfx12, 16>,
                             Kind<I8, MatrixCores::sm75, 8>>;
static_assert(std::size(kMatrixAtoms) == 19, "name new atoms above");
TYPED_TEST_SUITE(MatrixAtoms, Kinds);

Matrix naive_product(const Product& product) {
  Matrix d = product.c;
  for (size_t i = 0; i < d.size(); ++i)
    for (size_t j = 0; j < d.size(); ++j)
      for (size_t k = 0; k < product.b.size(); ++k) d[i][j] += product.a[i][k] * product.b[k][j];
  return d;
}

TYPED_TEST(MatrixAtoms, MultiplyRandomIntegerMatrices) {
  std::mt19937 random(7);
  for (int i = 0; i < 32; ++i) {
    const Product product = integer_product(this->kTable, random);
    const auto sums = this->multiply(this->fragments_of(this->kTable, product));
    ASSERT_EQ(this->matrix_of_sums(this->kTable, sums), naive_product(product)) << "matrices " << i;
  }
}

// The judge says no: two lanes of a fragment of A, then of B, in each other's place.
TYPED_TEST(MatrixAtoms, TwoLanesSwappedAreSeen) {
  // No two elements that are near are equal: 251 integers, which bf16 and i8 have as well.
  int next = 0;
  const auto draw = [&] { return static_cast<float>(++next % 251 - 125); };
  Product product;
  product.a = matrix_of(this->kTable.size, this->kTable.depth, draw);
  next = 0;
  product.b = matrix_of(this->kTable.depth, this->kTable.size, draw);
  product.c = matrix_of(this->kTable.size, this->kTable.size, [] { return 0.f; });
  const auto right = this->fragments_of(this->kTable, product);
  const Matrix expected = naive_product(product);
  for (const auto& [one, other] : {std::pair(0, 1), std::pair(5, this->kTable.lanes - 2)})
    for (const bool of_b : {false, true}) {
      auto f = right;
      auto& fragment = of_b ? f.b : f.a;
      for (int e = 0; e < this->kTable.elements(); ++e)
        std::swap(fragment[this->at(one, this->kTable.elements(), e)],
                  fragment[this->at(other, this->kTable.elements(), e)]);
      EXPECT_TRUE(this->matrix_of_sums(this->kTable, this->multiply(f)) != expected)
          << "lanes " << one << " and " << other << (of_b ? " of B" : " of A");
    }
}

// What the instruction itself says, without a table: one element of A stands alone, and what it
// multiplies are ones. The sums that change are its row, all columns of it. Each element of B
// alone likewise has a column. Elements that are multiplied with each other have the same k.
TYPED_TEST(MatrixAtoms, TableIsWhatProbesFind) {
  using Element = typename TypeParam::Element;
  using Word = typename Element::Storage;
  const LaneTable table = this->kTable;
  const Word zero = stored<Element>(0), one = stored<Element>(1);
  const size_t count = static_cast<size_t>(table.lanes * table.elements());
  const std::vector<typename Element::Sum> no_sums(static_cast<size_t>(table.lanes * table.sums()));
  // Where lanes repeat, their copies are set together.
  const auto set = [&](std::vector<Word>& fragment, int lane, int e) {
    for (int group = 0; group < table.groups(); ++group)
      if (table.repeat || group == table.group(lane))
        fragment[this->at(table.lane(table.line(lane), group), table.elements(), e)] = one;
  };
  for (const bool of_b : {false, true})
    for (int lane = 0; lane < (table.repeat ? table.size : table.lanes); ++lane)
      for (int e = 0; e < table.elements(); ++e) {
        typename TestFixture::Fragments f{std::vector<Word>(count, of_b ? one : zero),
                                          std::vector<Word>(count, of_b ? zero : one), no_sums};
        set(of_b ? f.b : f.a, lane, e);
        const auto sums = this->multiply(f);
        for (int l = 0; l < table.lanes; ++l)
          for (int r = 0; r < table.sums(); ++r) {
            const int place = of_b ? table.line(l) : table.row(l, r);
            ASSERT_EQ(sums[this->at(l, table.sums(), r)], place == table.line(lane) ? 1 : 0)
                << (of_b ? "B" : "A") << " of lane " << lane << ", element " << e << ": lane " << l
                << ", sum " << r;
          }
      }
  // Row 0 of A against column 0 of B: each pair of elements.
  for (int group_a = 0; group_a < table.holders(); ++group_a)
    for (int group_b = 0; group_b < table.holders(); ++group_b)
      for (int i = 0; i < table.elements(); ++i)
        for (int j = 0; j < table.elements(); ++j) {
          const int lane_a = table.lane(0, group_a), lane_b = table.lane(0, group_b);
          typename TestFixture::Fragments f{std::vector<Word>(count, zero),
                                            std::vector<Word>(count, zero), no_sums};
          set(f.a, lane_a, i);
          set(f.b, lane_b, j);
          const bool meet = table.k(lane_a, i) == table.k(lane_b, j);
          ASSERT_EQ(this->matrix_of_sums(table, this->multiply(f))[0][0], meet ? 1.f : 0.f)
              << "lane " << lane_a << ", element " << i << " and lane " << lane_b << ", element "
              << j;
        }
}

// The tables once more, as their sources say them.
TEST(LaneTables, AreWhatTheirSourcesSay) {
  for (const MatrixAtom& atom : kMatrixAtoms) {
    const LaneTable& t = atom.table;
    EXPECT_EQ(t.lanes, lanes_of(atom.cores));
    std::set<std::pair<int, int>> places, operands;
    const bool turing = atom.cores == MatrixCores::sm75;
    for (int l = 0; l < t.lanes; ++l) {
      EXPECT_EQ(t.line(l), turing ? l / 4 : l % t.size) << atom.name << " lane " << l;
      EXPECT_EQ(t.lane(t.line(l), t.group(l)), l) << atom.name;
      for (int e = 0; e < t.elements(); ++e) {
        const bool bytes = atom.dtype == Dtype::i8;
        const int k = t.lanes == 64                      ? t.depth * t.size / 64 * (l / t.size) + e
                      : atom.cores == MatrixCores::gfx11 ? e
                      : turing                           ? 4 * (l % 4) + e
                      : bytes                            ? 8 * (l / 16) + e
                                                         : 8 * (e / 4) + 4 * (l / 16) + e % 4;
        EXPECT_EQ(t.k(l, e), k) << atom.name << " lane " << l << " element " << e;
        operands.insert({t.line(l), t.k(l, e)});
      }
      for (int r = 0; r < t.sums(); ++r) {
        const int row = atom.cores == MatrixCores::gfx11   ? 2 * r + l / 16
                        : atom.cores == MatrixCores::gfx12 ? 8 * (l / 16) + r
                        : turing                           ? 2 * (l % 4) + r
                        : t.size == 16                     ? 4 * (l / 16) + r
                                                           : 8 * (r / 4) + 4 * (l / 32) + r % 4;
        EXPECT_EQ(t.row(l, r), row) << atom.name << " lane " << l << " sum " << r;
        places.insert({t.row(l, r), t.line(l)});
      }
    }
    EXPECT_EQ(places.size(), static_cast<size_t>(t.size * t.size)) << atom.name;
    EXPECT_EQ(operands.size(), static_cast<size_t>(t.size * t.depth)) << atom.name;
  }
}

// The PTX ISA's own fragments of mma.m8n8k16: of A, 8 x 16, and of B, 16 x 8, a lane has four bytes
// of row, or column, l / 4; of D the two sums of row l / 4 from column 2 (l % 4) on. Its A is our B
// and its B our A, so that its D is ours turned.
TEST(LaneTables, OfTuringFitPtxWithItsOperandsExchanged) {
  const LaneTable t = kMatrixAtoms[find_matrix_atom(MatrixCores::sm75, Dtype::i8, 8)].table;
  std::mt19937 random(11);
  const Product product = integer_product(t, random);
  Matrix first(8, std::vector<float>(16)), second(16, std::vector<float>(8));
  for (int l = 0; l < 32; ++l)
    for (int e = 0; e < 4; ++e) {
      const auto line = static_cast<size_t>(t.line(l)), k = static_cast<size_t>(t.k(l, e));
      const auto own = static_cast<size_t>(l / 4), depth = static_cast<size_t>(l % 4 * 4 + e);
      first[own][depth] = product.b[k][line];
      second[depth][own] = product.a[line][k];
    }
  const Matrix turned = naive_product({first, second, matrix_of(8, 8, [] { return 0.f; })});
  Matrix d = product.c;
  for (int l = 0; l < 32; ++l)
    for (int r = 0; r < 2; ++r)
      d[static_cast<size_t>(t.row(l, r))][static_cast<size_t>(t.line(l))] +=
          turned[static_cast<size_t>(l / 4)][static_cast<size_t>(l % 4 * 2 + r)];
  EXPECT_EQ(d, naive_product(product));
}

TEST(LaneTables, AreOfChips) {
  EXPECT_TRUE(has_matrix_cores("gfx90a:sramecc+:xnack-", MatrixCores::cdna));
  EXPECT_TRUE(has_matrix_cores("gfx942", MatrixCores::cdna));
  EXPECT_TRUE(has_matrix_cores("gfx90a:sramecc+:xnack-", MatrixCores::cdna2));
  EXPECT_FALSE(has_matrix_cores("gfx90a:sramecc+:xnack-", MatrixCores::cdna3));
  EXPECT_TRUE(has_matrix_cores("gfx942", MatrixCores::cdna3));
  EXPECT_FALSE(has_matrix_cores("gfx942", MatrixCores::cdna2));
  EXPECT_FALSE(has_matrix_cores("gfx908", MatrixCores::cdna));
  EXPECT_FALSE(has_matrix_cores("gfx1100", MatrixCores::cdna));
  EXPECT_TRUE(has_matrix_cores("gfx1151", MatrixCores::gfx11));
  EXPECT_FALSE(has_matrix_cores("gfx1250", MatrixCores::gfx12));
  EXPECT_TRUE(has_matrix_cores("gfx1201", MatrixCores::gfx12));
  for (const char* newer : {"sm_75", "sm_80", "sm_90", "sm_120"})
    EXPECT_TRUE(has_matrix_cores(newer, MatrixCores::sm75)) << newer;
  for (const char* other : {"sm_70", "sm_7", "gfx942", "gfx1201", ""})
    EXPECT_FALSE(has_matrix_cores(other, MatrixCores::sm75)) << other;
  for (const MatrixCores cores : kAllMatrixCores)
    EXPECT_EQ(has_matrix_cores("sm_90", cores), cores == MatrixCores::sm75);
}

}  // namespace
}  // namespace spb::gpu
