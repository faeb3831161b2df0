// SPDX-License-Identifier: Apache-2.0
#include "data/byte_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>

namespace spb::data {
namespace fs = std::filesystem;

ByteReader::ByteReader(const fs::path& path) : path_(path.string()) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found)
    throw input_error(path_, "no such file", "check the path");
  if (!fs::exists(status)) throw input_error(path_, "cannot be read: " + failure.message());
  if (fs::is_directory(status)) throw input_error(path_, "is a directory, expected a file");
  if (!fs::is_regular_file(status)) throw input_error(path_, "is not a regular file");
  // Unbuffered: blocks go straight into buffer_.
  const auto file = std::make_shared<std::ifstream>();
  file->rdbuf()->pubsetbuf(nullptr, 0);
  errno = 0;
  file->open(path, std::ios::binary);
  if (!*file) throw input_error(path_, std::string("cannot be opened: ") + std::strerror(errno));
  size_ = static_cast<int64_t>(fs::file_size(path, failure));
  if (failure) throw input_error(path_, "size cannot be read: " + failure.message());
  if (size_ == 0) throw input_error(path_, "is empty, expected a header or points");
  read_ = [file](std::span<uint8_t> bytes) {
    file->read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return static_cast<size_t>(file->gcount());
  };
}

ByteReader::ByteReader(std::string name, int64_t size, Read read)
    : path_(std::move(name)), read_(std::move(read)), size_(size) {}

std::span<const uint8_t> ByteReader::take(int64_t count, std::string_view what) {
  if (count < 0 || count > remaining())
    throw error("file ends inside " + std::string(what) + ": found " + std::to_string(remaining()) +
                    " bytes, expected " + std::to_string(count),
                "the file is truncated; fetch it again");
  const auto wanted = static_cast<size_t>(count);
  if (end_ - begin_ < wanted) {
    std::copy(buffer_.begin() + static_cast<ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    const int64_t unread = remaining() - static_cast<int64_t>(end_);
    const size_t more = std::max(wanted - end_, static_cast<size_t>(std::min(unread, kBlockBytes)));
    if (buffer_.size() < end_ + more) buffer_.resize(end_ + more);
    if (read_(std::span(buffer_).subspan(end_, more)) != more)
      throw error("reading failed, the file may have changed meanwhile");
    end_ += more;
  }
  const std::span<const uint8_t> taken(buffer_.data() + begin_, wanted);
  begin_ += wanted;
  position_ += count;
  return taken;
}

std::string ByteReader::header_line(std::string_view what) {
  std::string line;
  for (;;) {
    if (position_ >= kMaxHeaderBytes)
      throw error(std::string(what) + " is longer than 65536 bytes", "is it this format?");
    const char c = static_cast<char>(take(1, what)[0]);
    if (c == '\n') break;
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void ByteReader::skip(int64_t count, std::string_view what) {
  if (count < 0 || count > remaining()) take(count, what);
  while (count > 0) count -= static_cast<int64_t>(take(std::min(count, kBlockBytes), what).size());
}

void ByteReader::require_rows(int64_t rows, int64_t row_bytes, std::string_view what) const {
  if (rows < 0 || rows > std::numeric_limits<int32_t>::max())
    throw error(std::to_string(rows) + " " + std::string(what) +
                " declared, expected 0 to 2^31 - 1");
  if (row_bytes > 0 && rows > remaining() / row_bytes)
    throw error(std::to_string(rows) + " " + std::string(what) + " of " +
                    std::to_string(row_bytes) + " bytes declared, but only " +
                    std::to_string(remaining()) + " bytes follow",
                "the file is truncated or damaged; fetch it again");
}

Error ByteReader::error(std::string_view what, std::string_view fix) const {
  return error_at(position_, what, fix);
}

Error ByteReader::error_at(int64_t position, std::string_view what, std::string_view fix) const {
  return input_error(path_ + ", byte " + std::to_string(position), what, fix);
}

std::string read_text(const fs::path& path) {
  ByteReader reader(path);
  std::string text(static_cast<size_t>(reader.size()), '\0');
  int64_t filled = 0;
  reader.for_blocks(reader.size(), 1, "text", [&](int64_t, int64_t n, const uint8_t* bytes) {
    std::memcpy(text.data() + filled, bytes, static_cast<size_t>(n));
    filled += n;
  });
  return text;
}

Error line_error(const fs::path& path, int64_t line, std::string_view what, std::string_view fix) {
  return input_error(path.string() + ", line " + std::to_string(line), what, fix);
}

}  // namespace spb::data
