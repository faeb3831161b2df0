// SPDX-License-Identifier: Apache-2.0
// VXZ version 0, the sparse voxels of TRELLIS.2: a JSON header, then chunks of compressed octrees
// and attributes. Only the octrees are read.
#include <algorithm>
#include <bit>
#include <functional>
#include <lzma.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/json_text.h"
#include "data/byte_reader.h"
#include "data/formats_internal.h"
#include "data/memory_need.h"

namespace spb::data {
namespace {

using Json = nlohmann::json;
constexpr int kMaxDepth = 16;

/// A stretch of bytes, relative to what holds it.
struct Range {
  int64_t offset = 0, size = 0;
};

struct Chunk {
  Int3 index{};
  Range data;    ///< in the bytes behind the header
  Range octree;  ///< in `data`
};

struct Header {
  int64_t voxels = 0;
  int depth = 0;  ///< of a chunk's octree; a chunk has 2^depth cells a side
  bool compressed = false;
  int64_t data_start = 0;  ///< in the file
  std::vector<Chunk> chunks;
};

const Json& list(const Json& value, const char* key, size_t size) {
  const Json& found = value.at(key);
  if (!found.is_array() || found.size() != size)
    throw std::runtime_error(std::string(key) + " is no list of " + std::to_string(size));
  return found;
}

Range range(const Json& value, const char* key, int64_t limit) {
  const Json& pair = list(value, key, 2);
  Range result;
  result.offset = whole_number<int64_t>(pair[0], std::string(key) + " offset", 0, limit);
  result.size =
      whole_number<int64_t>(pair[1], std::string(key) + " size", 0, limit - result.offset);
  return result;
}

Chunk parse_chunk(const Json& value, int depth, int64_t data_size) {
  Chunk chunk;
  const Json& index = list(value, "idx", 3);
  const auto most = static_cast<int32_t>((int64_t{1} << (31 - depth)) - 1);
  for (size_t axis = 0; axis < 3; ++axis)
    chunk.index[axis] = whole_number<int32_t>(index[axis], "chunk idx", 0, most);
  chunk.data = range(value, "ptr", data_size);
  chunk.octree = range(value, "svo", chunk.data.size);
  return chunk;
}

/// Throws std::exception saying what is wrong; the caller adds where.
Header parse_header(std::span<const uint8_t> text, int64_t data_start, int64_t data_size) {
  const Json json = parse_json(
      std::string_view(reinterpret_cast<const char*>(text.data()), text.size()), "the JSON");
  if (json.is_discarded()) throw std::runtime_error("it is no JSON");
  Header header;
  header.data_start = data_start;
  header.voxels = whole_number<int32_t>(json.at("num_voxel"), "num_voxel", 0);
  const int64_t side =
      whole_number<int64_t>(json.at("chunk_size"), "chunk_size", 2, int64_t{1} << kMaxDepth);
  if (!std::has_single_bit(static_cast<uint64_t>(side)))
    throw std::runtime_error("chunk_size is " + std::to_string(side) + ", expected a power of two");
  header.depth = std::countr_zero(static_cast<uint64_t>(side));
  const auto compression = json.at("compression").get<std::string>();
  if (compression != "lzma" && compression != "none")
    throw std::runtime_error("compression \"" + compression.substr(0, 40) +
                             "\" is not supported, expected \"lzma\" or \"none\"");
  header.compressed = compression == "lzma";
  std::set<Int3> seen;
  for (const Json& value : json.at("chunks")) {
    header.chunks.push_back(parse_chunk(value, header.depth, data_size));
    if (!seen.insert(header.chunks.back().index).second)
      throw std::runtime_error("two chunks have the same idx");
  }
  return header;
}

/// The next piece of an octree's bytes; an empty one behind the last.
using NextPiece = std::function<std::span<const uint8_t>()>;

/// Raw LZMA2, one stream per chunk, in pieces: a stream of some bytes unfolds to gigabytes. The
/// 64 MiB dictionary is allocated once for all of them.
class Lzma2Decoder {
 public:
  Lzma2Decoder() = default;
  ~Lzma2Decoder() { lzma_end(&stream_); }
  Lzma2Decoder(const Lzma2Decoder&) = delete;  // liblzma keeps pointers into it
  Lzma2Decoder& operator=(const Lzma2Decoder&) = delete;

  void begin(std::span<const uint8_t> input) {
    lzma_options_lzma options;
    lzma_lzma_preset(&options, 9);
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    if (lzma_raw_decoder(&stream_, filters) != LZMA_OK) throw std::bad_alloc();
    stream_.next_in = input.data();
    stream_.avail_in = input.size();
    ended_ = false;
  }

  /// Throws std::runtime_error when the input is not exactly one stream.
  std::span<const uint8_t> next() {
    if (ended_) return {};
    stream_.next_out = piece_.data();
    stream_.avail_out = piece_.size();
    lzma_ret state = lzma_code(&stream_, LZMA_FINISH);
    ended_ = state == LZMA_STREAM_END;
    if (state == LZMA_OK && stream_.avail_out > 0) state = LZMA_BUF_ERROR;
    if (state != LZMA_OK && !ended_)
      throw std::runtime_error("octree is no complete LZMA2 stream (liblzma error " +
                               std::to_string(state) + ")");
    if (ended_ && stream_.avail_in > 0)
      throw std::runtime_error("bytes follow the octree's LZMA2 stream");
    return std::span(piece_).first(piece_.size() - stream_.avail_out);
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
  std::vector<uint8_t> piece_ = std::vector<uint8_t>(1 << 16);
};

/// An octree in depth-first order, a byte per inner node: bit 4x + 2y + z says that the child at
/// (x, y, z) is there; the children of the last level are voxels.
class OctreeReader {
 public:
  OctreeReader(NextPiece next_piece, int depth, int64_t most, std::vector<Coord>& out)
      : next_piece_(std::move(next_piece)), depth_(depth), most_(most), out_(out) {}

  void read(const Int3& chunk) {
    node(chunk, 0);
    if (has_byte()) throw std::runtime_error("octree has bytes behind its last branch");
  }

 private:
  bool has_byte() {
    if (piece_.empty()) piece_ = next_piece_();
    return !piece_.empty();
  }

  void node(const Int3& at, int level) {
    if (!has_byte()) throw std::runtime_error("octree ends inside a branch");
    const unsigned children = piece_.front();
    piece_ = piece_.subspan(1);
    if (children == 0) throw std::runtime_error("octree has a node without children");
    for (int child = 0; child < 8; ++child) {
      if (!(children >> child & 1)) continue;
      const Int3 place{2 * at[0] + (child >> 2), 2 * at[1] + (child >> 1 & 1),
                       2 * at[2] + (child & 1)};
      if (level + 1 < depth_) {
        node(place, level + 1);
        continue;
      }
      if (static_cast<int64_t>(out_.size()) == most_)
        throw std::runtime_error("more voxels than the header's num_voxel, " +
                                 std::to_string(most_));
      out_.push_back({0, place[0], place[1], place[2]});
    }
  }

  NextPiece next_piece_;
  std::span<const uint8_t> piece_;  // of it, what is not read yet
  int depth_;
  int64_t most_;
  std::vector<Coord>& out_;
};

Header read_header(ByteReader& file) {
  const auto start = file.take(8, "the VXZ header");
  if (std::string_view(reinterpret_cast<const char*>(start.data()), 3) != "VXZ")
    throw file.error_at(0, "does not start with VXZ", "is it a .vxz file?");
  if (start[3] != 0)
    throw file.error_at(3, "found version " + std::to_string(start[3]) + ", expected 0");
  int64_t data_start = 0;
  for (size_t i = 4; i < 8; ++i) data_start = data_start << 8 | start[i];
  if (data_start < 8 || data_start > file.size())
    throw file.error_at(4,
                        "the data start at byte " + std::to_string(data_start) +
                            ", expected 8 to " + std::to_string(file.size()),
                        "the file is truncated or damaged");
  try {
    return parse_header(file.take(data_start - 8, "the VXZ header"), data_start,
                        file.size() - data_start);
  } catch (const std::exception& failure) {
    throw file.error_at(8, std::string("bad header: ") + failure.what(),
                        "the file is truncated or damaged");
  }
}

}  // namespace

PointCloud read_vxz(const std::filesystem::path& path, const ReadOptions&) {
  ByteReader file(path);
  const Header header = read_header(file);
  require_memory(header.voxels, path.string() + ", num_voxel");
  std::vector<uint8_t> data(static_cast<size_t>(file.remaining()));
  file.for_blocks(file.remaining(), 1, "octrees",
                  [&](int64_t first, int64_t n, const uint8_t* bytes) {
                    std::copy_n(bytes, n, data.begin() + first);
                  });

  PointCloud cloud;
  cloud.is_coords = true;
  Lzma2Decoder decoder;
  for (const Chunk& chunk : header.chunks) {
    const int64_t at = chunk.data.offset + chunk.octree.offset;
    const auto bytes = std::span<const uint8_t>(data).subspan(
        static_cast<size_t>(at), static_cast<size_t>(chunk.octree.size));
    try {
      if (header.compressed) decoder.begin(bytes);
      const auto unpacked = [&] { return decoder.next(); };
      const auto plain = [left = bytes]() mutable { return std::exchange(left, {}); };
      OctreeReader(header.compressed ? NextPiece(unpacked) : NextPiece(plain), header.depth,
                   header.voxels, cloud.coords)
          .read(chunk.index);
    } catch (const std::runtime_error& failure) {
      throw file.error_at(header.data_start + at, failure.what(),
                          "the file is truncated or damaged");
    }
  }
  if (static_cast<int64_t>(cloud.coords.size()) != header.voxels)
    throw file.error_at(8,
                        "num_voxel is " + std::to_string(header.voxels) +
                            ", but the octrees hold " + std::to_string(cloud.coords.size()) +
                            " voxels",
                        "the file is damaged");
  return cloud;
}

}  // namespace spb::data
