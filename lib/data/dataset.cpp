// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <openssl/evp.h>
#include <sstream>
#include <string_view>
#include <toml++/toml.h>
#include <type_traits>

#include "core/error.h"
#include "core/nearest.h"
#include "core/paths.h"
#include "core/toml_text.h"
#include "data/byte_reader.h"

namespace spb::data {
namespace {

namespace fs = std::filesystem;

/// One dataset.toml, each key taken at most once.
class DatasetFile {
 public:
  explicit DatasetFile(const fs::path& path)
      : path_(path), table_(parse_toml(read_text(path), path.string())) {}

  template <typename T>
  std::optional<T> optional(std::string_view key) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (!node) return std::nullopt;
    // A whole number may stand for a real one, 16.0 for no whole one.
    auto value = std::is_same_v<T, double> ? node->value<T>() : node->value_exact<T>();
    if (!value) throw error(node->source().begin.line, std::string(key) + " has the wrong type");
    return value;
  }

  /// A number, or the text of one or three.
  std::optional<VoxelSize> optional_size(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (!node) return std::nullopt;
    const std::string text = node->is_string() ? *optional<std::string>(key)
                                               : to_text(VoxelSize(*optional<double>(key)));
    return parse_voxel_size(text, at(node->source().begin.line) + ": " + std::string(key));
  }

  /// A whole number of `Whole` from `low` on.
  template <typename Whole>
  std::optional<Whole> optional_whole(std::string_view key, int64_t low) {
    const auto value = optional<int64_t>(key);
    if (!value) return std::nullopt;
    if (const int64_t high = std::numeric_limits<Whole>::max(); *value < low || *value > high)
      throw error(table_.get(key)->source().begin.line,
                  std::string(key) + " is " + std::to_string(*value) + ", expected " +
                      std::to_string(low) + " to " + std::to_string(high));
    return static_cast<Whole>(*value);
  }

  template <typename T>
  T required(std::string_view key) {
    auto value = optional<T>(key);
    if (!value) throw error(1, std::string(key) + " is missing");
    return *value;
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : table_)
      if (std::ranges::find(known_, std::string(key.str())) == known_.end())
        throw error(node.source().begin.line, unknown_name(key.str(), known_));
  }

  Error error(uint32_t line, const std::string& what) const { return usage_error(at(line), what); }

 private:
  std::string at(uint32_t line) const { return path_.string() + ":" + std::to_string(line); }

  fs::path path_;
  toml::table table_;
  std::vector<std::string> known_;
};

Dataset read_dataset(const fs::path& path) {
  DatasetFile file(path);
  Dataset set;
  const fs::path folder = path.parent_path();
  set.name = file.required<std::string>("name");
  if (set.name != folder.filename())
    throw file.error(1, "name is \"" + set.name + "\", expected that of its folder, \"" +
                            folder.filename().string() + "\"");
  set.file = folder / file.required<std::string>("file");
  set.format = file.required<std::string>("format");
  set.sha256 = file.required<std::string>("sha256");
  if (set.sha256.size() != 64 ||
      set.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw file.error(1, "sha256 is not 64 lower-case hex digits");
  set.license = file.required<std::string>("license");
  set.copyright = file.required<std::string>("copyright");
  set.package = file.required<std::string>("package");
  file.required<std::string>("path");  // fetch.sh reads it
  set.voxel_size_m = file.optional_size("voxel_size_m");
  set.resolution = file.optional_whole<int>("resolution", 1);
  if (set.voxel_size_m.has_value() == set.resolution.has_value())
    throw file.error(1, "expected either voxel_size_m or resolution");
  set.voxels = file.required<int64_t>("voxels");
  set.n_pairs = file.required<int64_t>("n_pairs");
  file.refuse_unknown_keys();
  return set;
}

}  // namespace

std::vector<Dataset> find_datasets(const fs::path& folder) {
  std::vector<Dataset> sets;
  if (!is_folder(folder)) return sets;
  for (const fs::path& entry : entries_of(folder))
    if (const fs::path path = entry / "dataset.toml"; is_there(path))
      sets.push_back(read_dataset(path));
  std::ranges::sort(sets, {}, &Dataset::name);
  return sets;
}

std::string sha256_file(const fs::path& path) {
  ByteReader file(path);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  file.for_blocks(file.size(), 1, "bytes", [&](int64_t, int64_t n, const uint8_t* bytes) {
    ok = ok && EVP_DigestUpdate(context.get(), bytes, static_cast<size_t>(n)) == 1;
  });
  ok = ok && EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1;
  if (!ok) throw input_error(path.string(), "libcrypto cannot compute its SHA-256");
  std::string text;
  for (unsigned i = 0; i < size; ++i)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[digest[i] >> shift & 15];
  return text;
}

}  // namespace spb::data
