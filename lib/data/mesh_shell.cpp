// SPDX-License-Identifier: Apache-2.0
#include "data/mesh_shell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "data/coord_set.h"
#include "data/memory_need.h"

namespace spb::data {
namespace {

using Vector = std::array<double, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// One separating axis: a cell with low corner c overlaps along it when low <= axis . c <= high.
struct Slab {
  Vector axis;
  double low, high;

  Slab() = default;
  Slab(const Vector& direction, const std::array<Vector, 3>& corners) : axis(direction) {
    const auto [least, most] =
        std::minmax({dot(axis, corners[0]), dot(axis, corners[1]), dot(axis, corners[2])});
    low = least, high = most;
    for (const double component : axis) (component > 0 ? low : high) -= component;
  }
};

/// The cells of one triangle, relative to `base`.
class TriangleCells {
 public:
  TriangleCells(const std::array<Vector, 3>& corners) {
    const std::array<Vector, 3> edges{minus(corners[1], corners[0]), minus(corners[2], corners[1]),
                                      minus(corners[0], corners[2])};
    const Vector normal = cross(edges[0], edges[1]);
    slabs_[0] = Slab(normal, corners);
    size_t n = 1;
    for (const Vector& edge : edges)
      for (const Vector& axis : {Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}})
        slabs_[n++] = Slab(cross(edge, axis), corners);

    Vector extent{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto [least, most] =
          std::minmax({corners[0][axis], corners[1][axis], corners[2][axis]});
      // Closed boxes: a triangle that starts on a cell's face also touches the cell before it.
      low_[axis] = static_cast<int64_t>(std::ceil(least)) - 1;
      high_[axis] = static_cast<int64_t>(std::floor(most));
      extent[axis] = std::abs(normal[axis]);
    }
    // A triangle without area has no normal: run along its longest side.
    if (extent == Vector{})
      for (size_t axis = 0; axis < 3; ++axis)
        extent[axis] = static_cast<double>(high_[axis] - low_[axis]);
    along_ = static_cast<size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
  }

  /// Calls use(x, y, z) for each cell: columns along the axis that the normal is closest to,
  /// each cut to the stretch that the slabs leave. So are the rows of columns: a long and thin
  /// triangle meets few of those in the box around it.
  template <typename Use>
  void each(Use&& use) const {
    const size_t u = (along_ + 1) % 3, v = (along_ + 2) % 3;
    std::array<int64_t, 3> cell;
    for (cell[u] = low_[u]; cell[u] <= high_[u]; ++cell[u]) {
      const auto [first_column, last_column] = columns(cell[u], u, v);
      for (cell[v] = first_column; cell[v] <= last_column; ++cell[v]) {
        const auto [first, last] = stretch(cell[u], cell[v], u, v);
        for (cell[along_] = first; cell[along_] <= last; ++cell[along_])
          if (overlaps(cell)) use(cell[0], cell[1], cell[2]);
      }
    }
  }

 private:
  using Stretch = std::pair<int64_t, int64_t>;  // first and last cell

  /// Columns in one row of them: of the slabs that do not lean along the columns.
  Stretch columns(int64_t cell_u, size_t u, size_t v) const {
    double first = static_cast<double>(low_[v]), last = static_cast<double>(high_[v]);
    for (const Slab& slab : slabs_)
      if (slab.axis[along_] == 0)
        cut(slab, slab.axis[u] * static_cast<double>(cell_u), slab.axis[v], first, last);
    return cells(first, last);
  }

  Stretch stretch(int64_t cell_u, int64_t cell_v, size_t u, size_t v) const {
    double first = static_cast<double>(low_[along_]), last = static_cast<double>(high_[along_]);
    for (const Slab& slab : slabs_)
      cut(slab,
          slab.axis[u] * static_cast<double>(cell_u) + slab.axis[v] * static_cast<double>(cell_v),
          slab.axis[along_], first, last);
    return cells(first, last);
  }

  /// Leaves of [first, last] where offset + slope * cell lies in the slab.
  static void cut(const Slab& slab, double offset, double slope, double& first, double& last) {
    if (slope == 0) {
      if (offset < slab.low || offset > slab.high) last = first - 1;
      return;
    }
    double begin = (slab.low - offset) / slope, end = (slab.high - offset) / slope;
    if (slope < 0) std::swap(begin, end);
    // One cell of slack: the division rounds, overlaps() decides.
    first = std::max(first, std::floor(begin));
    last = std::min(last, std::ceil(end));
  }

  static Stretch cells(double first, double last) {
    if (!(first <= last)) return {0, -1};
    return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
  }

  bool overlaps(const std::array<int64_t, 3>& cell) const {
    const Vector corner{static_cast<double>(cell[0]), static_cast<double>(cell[1]),
                        static_cast<double>(cell[2])};
    return std::ranges::all_of(slabs_, [&](const Slab& slab) {
      const double position = dot(slab.axis, corner);
      return slab.low <= position && position <= slab.high;
    });
  }

  std::array<Slab, 10> slabs_;
  std::array<int64_t, 3> low_, high_;
  size_t along_;
};

}  // namespace

std::vector<Coord> mesh_shell(std::span<const Point> points, std::span<const Triangle> triangles) {
  constexpr double kLimit = std::numeric_limits<int32_t>::max();
  // Thin triangles cover voxels along their length, not by their area. Together they may be as long
  // as that, which takes seconds; files of meshes that were cut into many may need the more.
  const double most_thin = (1 << 22) + 128.0 * static_cast<double>(triangles.size());
  CoordSet cells;
  double area = 0, thin = 0;
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& triangle = triangles[t];
    std::array<Vector, 3> corners;
    const int32_t rows[] = {triangle.a, triangle.b, triangle.c};
    bool finite = true, inside = true;
    for (size_t corner = 0; corner < 3; ++corner) {
      const Point& p = points[static_cast<size_t>(rows[corner])];
      corners[corner] = {p.x, p.y, p.z};
      for (const double value : corners[corner]) {
        finite = finite && std::isfinite(value);
        inside = inside && std::abs(value) < kLimit;
      }
    }
    if (!finite) continue;
    const std::string where = "triangle " + std::to_string(t);
    if (!inside) throw input_error(where, "lies outside int32 voxels", "use a larger voxel size");
    double longest = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto [least, most] =
          std::minmax({corners[0][axis], corners[1][axis], corners[2][axis]});
      longest = std::max(longest, most - least);
    }
    const Vector normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    const double own_area = std::sqrt(dot(normal, normal)) / 2;
    area += own_area;
    thin += std::max(0.0, longest - own_area);
    if (thin > most_thin)
      throw input_error(where,
                        "thin triangles are longer than " +
                            std::to_string(static_cast<int64_t>(most_thin)) +
                            " voxels together up to here",
                        "use a larger voxel size or a smaller resolution");
    if (area > kLimit)
      throw input_error(where, "the mesh covers more than 2^31 - 1 voxels up to here",
                        "use a larger voxel size or a smaller resolution");
    require_memory(static_cast<int64_t>(area), where);

    // Small numbers keep all their digits, wherever the triangle lies.
    std::array<int64_t, 3> base;
    for (size_t axis = 0; axis < 3; ++axis) {
      const double least = std::min({corners[0][axis], corners[1][axis], corners[2][axis]});
      base[axis] = static_cast<int64_t>(std::floor(least));
      for (Vector& corner : corners) corner[axis] -= static_cast<double>(base[axis]);
    }
    TriangleCells(corners).each([&](int64_t x, int64_t y, int64_t z) {
      cells.insert({0, static_cast<int32_t>(base[0] + x), static_cast<int32_t>(base[1] + y),
                    static_cast<int32_t>(base[2] + z)});
    });
  }
  return std::move(cells).take();
}

}  // namespace spb::data
