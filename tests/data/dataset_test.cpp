// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "data/pair_counter.h"
#include "data/temp_file.h"
#include "data/voxelize.h"
#include "temporary_folder.h"

namespace spb::data {
namespace {

namespace fs = std::filesystem;
const fs::path kFolder = fs::path(SPB_SOURCE_DIR) / "datasets";

TEST(Sha256, OfAKnownText) {
  const TempFile file(".txt", "abc");
  EXPECT_EQ(sha256_file(file.path()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Datasets, AreDescribed) {
  const auto sets = find_datasets(kFolder);
  EXPECT_GE(sets.size(), 2u);
  for (const Dataset& set : sets)
    EXPECT_TRUE(std::ranges::any_of(
        formats(), [&](const Format& format) { return format.name == set.format; }))
        << set.name << ": " << set.format;
}

TEST(Datasets, FetchedOnesHaveTheirCounts) {
  std::vector<std::string> checked;
  for (const Dataset& set : find_datasets(kFolder)) {
    if (!set.is_present()) continue;
    checked.push_back(set.name);
    EXPECT_EQ(sha256_file(set.file), set.sha256) << set.name;
    const VoxelSet voxels = voxelize(
        read_file(set.file), {.voxel_size = set.voxel_size_m, .resolution = set.resolution});
    // Points on a voxel's face depend on rounding for meshes.
    const double slack = set.resolution ? 0.001 : 0;
    EXPECT_NEAR(static_cast<double>(voxels.size()), static_cast<double>(set.voxels),
                slack * static_cast<double>(set.voxels))
        << set.name;
    EXPECT_NEAR(static_cast<double>(count_pairs(voxels)), static_cast<double>(set.n_pairs),
                slack * static_cast<double>(set.n_pairs))
        << set.name;
  }
  // This one is shipped, with its license: the demo needs no package.
  EXPECT_TRUE(std::ranges::count(checked, "room_scan1"));
  EXPECT_TRUE(fs::is_regular_file(kFolder / "room_scan1" / "LICENSE"));
}

TEST(Datasets, MissingFolderHasNone) { EXPECT_TRUE(find_datasets("/no/such/folder").empty()); }

std::string dataset_error(const std::string& toml) {
  const TempFile marker("_datasets");
  const fs::path folder = marker.path().string() + "_folder";
  fs::create_directories(folder / "a");
  std::ofstream(folder / "a" / "dataset.toml") << toml;
  std::string message = "accepted";
  try {
    find_datasets(folder);
  } catch (const Error& error) {
    message = error.what();
  }
  fs::remove_all(folder);
  return message;
}

TEST(Datasets, MistakesNameFileAndLine) {
  const std::string good = "name = \"a\"\nfile = \"f.pcd\"\nformat = \"pcd\"\nsha256 = \"" +
                           std::string(64, '0') +
                           "\"\nlicense = \"MIT\"\ncopyright = \"c\"\npackage = \"p\"\n"
                           "path = \"/f\"\nvoxel_size_m = 0.1\nvoxels = 1\nn_pairs = 1\n";
  EXPECT_EQ(dataset_error(good), "accepted");
  EXPECT_TRUE(contains(dataset_error(good + "voxel = 3\n"), "dataset.toml:12: \"voxel\""));
  EXPECT_TRUE(contains(dataset_error(good + "= 3\n"), "dataset.toml:12"));
  EXPECT_TRUE(contains(dataset_error(good + "resolution = 3\n"), "either voxel_size_m"));
  const auto sized = [&](const std::string& size) {
    std::string text = good;
    return dataset_error(text.replace(text.find("0.1"), 3, size));
  };
  EXPECT_EQ(sized("\"0.1x0.1x0.2\""), "accepted");
  EXPECT_TRUE(contains(sized("\"0.1x0.2\""), "dataset.toml:9: voxel_size_m: \"0.1x0.2\""));
  EXPECT_TRUE(contains(sized("-0.1"), "dataset.toml:9: voxel_size_m: "));
  EXPECT_TRUE(contains(sized("nan"), "dataset.toml:9: voxel_size_m: "));
  EXPECT_TRUE(contains(dataset_error("name = 3\n"), "dataset.toml:1: name has the wrong type"));
  EXPECT_TRUE(contains(dataset_error("name = \"b\"\n"), "that of its folder"));
  EXPECT_TRUE(contains(dataset_error("name = \"a\"\n"), "file is missing"));
}

TEST(Datasets, NumbersAreWholeAndInRange) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "room_scan1");
  std::ifstream file(kFolder / "room_scan1" / "dataset.toml");
  const std::string good(std::istreambuf_iterator<char>(file), {});
  const size_t size = good.find("voxel_size_m");
  const auto error_of = [&](const std::string& line) {
    folder.write("room_scan1/dataset.toml",
                 good.substr(0, size) + line + good.substr(good.find('\n', size)));
    try {
      find_datasets(folder.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("resolution = 256"), "");
  EXPECT_TRUE(contains(error_of("resolution = 256.0"), "resolution has the wrong type"));
  EXPECT_TRUE(contains(error_of("resolution = 4294967297"), "resolution is 4294967297, expected"));
  EXPECT_TRUE(contains(error_of("resolution = -1"), "resolution is -1, expected 1 to"));
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += "a.";
  EXPECT_TRUE(contains(error_of(deep + "a = 1"), "nests lists, tables or keys"));
}

}  // namespace
}  // namespace spb::data
