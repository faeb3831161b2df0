// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>
#include <zip.h>

#include "data/formats_internal.h"
#include "data/npy_array.h"

namespace spb::data {
namespace {

/// Arrays that are taken from an archive of several, the first found.
constexpr std::string_view kArrayNames[] = {"coords", "coordinates", "indices",
                                            "points", "xyz",         "pos"};

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

Archive open_archive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code), &zip_discard);
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw input_error(path, "is not a readable NPZ archive: " + reason,
                    "the file is truncated or damaged; fetch it again");
}

/// The member to read: by name, else the only array.
zip_stat_t find_array(zip_t* archive, const std::string& path) {
  std::vector<zip_stat_t> arrays;
  std::string names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &stat) != 0 ||
        !(stat.valid & ZIP_STAT_NAME))
      throw input_error(path, "entry " + std::to_string(i) + " of the archive cannot be read");
    const std::string_view name = stat.name;
    if (!name.ends_with(".npy")) continue;
    arrays.push_back(stat);
    if (names.size() < 200) names.append(names.empty() ? "" : ", ").append(name);
  }
  for (const std::string_view wanted : kArrayNames)
    for (const zip_stat_t& stat : arrays)
      if (stat.name == std::string(wanted) + ".npy") return stat;
  if (arrays.size() == 1) return arrays[0];
  throw input_error(path,
                    arrays.empty() ? "archive holds no array (.npy)"
                                   : "archive holds several arrays (" + names + ")",
                    "name the one to read coords or points");
}

/// Throws unless the declared size can come from the compressed bytes.
void require_plausible(const zip_stat_t& stat, const std::string& name, int64_t file_bytes) {
  constexpr zip_uint64_t kDeflateRatio = 1032;
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_INDEX;
  if ((stat.valid & kNeeded) != kNeeded) throw input_error(name, "size is not in the archive");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    throw input_error(
        name,
        "compression method " + std::to_string(stat.comp_method) + ", expected stored or deflate",
        "write it with numpy.savez or savez_compressed");
  const zip_uint64_t ratio = stat.comp_method == ZIP_CM_STORE ? 1 : kDeflateRatio;
  if (stat.comp_size > static_cast<zip_uint64_t>(file_bytes) || stat.size > stat.comp_size * ratio)
    throw input_error(name,
                      std::to_string(stat.size) + " bytes declared from " +
                          std::to_string(stat.comp_size) + " compressed in a file of " +
                          std::to_string(file_bytes),
                      "the file is damaged; fetch it again");
}

}  // namespace

PointCloud read_npz(const std::filesystem::path& path, const ReadOptions& options) {
  const int64_t file_bytes = ByteReader(path).size();
  const Archive archive = open_archive(path.string());
  const zip_stat_t stat = find_array(archive.get(), path.string());
  const std::string name = path.string() + "[" + stat.name + "]";
  require_plausible(stat, name, file_bytes);
  if (stat.size == 0) throw input_error(name, "is empty, expected an array");

  const Member member(zip_fopen_index(archive.get(), stat.index, 0), &zip_fclose);
  if (!member)
    throw input_error(name, std::string("cannot be opened: ") + zip_strerror(archive.get()));
  const auto read = [&](std::span<uint8_t> bytes) {
    size_t filled = 0;
    while (filled < bytes.size()) {
      const zip_int64_t n = zip_fread(member.get(), bytes.data() + filled, bytes.size() - filled);
      if (n <= 0) break;
      filled += static_cast<size_t>(n);
    }
    return filled;
  };
  ByteReader file(name, static_cast<int64_t>(stat.size), read);
  PointCloud cloud = read_npy_array(file, options);
  // The checksum is compared at the end of the member only.
  uint8_t beyond;
  if (zip_fread(member.get(), &beyond, 1) != 0)
    throw input_error(name, "checksum does not match", "the file is damaged; fetch it again");
  return cloud;
}

}  // namespace spb::data
