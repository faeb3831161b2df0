// SPDX-License-Identifier: Apache-2.0
#include <vector>
#include <zlib.h>

#include "data/npy_bytes.h"

namespace spb::data {
namespace {

struct Entry {
  std::string name, body;
  bool deflate = false;
  bool zip64_local = false;   ///< as Python 3.11.7 to 3.13: 0xFFFFFFFF and an extra field
  uint32_t claimed_size = 0;  ///< in the central directory; 0 = the truth
  bool wrong_crc = false;
};

std::string deflated(const std::string& body) {
  uLongf length = compressBound(static_cast<uLong>(body.size()));
  std::string zlib(length, '\0');
  compress(reinterpret_cast<Bytef*>(zlib.data()), &length,
           reinterpret_cast<const Bytef*>(body.data()), static_cast<uLong>(body.size()));
  // The raw stream, without zlib's two bytes before and four behind.
  return zlib.substr(2, length - 6);
}

std::string zip_bytes(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    const std::string data = entry.deflate ? deflated(entry.body) : entry.body;
    const auto crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(entry.body.data()),
                                    static_cast<uInt>(entry.body.size())) ^
                              (entry.wrong_crc ? 1u : 0u));
    const auto packed = static_cast<uint32_t>(data.size());
    const auto plain =
        entry.claimed_size ? entry.claimed_size : static_cast<uint32_t>(entry.body.size());
    const auto name_length = static_cast<uint16_t>(entry.name.size());
    const auto offset = static_cast<uint32_t>(file.size());
    const std::string common = raw_all<uint16_t>({uint16_t(entry.zip64_local ? 45 : 20), 0,
                                                  uint16_t(entry.deflate ? 8 : 0), 0, 0x21}) +
                               raw(crc);
    file += "PK\x03\x04" + common;
    if (entry.zip64_local)
      file += raw_all<uint32_t>({0xffffffff, 0xffffffff}) + raw_all<uint16_t>({name_length, 20}) +
              entry.name + raw_all<uint16_t>({1, 16}) + raw_all<uint64_t>({plain, packed});
    else
      file += raw_all<uint32_t>({packed, plain}) + raw_all<uint16_t>({name_length, 0}) + entry.name;
    file += data;
    directory += "PK\x01\x02" + raw(uint16_t{45}) + common + raw_all<uint32_t>({packed, plain}) +
                 raw_all<uint16_t>({name_length, 0, 0, 0, 0}) + raw_all<uint32_t>({0, offset}) +
                 entry.name;
  }
  const auto count = static_cast<uint16_t>(entries.size());
  const auto start = static_cast<uint32_t>(file.size());
  return file + directory + "PK\x05\x06" + raw_all<uint16_t>({0, 0, count, count}) +
         raw_all<uint32_t>({static_cast<uint32_t>(directory.size()), start}) + raw(uint16_t{0});
}

const std::string kCoords = npy_bytes("<i4", "2, 3", raw_all<int32_t>({1, 2, 3, 4, 5, 6}));
const std::string kPoints = npy_bytes("<f4", "1, 3", raw_all<float>({7, 8, 9}));
const std::vector<Coord> kCoordsRows{{0, 1, 2, 3}, {0, 4, 5, 6}};

TEST(FormatNpz, StoredAndDeflated) {
  EXPECT_EQ(read_bytes(".npz", zip_bytes({{"coords.npy", kCoords}})).coords, kCoordsRows);
  const PointCloud cloud = read_bytes(".npz", zip_bytes({{"a.npy", kCoords, true}}));
  EXPECT_EQ(cloud.coords, kCoordsRows);
  EXPECT_EQ(cloud.format, "npz");
}

TEST(FormatNpz, LocalHeadersMayClaimAllOnes) {
  EXPECT_EQ(
      read_bytes(".npz", zip_bytes({{.name = "coords.npy", .body = kCoords, .zip64_local = true}}))
          .coords,
      kCoordsRows);
  EXPECT_EQ(
      read_bytes(
          ".npz",
          zip_bytes(
              {{.name = "coords.npy", .body = kCoords, .deflate = true, .zip64_local = true}}))
          .coords,
      kCoordsRows);
}

TEST(FormatNpz, TakesTheNamedArrayOrTheOnlyOne) {
  EXPECT_EQ(read_bytes(".npz", zip_bytes({{"feats.npy", kPoints}, {"coords.npy", kCoords}})).coords,
            kCoordsRows);
  EXPECT_EQ(
      read_bytes(".npz", zip_bytes({{"note.txt", "x"}, {"arr_0.npy", kPoints}})).points.size(), 1u);
  const std::string message =
      read_error(".npz", zip_bytes({{"a.npy", kPoints}, {"b.npy", kCoords}}));
  EXPECT_TRUE(contains(message, "several arrays (a.npy, b.npy)"));
  EXPECT_TRUE(contains(read_error(".npz", zip_bytes({{"note.txt", "x"}})), "no array"));
  EXPECT_TRUE(contains(read_error(".npz", zip_bytes({})), "no array"));
}

TEST(FormatNpz, ImpossibleSizesAreRefused) {
  for (const bool deflate : {false, true}) {
    const std::string message = read_error(".npz", zip_bytes({{.name = "coords.npy",
                                                               .body = kCoords,
                                                               .deflate = deflate,
                                                               .claimed_size = 0xfffffff0}}));
    EXPECT_TRUE(contains(message, "4294967280 bytes declared"));
  }
}

TEST(FormatNpz, WrongChecksumIsRefused) {
  for (const bool deflate : {false, true})
    EXPECT_NE(
        read_error(
            ".npz",
            zip_bytes(
                {{.name = "coords.npy", .body = kCoords, .deflate = deflate, .wrong_crc = true}})),
        "accepted");
}

TEST(FormatNpz, EachTruncationIsRefused) {
  for (const bool deflate : {false, true}) {
    const std::string bytes = zip_bytes({{"coords.npy", kCoords, deflate}});
    expect_truncations_refused(".npz", bytes, bytes.size());
  }
}

TEST(FormatNpz, EmptyMemberAndNoZipAreRefused) {
  EXPECT_TRUE(contains(read_error(".npz", zip_bytes({{"coords.npy", ""}})), "is empty"));
  EXPECT_TRUE(contains(read_error(".npz", kCoords), "not a readable NPZ archive"));
}

TEST(FormatNpz, ErrorsInsideNameTheMember) {
  const std::string cut = kCoords.substr(0, kCoords.size() - 1);
  EXPECT_TRUE(contains(read_error(".npz", zip_bytes({{"coords.npy", cut}})), "[coords.npy], byte"));
}

TEST(FormatNpz, RowsOfManyColumnsAreRefusedBeforeTheyUnfold) {
  const std::string body(4 * 1025 * 2, '\0');
  const std::string wide = npy_bytes("<f4", "2, 1025", body);
  EXPECT_TRUE(contains(read_error(".npz", zip_bytes({{"points.npy", wide, true}})),
                       "1025 columns, expected at most 1024"));
  const std::string most = npy_bytes("<f4", "2, 1024", body.substr(0, 4 * 1024 * 2));
  EXPECT_EQ(read_bytes(".npz", zip_bytes({{"points.npy", most, true}})).points.size(), 2u);
}

}  // namespace
}  // namespace spb::data
