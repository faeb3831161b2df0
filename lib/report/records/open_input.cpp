// SPDX-License-Identifier: Apache-2.0
#include "report/records/open_input.h"

#include <array>
#include <fstream>
#include <lzma.h>
#include <new>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "report/records/append_file.h"

namespace spb::report {
namespace {

constexpr int kFirstByte = 0xFD;                        // of xz, and of no text in UTF-8
constexpr uint64_t kMemoryLimit = uint64_t{256} << 20;  // xz -9 needs 65 MiB
// Records unfold to 40 times their size, and xz knows to make gigabytes of nothing: beyond the
// first it must be no more than the second.
constexpr uint64_t kFreeBytes = uint64_t{64} << 20, kMostRatio = 500;
constexpr uint64_t kLongestLine = uint64_t{64} << 20;

/// What the xz streams of a file decompress to, in pieces: a file need not fit into memory.
class XzBuffer : public std::streambuf {
 public:
  XzBuffer(std::ifstream file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    if (lzma_stream_decoder(&stream_, kMemoryLimit, LZMA_CONCATENATED) != LZMA_OK)
      throw std::bad_alloc();
  }
  ~XzBuffer() override { lzma_end(&stream_); }
  XzBuffer(const XzBuffer&) = delete;  // liblzma keeps pointers into it
  XzBuffer& operator=(const XzBuffer&) = delete;

 protected:
  int_type underflow() override {
    stream_.next_out = text_.data();
    stream_.avail_out = text_.size();
    while (!ended_ && stream_.avail_out == text_.size()) decode();
    check_size();
    auto* text = reinterpret_cast<char*>(text_.data());
    setg(text, text, text + text_.size() - stream_.avail_out);
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  void check_size() {
    if (stream_.total_out > kFreeBytes && stream_.total_out / kMostRatio > stream_.total_in)
      throw input_error(
          path_,
          "its xz data unfolds to more than " + std::to_string(kMostRatio) + " times its size",
          "is it a record?");
    const std::string_view text(reinterpret_cast<const char*>(text_.data()),
                                text_.size() - stream_.avail_out);
    const size_t line_end = text.rfind('\n');
    line_bytes_ = line_end == text.npos ? line_bytes_ + text.size() : text.size() - line_end - 1;
    if (line_bytes_ > kLongestLine)
      throw input_error(path_, "has a line of more than 64 MiB", "is it a record?");
  }

  void decode() {
    if (stream_.avail_in == 0 && file_) {
      file_.read(reinterpret_cast<char*>(bytes_.data()),
                 static_cast<std::streamsize>(bytes_.size()));
      stream_.next_in = bytes_.data();
      stream_.avail_in = static_cast<size_t>(file_.gcount());
    }
    switch (lzma_code(&stream_, file_ ? LZMA_RUN : LZMA_FINISH)) {
      case LZMA_OK:
        return;
      case LZMA_STREAM_END:
        ended_ = true;
        return;
      case LZMA_BUF_ERROR:
        throw input_error(path_, "its xz data is cut off", "copy it again, whole");
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        throw input_error(path_, "its xz data needs more than 256 MiB to decompress",
                          "compress it by xz -9 at most");
      default:
        throw input_error(path_, "its xz data is damaged", "copy it again; xz -t tests it");
    }
  }

  std::ifstream file_;
  std::string path_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
  uint64_t line_bytes_ = 0;  // since the last line end
  std::array<uint8_t, 1 << 16> bytes_{}, text_{};
};

class XzStream : public std::istream {
 public:
  XzStream(std::ifstream file, std::string path)
      : std::istream(nullptr), buffer_(std::move(file), std::move(path)) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // hands on what the buffer throws
  }

 private:
  XzBuffer buffer_;
};

}  // namespace

std::unique_ptr<std::istream> open_input(const std::filesystem::path& path) {
  std::ifstream file = open_text(path);
  if (file.peek() == kFirstByte)  // no more than one byte: a pipe cannot be read twice
    return std::make_unique<XzStream>(std::move(file), path.string());
  if (path.extension() == ".xz")
    throw input_error(path.string(), "is called .xz and holds no xz data", "copy it again, whole");
  return std::make_unique<std::ifstream>(std::move(file));
}

}  // namespace spb::report
