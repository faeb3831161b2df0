// SPDX-License-Identifier: Apache-2.0
// The scan that closes the counting of all lists: sums, and what is reported of them.
#include "maps/pairs/scan_counts.h"

#include <numeric>

#include "device_fixture.h"

namespace spb::maps {
namespace {

class ScanCountsTest : public DeviceTest {
 protected:
  /// Counts 0 to 6 of `chunks` chunks at each of 27 offsets, then `tiles` of both lists.
  void check(int64_t chunks, int64_t tiles) {
    SCOPED_TRACE(std::to_string(chunks) + " chunks, " + std::to_string(tiles) + " tiles");
    CountLayout layout;
    layout.kernel_volume = 27;
    layout.chunks = chunks;
    layout.pairs = layout.append(27 * chunks + 1);
    layout.lists[0] = layout.append(tiles + 1);
    layout.lists[1] = layout.append(2 * tiles + 1);
    std::vector<int64_t> counts(static_cast<size_t>(layout.size));
    for (size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int64_t>(i * i % 7);
    for (const Counts& part : {layout.pairs, layout.lists[0], layout.lists[1]})
      counts[static_cast<size_t>(part.end - 1)] = 0;
    std::vector<int64_t> sums(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), sums.begin(), int64_t{0});

    gpu::Buffer<int64_t> device(allocator_, layout.size, gpu::Tag::plan);
    gpu::Buffer<int64_t> offset_begin(allocator_, 28, gpu::Tag::plan);
    gpu::Buffer<InsertStatus> status(allocator_, 1, gpu::Tag::plan);
    gpu::Buffer<uint32_t> zeros(allocator_, scan_zeros(layout), gpu::Tag::plan);
    gpu::Buffer<uint64_t> members(allocator_, 1, gpu::Tag::plan);
    members.upload(std::vector<uint64_t>{77}, stream_);
    device.upload(counts, stream_);
    InsertStatus found;
    found.repeated_row = 5;
    status.upload(std::span(&found, 1), stream_);
    gpu::fill_bytes(zeros.data(), 0, zeros.bytes(), stream_);
    const gpu::LandingPlace landing(report_bytes(layout));
    start_scan(layout, device.data(), status.data(), offset_begin.data(), members.data(),
               zeros.data(), landing.data(), stream_);
    stream_.synchronize();
    const CountReport report = read_report(layout, landing.data());
    EXPECT_EQ(download(device), sums);
    const auto length = [&](const Counts& part) {
      return sums[static_cast<size_t>(part.end - 1)] - sums[static_cast<size_t>(part.begin)];
    };
    EXPECT_EQ(report.lists[0], length(layout.lists[0]));
    EXPECT_EQ(report.lists[1], length(layout.lists[1]));
    EXPECT_EQ(report.members, 77);
    EXPECT_EQ(report.status.repeated_row, 5u);
    EXPECT_EQ(report.status.full_row, InsertStatus::kNone);
    std::vector<int64_t> begins;
    for (int64_t o = 0; o <= 27; ++o) begins.push_back(sums[static_cast<size_t>(o * chunks)]);
    EXPECT_EQ(report.offset_begin, begins);
    EXPECT_EQ(download(offset_begin), begins);
  }
};

TEST_F(ScanCountsTest, SumsAndLengthsAreRight) {
  check(0, 0);
  for (const int64_t chunks : {1, 75, 76, 400}) check(chunks, 3 * chunks);
}

// More tiles than a block looks back at in one step.
TEST_F(ScanCountsTest, ManyTilesAreSummed) { check(40'000, 200'000); }

TEST_F(ScanCountsTest, NothingIsCounted) {
  gpu::Buffer<InsertStatus> status(allocator_, 1, gpu::Tag::plan);
  gpu::Buffer<uint32_t> zeros(allocator_, scan_zeros({}), gpu::Tag::plan);
  const InsertStatus found;
  status.upload(std::span(&found, 1), stream_);
  gpu::fill_bytes(zeros.data(), 0, zeros.bytes(), stream_);
  const gpu::LandingPlace landing(report_bytes({}));
  start_scan({}, nullptr, status.data(), nullptr, nullptr, zeros.data(), landing.data(), stream_);
  stream_.synchronize();
  const CountReport report = read_report({}, landing.data());
  EXPECT_EQ(report.lists[0] + report.lists[1], 0);
  EXPECT_TRUE(report.offset_begin.empty());
}

}  // namespace
}  // namespace spb::maps
