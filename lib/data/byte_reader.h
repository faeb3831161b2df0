// SPDX-License-Identifier: Apache-2.0
// A file read front to back: bounds, blocks, byte order and error positions in one place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace spb::data {

/// Longest header any format may have, bytes.
inline constexpr int64_t kMaxHeaderBytes = 64 * 1024;

/// One file, or one member of an archive. Every read is checked against the file's size before
/// anything is allocated.
class ByteReader {
 public:
  /// Throws Error (runtime) when `path` is missing, not a regular file, unreadable or empty.
  explicit ByteReader(const std::filesystem::path& path);

  /// Fills `bytes` with the next bytes; returns how many it could read.
  using Read = std::function<size_t(std::span<uint8_t> bytes)>;
  /// A stream of `size` bytes, called `name` in messages.
  ByteReader(std::string name, int64_t size, Read read);

  int64_t size() const { return size_; }          ///< of the file, bytes
  int64_t position() const { return position_; }  ///< of the next byte
  int64_t remaining() const { return size_ - position_; }

  /// The next `count` bytes, valid until the next call. Throws when the file has fewer; `what`
  /// names them in the message. For blocks and headers, not whole files.
  std::span<const uint8_t> take(int64_t count, std::string_view what);

  /// The next line without its LF or CR LF. Throws when the line does not end within the first
  /// kMaxHeaderBytes of the file.
  std::string header_line(std::string_view what);

  /// Passes over `count` bytes; throws when the file has fewer.
  void skip(int64_t count, std::string_view what);

  /// Throws unless `rows` is in [0, 2^31 - 1] and that many rows of at least `row_bytes` bytes
  /// are left. Called before allocating what a header claims.
  void require_rows(int64_t rows, int64_t row_bytes, std::string_view what) const;

  /// Calls use(first_row, n, bytes) over `rows` rows of `row_bytes` bytes, many rows at a time,
  /// so that a file never stands in memory beside its points.
  template <typename Use>
  void for_blocks(int64_t rows, int64_t row_bytes, std::string_view what, Use&& use) {
    const int64_t most = row_bytes < kBlockBytes ? kBlockBytes / row_bytes : 1;
    for (int64_t first = 0; first < rows; first += most) {
      const int64_t n = rows - first < most ? rows - first : most;
      use(first, n, take(n * row_bytes, what).data());
    }
  }

  /// "PATH, byte N: WHAT; FIX" at the next byte, or at `position`.
  Error error(std::string_view what, std::string_view fix = {}) const;
  Error error_at(int64_t position, std::string_view what, std::string_view fix = {}) const;

  const std::string& path() const { return path_; }

 private:
  static constexpr int64_t kBlockBytes = 1 << 20;

  std::string path_;
  Read read_;
  int64_t size_ = 0;
  int64_t position_ = 0;
  std::vector<uint8_t> buffer_;  ///< bytes [begin_, end_) of it are read and not yet taken
  size_t begin_ = 0, end_ = 0;
};

/// A text file at once. Throws as ByteReader's constructor does.
std::string read_text(const std::filesystem::path& path);

/// "PATH, line N: WHAT; FIX", lines counted from 1.
Error line_error(const std::filesystem::path& path, int64_t line, std::string_view what,
                 std::string_view fix = {});

}  // namespace spb::data
