// SPDX-License-Identifier: Apache-2.0
#include "data/generate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "data/generate_internal.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

/// Rows are counted in int32; a sphere of 8192 or a cube of 1024 is 4 or 17 GB of coords already.
constexpr double kMaxRows = 1 << 30;

template <size_t count>
void parse(const char* usage, const std::string& text, Argument (&arguments)[count]) {
  parse_arguments(usage, text, arguments);
}

int32_t whole(const Argument& argument) { return static_cast<int32_t>(argument.value); }

void require_rows(const char* usage, double rows) {
  if (rows > kMaxRows)
    throw usage_error(usage, fmt::format("would make {:.10g} voxels, more than 2^30", rows),
                      "make it smaller");
}

VoxelSet boxed(std::vector<Coord> coords, int32_t batches, const Int3& shape) {
  VoxelSet set;
  set.coords = std::move(coords);
  set.box = {batches, shape};
  return set;
}

/// The largest integer whose square is at most `value`; -1 when there is none.
int64_t root_below(int64_t value) {
  if (value < 0) return -1;
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root > value) --root;
  while ((root + 1) * (root + 1) <= value) ++root;
  return root;
}

/// Cells whose distance from the centre is in [R/2 - 1.25, R/2]. In doubled coordinates
/// t = 2 i - R + 1 (odd, since R is even): R^2 - 5 R + 7 <= sum t^2 <= R^2.
class Sphere {
 public:
  explicit Sphere(int32_t resolution) : r_(resolution), inner_(r_ * r_ - 5 * r_ + 7) {}

  /// Blocks of 256^3 in lexicographic order, lexicographic inside.
  std::vector<Coord> rows() {
    rows_.reserve(static_cast<size_t>(4 * r_ * r_));
    for (int64_t x = 0; x < r_; x += kBlock)
      for (int64_t y = 0; y < r_; y += kBlock)
        for (int64_t z = 0; z < r_; z += kBlock) block(x, y, z);
    return std::move(rows_);
  }

 private:
  static constexpr int64_t kBlock = 256;

  void block(int64_t x0, int64_t y0, int64_t z0) {
    for (int64_t x = x0; x < std::min(r_, x0 + kBlock); ++x)
      for (int64_t y = y0; y < std::min(r_, y0 + kBlock); ++y) {
        const int64_t tx = 2 * x - r_ + 1, ty = 2 * y - r_ + 1, used = tx * tx + ty * ty;
        const int64_t far = root_below(r_ * r_ - used);
        if (far < 1) continue;
        // z must not be nearer to the middle than this; 0 when the whole column is shell.
        const int64_t near = root_below(inner_ - used - 1) + 1;
        const int64_t t_far = far - (far % 2 == 0), t_near = near + (near % 2 == 0);
        column(x, y, z0, (r_ - 1 - t_far) / 2, (r_ - 1 - t_near) / 2);
        column(x, y, z0, (r_ - 1 + t_near) / 2, (r_ - 1 + t_far) / 2);
      }
  }

  void column(int64_t x, int64_t y, int64_t z0, int64_t first, int64_t last) {
    last = std::min(last, z0 + kBlock - 1);
    for (int64_t z = std::max(first, z0); z <= last; ++z)
      rows_.push_back(
          {0, static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
  }

  int64_t r_, inner_;
  std::vector<Coord> rows_;
};

constexpr char kSphere[] = "sphere:R";
VoxelSet make_sphere(const std::string& text, uint64_t) {
  Argument a[] = {{"R", 2, 8192}};
  parse(kSphere, text, a);
  const int32_t r = whole(a[0]);
  if (r % 2 != 0) throw usage_error(kSphere, "R is " + text + ", expected an even number");
  return boxed(Sphere(r).rows(), 1, {r, r, r});
}

/// All cells of [0, shape), `spacing` apart, once per batch.
std::vector<Coord> grid(int32_t batches, const Int3& counts, int32_t spacing = 1) {
  std::vector<Coord> rows;
  rows.reserve(static_cast<size_t>(batches) * static_cast<size_t>(counts[0]) *
               static_cast<size_t>(counts[1]) * static_cast<size_t>(counts[2]));
  for (int32_t batch = 0; batch < batches; ++batch)
    for (int32_t x = 0; x < counts[0]; ++x)
      for (int32_t y = 0; y < counts[1]; ++y)
        for (int32_t z = 0; z < counts[2]; ++z)
          rows.push_back({batch, x * spacing, y * spacing, z * spacing});
  return rows;
}

constexpr char kCube[] = "cube:R[,BATCHES]";
VoxelSet make_cube(const std::string& text, uint64_t) {
  Argument a[] = {{"R", 1, 1024}, {"BATCHES", 1, 1 << 20, true, 1, true}};
  parse(kCube, text, a);
  const int32_t r = whole(a[0]), batches = whole(a[1]);
  require_rows(kCube, a[1].value * a[0].value * a[0].value * a[0].value);
  return boxed(grid(batches, {r, r, r}), batches, {r, r, r});
}

constexpr char kBox[] = "box:X,Y,Z[,BATCHES]";
VoxelSet make_box(const std::string& text, uint64_t) {
  Argument a[] = {{"X", 1, kMaxRows},
                  {"Y", 1, kMaxRows},
                  {"Z", 1, kMaxRows},
                  {"BATCHES", 1, 1 << 20, true, 1, true}};
  parse(kBox, text, a);
  require_rows(kBox, a[0].value * a[1].value * a[2].value * a[3].value);
  const Int3 shape{whole(a[0]), whole(a[1]), whole(a[2])};
  return boxed(grid(whole(a[3]), shape), whole(a[3]), shape);
}

/// `count` distinct numbers below `limit`, every subset as likely as any other, ascending.
std::vector<uint64_t> draw_distinct(uint64_t count, uint64_t limit, SplitMix64& random) {
  std::vector<uint64_t> drawn;
  drawn.reserve(count);
  // Never more draws than are missing: dropping surplus ones would favour some subsets.
  while (drawn.size() < count) {
    const size_t sorted = drawn.size();
    while (drawn.size() < count)
      drawn.push_back(static_cast<uint64_t>(random.uniform() * static_cast<double>(limit)));
    const auto middle = drawn.begin() + static_cast<ptrdiff_t>(sorted);
    std::sort(middle, drawn.end());
    std::inplace_merge(drawn.begin(), middle, drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  return drawn;
}

constexpr char kRandom[] = "random:R,P";
VoxelSet make_random(const std::string& text, uint64_t seed) {
  Argument a[] = {{"R", 1, 1 << 17}, {"P", 0, 1, false}};
  parse(kRandom, text, a);
  const int32_t r = whole(a[0]);
  const double cells = a[0].value * a[0].value * a[0].value;
  const double count = std::round(a[1].value * cells);
  require_rows(kRandom, count);
  SplitMix64 random(seed);
  // Above one half, drawing the empty cells needs fewer tries.
  const bool inverted = count > cells / 2;
  const auto drawn = draw_distinct(static_cast<uint64_t>(inverted ? cells - count : count),
                                   static_cast<uint64_t>(cells), random);
  std::vector<Coord> rows;
  rows.reserve(static_cast<size_t>(count));
  const auto side = static_cast<uint64_t>(r);
  const auto add = [&](uint64_t key) {
    rows.push_back({0, static_cast<int32_t>(key / side / side),
                    static_cast<int32_t>(key / side % side), static_cast<int32_t>(key % side)});
  };
  if (!inverted) {
    for (const uint64_t key : drawn) add(key);
  } else {
    auto empty = drawn.begin();
    for (uint64_t key = 0; key < static_cast<uint64_t>(cells); ++key)
      empty != drawn.end() && *empty == key ? void(++empty) : add(key);
  }
  return boxed(std::move(rows), 1, {r, r, r});
}

constexpr char kEmpty[] = "empty:";
VoxelSet make_empty(const std::string& text, uint64_t) {
  parse_arguments(kEmpty, text, {});
  return boxed({}, 1, {1, 1, 1});
}

constexpr char kVoxel[] = "voxel:";
VoxelSet make_voxel(const std::string& text, uint64_t) {
  parse_arguments(kVoxel, text, {});
  return boxed({Coord{}}, 1, {1, 1, 1});
}

constexpr char kIsolated[] = "isolated:N[,SPACING]";
VoxelSet make_isolated(const std::string& text, uint64_t) {
  Argument a[] = {{"N", 1, 1024}, {"SPACING", 1, 1 << 20, true, 3, true}};
  parse(kIsolated, text, a);
  const int32_t n = whole(a[0]), side = (n - 1) * whole(a[1]) + 1;
  return boxed(grid(1, {n, n, n}, whole(a[1])), 1, {side, side, side});
}

constexpr char kLine[] = "line:N[,AXIS]";
VoxelSet make_line(const std::string& text, uint64_t) {
  Argument a[] = {{"N", 1, kMaxRows}, {"AXIS", 0, 2, true, 0, true}};
  parse(kLine, text, a);
  Int3 shape{1, 1, 1};
  shape[static_cast<size_t>(whole(a[1]))] = whole(a[0]);
  return boxed(grid(1, shape), 1, shape);
}

constexpr char kPlane[] = "plane:N[,NORMAL]";
VoxelSet make_plane(const std::string& text, uint64_t) {
  Argument a[] = {{"N", 1, 32768}, {"NORMAL", 0, 2, true, 2, true}};
  parse(kPlane, text, a);
  Int3 shape{whole(a[0]), whole(a[0]), whole(a[0])};
  shape[static_cast<size_t>(whole(a[1]))] = 1;
  return boxed(grid(1, shape), 1, shape);
}

constexpr char kCentered[] = "centered_cube:R";
VoxelSet make_centered_cube(const std::string& text, uint64_t) {
  Argument a[] = {{"R", 1, 1024}};
  parse(kCentered, text, a);
  const int32_t r = whole(a[0]);
  std::vector<Coord> rows = grid(1, {r, r, r});
  for (Coord& row : rows) row.x -= r / 2, row.y -= r / 2, row.z -= r / 2;
  return fit_box(std::move(rows));
}

constexpr char kFarEnds[] = "far_ends:AXES";
VoxelSet make_far_ends(const std::string& text, uint64_t) {
  Argument a[] = {{"AXES", 1, 3}};
  parse(kFarEnds, text, a);
  std::vector<Coord> rows = grid(1, {2, 2, 2});
  for (size_t i = 0, n = rows.size(); i < n; ++i) {
    Coord far = rows[i];
    int32_t Coord::*const axes[] = {&Coord::x, &Coord::y, &Coord::z};
    for (int axis = 0; axis < whole(a[0]); ++axis) {
      rows[i].*axes[axis] += std::numeric_limits<int32_t>::min();
      far.*axes[axis] += std::numeric_limits<int32_t>::max() - 1;
    }
    rows.push_back(far);
  }
  return fit_box(std::move(rows));
}

constexpr char kFarKeys[] = "far_keys:";
VoxelSet make_far_keys(const std::string& text, uint64_t) {
  parse_arguments(kFarKeys, text, {});
  return boxed({{0, 0, 0, 0}, {0, 1024, 0, 0}}, 1, {2048, 2048, 2048});
}

constexpr Generator kGenerators[] = {
    {"sphere", kSphere, "shell of a sphere of R cells across, R even", make_sphere},
    {"cube", kCube, "all cells of a cube, optionally repeated in batches", make_cube},
    {"box", kBox, "all cells of a box, optionally repeated in batches: dense", make_box},
    {"random", kRandom, "round(P R^3) distinct cells of a cube", make_random},
    {"lidar", "lidar[:VOXEL_SIZE]", "street seen by a 128-beam lidar, default 0.1 m", make_lidar},
    {"indoor", "indoor[:VOXEL_SIZE]", "furnished room as a depth scan, default 0.05 m",
     make_indoor},
    {"empty", kEmpty, "no voxel", make_empty},
    {"voxel", kVoxel, "one voxel", make_voxel},
    {"isolated", kIsolated, "N^3 voxels without neighbours, SPACING cells apart", make_isolated},
    {"line", kLine, "N voxels along one axis (0, 1, 2)", make_line},
    {"plane", kPlane, "N x N voxels, one thick along NORMAL (0, 1, 2)", make_plane},
    {"centered_cube", kCentered, "cube around the origin, half its coords negative",
     make_centered_cube},
    {"far_ends", kFarEnds, "2^3 cubes at both int32 ends of the first AXES axes: must be refused",
     make_far_ends},
    {"far_keys", kFarKeys, "two voxels whose keys in 2048^3 differ by 2^32", make_far_keys},
};

const Generator* find_generator(const std::string& spec) {
  const std::string name = spec.substr(0, spec.find(':'));
  const auto* found = std::ranges::find(kGenerators, name, &Generator::name);
  return found == std::end(kGenerators) ? nullptr : found;
}

}  // namespace

void parse_arguments(const char* usage, const std::string& text, std::span<Argument> arguments) {
  std::vector<std::string> words;
  for (size_t start = 0; !text.empty() && start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  const auto required =
      static_cast<size_t>(std::ranges::count(arguments, false, &Argument::optional));
  if (words.size() < required || words.size() > arguments.size())
    throw usage_error(
        usage, "found " + std::to_string(words.size()) + " arguments in \"" + text +
                   "\", expected " + std::to_string(required) +
                   (required < arguments.size() ? " to " + std::to_string(arguments.size()) : ""));
  for (size_t i = 0; i < words.size(); ++i) {
    Argument& argument = arguments[i];
    const auto value = parse_number<double>(words[i]);
    if (!value || !(*value >= argument.low && *value <= argument.high) ||
        (argument.whole && *value != std::floor(*value))) {
      char limits[80];
      std::snprintf(limits, sizeof limits, "%s from %.15g to %.15g",
                    argument.whole ? "a whole number" : "a number", argument.low, argument.high);
      throw usage_error(
          usage, std::string(argument.name) + " is \"" + words[i] + "\", expected " + limits);
    }
    argument.value = *value;
  }
}

std::span<const Generator> generators() { return kGenerators; }

bool is_generator(const std::string& spec) { return find_generator(spec) != nullptr; }

VoxelSet generate(const std::string& spec, uint64_t seed) {
  const Generator* generator = find_generator(spec);
  const size_t colon = spec.find(':');
  if (!generator) {
    std::vector<std::string> names;
    for (const Generator& row : kGenerators) names.emplace_back(row.name);
    throw usage_error("generator", unknown_name(spec.substr(0, colon), names));
  }
  return generator->make(colon == spec.npos ? "" : spec.substr(colon + 1), seed);
}

}  // namespace spb::data
