// SPDX-License-Identifier: Apache-2.0
// Files that tests write, and what reading them gives.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include "core/error.h"
#include "data/point_cloud.h"

namespace spb::data {

/// A file that is gone at the end of the scope. `suffix` is its extension.
class TempFile {
 public:
  explicit TempFile(const std::string& suffix, std::string_view bytes = {}) {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("spb_test_" + std::to_string(getpid()) + "_" + std::to_string(counter++) + suffix);
    write(bytes);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  void write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline PointCloud read_bytes(const std::string& suffix, std::string_view bytes,
                             const ReadOptions& options = {}) {
  const TempFile file(suffix, bytes);
  return read_file(file.path(), options);
}

/// The message of the Error that reading `bytes` throws, or "accepted".
inline std::string read_error(const std::string& suffix, std::string_view bytes,
                              const ReadOptions& options = {}) {
  try {
    read_bytes(suffix, bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

inline ::testing::AssertionResult contains(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" lacks \"" << part << "\"";
}

/// Every prefix of `bytes` shorter than `first_valid` must be refused.
inline void expect_truncations_refused(const std::string& suffix, std::string_view bytes,
                                       size_t first_valid, const ReadOptions& options = {}) {
  const TempFile file(suffix);
  for (size_t length = 0; length < first_valid; ++length) {
    file.write(bytes.substr(0, length));
    EXPECT_THROW(read_file(file.path(), options), Error) << "accepted " << length << " bytes";
  }
  file.write(bytes);
  EXPECT_NO_THROW(read_file(file.path(), options));
}

/// The bytes of a number, as binary formats store it.
template <typename T>
std::string raw(T value, bool big_endian = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

inline void expect_point(const Point& point, double x, double y, double z) {
  EXPECT_EQ(point.x, x);
  EXPECT_EQ(point.y, y);
  EXPECT_EQ(point.z, z);
}

inline std::filesystem::path scan_path(const std::string& file_name) {
  return std::filesystem::path(SPB_SOURCE_DIR) / "../shared/data" / file_name;
}

}  // namespace spb::data

/// A real scan of the test data folder; skips the test, saying so, where the folder is missing.
#define SPB_SCAN_OR_SKIP(variable, file_name)                             \
  const std::filesystem::path variable = spb::data::scan_path(file_name); \
  if (!std::filesystem::exists(variable)) GTEST_SKIP() << variable << " is missing"
