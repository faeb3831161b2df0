// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>

#include "core/parallel.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr int64_t kExamples = 10;

std::string text(const Coord& c) {
  return fmt::format("(batch {}; {}, {}, {})", c.batch, c.x, c.y, c.z);
}

/// Collects examples of one sort, ten at most.
class Examples {
 public:
  explicit Examples(std::vector<std::string>& lines) : lines_(lines) {}
  void add(const std::string& line) {
    if (count_++ < kExamples) lines_.push_back(line);
  }

 private:
  std::vector<std::string>& lines_;
  int64_t count_ = 0;
};

std::vector<int32_t> rows_by_coords(std::span<const Coord> coords) {
  std::vector<int32_t> rows(coords.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (!std::ranges::is_sorted(coords))
    std::ranges::sort(rows, {}, [&](int32_t row) { return coords[static_cast<size_t>(row)]; });
  return rows;
}

/// The expected row of each got row, -1 for coords that are not expected or occur twice.
std::vector<int32_t> match_rows(const char* side, std::span<const Coord> expected,
                                std::span<const Coord> got, MapComparison& result) {
  Examples examples(result.examples);
  const auto note = [&](const char* what, const Coord& c) {
    ++result.bad_coords;
    examples.add(fmt::format("{} {} voxel {}", what, side, text(c)));
  };
  std::vector<int32_t> row_of(got.size(), -1);
  const std::vector<int32_t> expected_rows = rows_by_coords(expected),
                             got_rows = rows_by_coords(got);
  size_t e = 0;
  for (size_t g = 0; g < got_rows.size(); ++g) {
    const Coord& coord = got[static_cast<size_t>(got_rows[g])];
    if (g > 0 && got[static_cast<size_t>(got_rows[g - 1])] == coord) {
      note("repeated", coord);
      continue;
    }
    while (e < expected_rows.size() && expected[static_cast<size_t>(expected_rows[e])] < coord)
      note("missing", expected[static_cast<size_t>(expected_rows[e++])]);
    if (e < expected_rows.size() && expected[static_cast<size_t>(expected_rows[e])] == coord)
      row_of[static_cast<size_t>(got_rows[g])] = expected_rows[e++];
    else
      note("extra", coord);
  }
  while (e < expected_rows.size())
    note("missing", expected[static_cast<size_t>(expected_rows[e++])]);
  return row_of;
}

std::vector<int32_t> match_rows_in_place(const char* side, std::span<const Coord> expected,
                                         std::span<const Coord> got, MapComparison& result) {
  Examples examples(result.examples);
  std::vector<int32_t> row_of(got.size(), -1);
  for (size_t row = 0; row < std::max(expected.size(), got.size()); ++row) {
    if (row < expected.size() && row < got.size() && expected[row] == got[row]) {
      row_of[row] = static_cast<int32_t>(row);
      continue;
    }
    ++result.bad_coords;
    const auto voxel = [&](std::span<const Coord> coords) {
      return row < coords.size() ? text(coords[row]) : std::string("none");
    };
    examples.add(
        fmt::format("{} row {}: expected {}, got {}", side, row, voxel(expected), voxel(got)));
  }
  return row_of;
}

// Rows are non-negative int32, so the pairs of one offset order as 64-bit keys.
uint64_t pack(int32_t out, int32_t in) {
  return static_cast<uint64_t>(out) << 32 | static_cast<uint32_t>(in);
}

using Keys = std::vector<uint64_t>;

std::vector<Keys> keys_by_offset(std::span<const Triple> triples, size_t offsets) {
  std::vector<size_t> counts(offsets);
  for (const Triple& t : triples) ++counts[static_cast<size_t>(t.offset)];
  std::vector<Keys> keys(offsets);
  for (size_t o = 0; o < offsets; ++o) keys[o].reserve(counts[o]);
  for (const Triple& t : triples) keys[static_cast<size_t>(t.offset)].push_back(pack(t.out, t.in));
  parallel_for(static_cast<int64_t>(offsets), [&](int64_t o) {
    Keys& own = keys[static_cast<size_t>(o)];
    if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
  });
  return keys;
}

uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// a == b, by all processors: maps have millions of rows.
bool are_equal(std::span<const Coord> a, std::span<const Coord> b) {
  constexpr size_t kChunk = 1 << 18;
  if (a.size() != b.size()) return false;
  std::atomic<bool> equal = true;
  parallel_for(static_cast<int64_t>((a.size() + kChunk - 1) / kChunk), [&](int64_t i) {
    const size_t begin = static_cast<size_t>(i) * kChunk,
                 count = std::min(kChunk, a.size() - begin);
    if (!std::ranges::equal(a.subspan(begin, count), b.subspan(begin, count))) equal = false;
  });
  return equal;
}

}  // namespace

MultisetHash multiset_hash(std::span<const Triple> triples) {
  constexpr size_t kChunk = 1 << 18;
  std::vector<MultisetHash> parts((triples.size() + kChunk - 1) / kChunk);
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const size_t begin = static_cast<size_t>(i) * kChunk;
    MultisetHash part;
    for (const Triple& t : triples.subspan(begin, std::min(kChunk, triples.size() - begin))) {
      const uint64_t offset = mixed(static_cast<uint32_t>(t.offset) + 0x9e3779b97f4a7c15);
      const uint64_t hash = mixed(pack(t.out, t.in) ^ offset);
      part.a += hash;
      part.b += mixed(hash + offset);
    }
    parts[static_cast<size_t>(i)] = part;
  });
  MultisetHash sum;
  for (const MultisetHash& part : parts) {
    sum.a += part.a;
    sum.b += part.b;
  }
  return sum;
}

MapComparison compare_maps(const MapSet& expected, MapSet got, bool row_exact,
                           std::span<const Coord> voxels) {
  return compare_maps(expected, multiset_hash(expected.triples), std::move(got), row_exact, voxels);
}

MapComparison compare_maps(const MapSet& expected, const MultisetHash& hash, MapSet got,
                           bool row_exact, std::span<const Coord> voxels) {
  MapComparison result;
  // By far the cheapest way to see that nothing is wrong.
  if (are_equal(expected.out_coords, got.out_coords) &&
      expected.in_coords.has_value() == got.in_coords.has_value() &&
      (!got.in_coords || are_equal(*expected.in_coords, *got.in_coords)) &&
      expected.triples.size() == got.triples.size() && hash == multiset_hash(got.triples))
    return result;
  const auto matched = [&](const char* side, std::span<const Coord> want,
                           std::span<const Coord> have) {
    return row_exact ? match_rows_in_place(side, want, have, result)
                     : match_rows(side, want, have, result);
  };
  const std::span<const Coord> in_coords = expected.in_coords ? *expected.in_coords : voxels;
  const auto row_of = matched("output", expected.out_coords, got.out_coords);
  const auto in_row_of =
      matched("input", in_coords, got.in_coords ? std::span<const Coord>(*got.in_coords) : voxels);
  Examples missing(result.examples), extra(result.examples);
  const auto describe = [&](int32_t offset, int32_t out, int32_t in) {
    const auto voxel = [](std::span<const Coord> coords, int32_t row) {
      const bool known = row >= 0 && static_cast<size_t>(row) < coords.size();
      return fmt::format("{} {}", row, known ? text(coords[static_cast<size_t>(row)]) : "");
    };
    return fmt::format("offset {}, output row {}, input row {}", offset,
                       voxel(expected.out_coords, out), voxel(in_coords, in));
  };

  // Renumbers the pairs; what cannot be expected at all is extra at once.
  const size_t offsets =
      expected.triples.empty() ? 0 : static_cast<size_t>(expected.triples.back().offset) + 1;
  std::erase_if(got.triples, [&](Triple& t) {
    const bool in_range = t.offset >= 0 && static_cast<size_t>(t.offset) < offsets && t.out >= 0 &&
                          static_cast<size_t>(t.out) < row_of.size() && t.in >= 0 &&
                          static_cast<size_t>(t.in) < in_row_of.size();
    const int32_t out = in_range ? row_of[static_cast<size_t>(t.out)] : -1,
                  in = in_range ? in_row_of[static_cast<size_t>(t.in)] : -1;
    if (out >= 0 && in >= 0) {
      t.out = out;
      t.in = in;
      return false;
    }
    ++result.extra;
    extra.add(fmt::format("extra: {}: {}", in_range ? "unexpected voxel" : "out of range",
                          describe(t.offset, in_range ? out : t.out, in_range ? in : t.in)));
    return true;
  });

  const std::vector<Keys> want = keys_by_offset(expected.triples, offsets);
  const std::vector<Keys> have = keys_by_offset(got.triples, offsets);
  for (size_t o = 0; o < offsets; ++o) {
    const auto describe_key = [&](uint64_t key) {
      return describe(static_cast<int32_t>(o), static_cast<int32_t>(key >> 32),
                      static_cast<int32_t>(key));
    };
    size_t w = 0;
    for (size_t h = 0; h < have[o].size(); ++h) {
      const uint64_t key = have[o][h];
      if (h > 0 && have[o][h - 1] == key) {
        ++result.repeated;
        extra.add("repeated: " + describe_key(key));
        continue;
      }
      for (; w < want[o].size() && want[o][w] < key; ++w, ++result.missing)
        missing.add("missing: " + describe_key(want[o][w]));
      if (w < want[o].size() && want[o][w] == key) {
        ++w;
      } else {
        ++result.extra;
        extra.add("extra: " + describe_key(key));
      }
    }
    for (; w < want[o].size(); ++w, ++result.missing)
      missing.add("missing: " + describe_key(want[o][w]));
  }
  return result;
}

}  // namespace spb::verify
