// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/row_jumps.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace spb::maps {
namespace {

constexpr int64_t kJumpWindow = RowJumps::kWindow;

TEST(RowJumps, VisitEachRowOnceAndWindowsWhole) {
  for (const int64_t windows : {0, 1, 2, 3, 4, 13, 34, 100, 618, 1000})
    for (const int64_t rest : {int64_t{0}, int64_t{1}, kJumpWindow - 1}) {
      const int64_t rows = windows * kJumpWindow + rest;
      const RowJumps jumps(rows);
      std::vector<bool> seen(static_cast<size_t>(rows));
      for (int64_t position = 0; position < rows; ++position) {
        const int64_t row = jumps.row(position);
        ASSERT_TRUE(row >= 0 && row < rows && !seen[static_cast<size_t>(row)]) << rows;
        seen[static_cast<size_t>(row)] = true;
        if (position % kJumpWindow > 0) {
          ASSERT_EQ(row, jumps.row(position - 1) + 1);
        }
      }
    }
}

TEST(RowJumps, AnyEighthOfTheWindowsLiesAllOverTheRows) {
  for (const int64_t windows : {64, 250, 1004}) {
    const RowJumps jumps(windows * kJumpWindow);
    const int64_t eighth = windows / 8;
    for (int64_t first = 0; first + eighth <= windows; ++first) {
      std::vector<int64_t> visited;
      for (int64_t w = first; w < first + eighth; ++w)
        visited.push_back(jumps.row(w * kJumpWindow) / kJumpWindow);
      std::ranges::sort(visited);
      int64_t gap = visited.front() + windows - visited.back();
      for (size_t i = 1; i < visited.size(); ++i) gap = std::max(gap, visited[i] - visited[i - 1]);
      EXPECT_LE(gap, 24) << windows << " windows from " << first;
    }
  }
}

}  // namespace
}  // namespace spb::maps
