// SPDX-License-Identifier: Apache-2.0
#include "config/suite_file.h"

#include <filesystem>
#include <fstream>

#include "config/expand.h"
#include "config/expect_error.h"
#include "temporary_folder.h"

namespace spb::config {
namespace {

namespace fs = std::filesystem;
const fs::path kConfigs = fs::path(SPB_SOURCE_DIR) / "configs";
const std::vector<std::string> kSuiteNames{"implicit_gemm", "masked_implicit_gemm"};  // in suites

class SuiteFileTest : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    return temporary_.write(name, text);
  }
  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(SuiteFileTest, TopLevelKeysAreTheOneBlock) {
  const SuiteOptions options = read_suite(write("s.toml", R"(
summary = "x"
datasets = ["sphere:8", "random:8,0.5"]
channels = ["16:32", 64]
kernel_size = 5
dtypes = "f16,f32"
bias = false
seed = 3
voxel_size = 0.1
)"));
  ASSERT_EQ(options.shapes.size(), 1u);
  EXPECT_EQ(options.shapes[0].datasets.size(), 2u);
  EXPECT_EQ(options.shapes[0].channels, (std::vector<Channels>{{16, 32}, {64, 64}}));
  EXPECT_EQ(options.shapes[0].kernel_sizes, (std::vector<Int3>{{5, 5, 5}}));
  EXPECT_EQ(options.shapes[0].voxel_size, 0.1);
  EXPECT_EQ(options.dtypes, (std::vector<Dtype>{Dtype::f16, Dtype::f32}));
  EXPECT_FALSE(options.bias);
  EXPECT_EQ(options.seed, 3u);
}

TEST_F(SuiteFileTest, BlocksAndIncludesStartFromTheTopLevel) {
  write("shapes.toml",
        "stride = 2\n[[shapes]]\ndatasets='a'\n[[shapes]]\ndatasets='b'\nchannels=8\n");
  const SuiteOptions options = read_suite(write("s.toml", R"(
channels = 32
include = "shapes.toml"
[[shapes]]
datasets = "c"
)"));
  ASSERT_EQ(options.shapes.size(), 3u);
  EXPECT_EQ(options.shapes[0].channels, (std::vector<Channels>{{32, 32}}));
  EXPECT_EQ(options.shapes[0].strides, (std::vector<Int3>{{2, 2, 2}}));
  EXPECT_EQ(options.shapes[1].channels, (std::vector<Channels>{{8, 8}}));
  EXPECT_EQ(options.shapes[2].datasets, std::vector<std::string>{"c"});
  EXPECT_EQ(options.shapes[2].strides, (std::vector<Int3>{{1, 1, 1}}));
}

TEST_F(SuiteFileTest, TakesTheGridOfADetector) {
  const SuiteOptions options = read_suite(write("s.toml",
                                                "datasets = 'scan.bin'\n[[shapes]]\n"
                                                "voxel_size = '0.05x0.05x0.1'\n"
                                                "range = '0,-40,-3:70.4,40,1'\n"
                                                "[[shapes]]\nvoxel_size = 0.05\n"));
  ASSERT_EQ(options.shapes.size(), 2u);
  EXPECT_EQ(options.shapes[0].voxel_size, VoxelSize(0.05, 0.05, 0.1));
  EXPECT_EQ(options.shapes[0].range, (CropRange{{0, -40, -3}, {70.4, 40, 1}}));
  EXPECT_EQ(options.shapes[1].voxel_size, VoxelSize(0.05));
  EXPECT_FALSE(options.shapes[1].range);
}

TEST_F(SuiteFileTest, MistakesNameFileAndLine) {
  const struct {
    const char* text;
    const char* found;
  } cases[] = {
      {"\nchanels = 3\n", "s.toml:2: \"chanels\" is unknown; did you mean \"channels\"?"},
      {"[[shapes]]\nchannel = 3\n", "s.toml:2: \"channel\" is unknown; did you mean"},
      {"[[shapes]]\ndtypes = 'f16'\n", "s.toml:2: \"dtypes\" belongs to a suite"},
      {"[[shapes]]\ninclude = 'x'\n", "s.toml:2: \"include\""},
      {"channels = \n", "s.toml:1: "},
      {"\n\nchannels = '16:x'\n", "s.toml:3: channels: "},
      {"dtypes = ['f16', 'fp61']\n", "s.toml:1: dtypes: "},
      {"dtypes = []\n", "s.toml:1: dtypes: the list is empty"},
      {"channels = [[16]]\n", "s.toml:1: channels: "},
      {"voxel_size = 2020-01-01\n", "s.toml:1: voxel_size: "},
      {"voxel_size = '0.1x0.1'\n", "s.toml:1: voxel_size: \"0.1x0.1\" is no size"},
      {"voxel_size = -0.1\n", "s.toml:1: voxel_size: \"-0.1\" is no size"},
      {"range = '0,0,0:1,1'\n", "s.toml:1: range: \"0,0,0:1,1\" is no range"},
      {"frame = 'cylindre'\n", "s.toml:1: frame: frame \"cylindre\" is unknown; did you mean"},
      {"shapes = 3\n", "s.toml:1: shapes must be"},
      {"voxel_size = 1\nresolution = 2\n", "exclude one another"},
      {"\ninclude = 'missing.toml'\n", "s.toml:2: include: "},
  };
  for (const auto& one : cases)
    expect_error([&] { read_suite(write("s.toml", one.text)); }, one.found);
  expect_error([&] { read_suite(folder_ / "none.toml"); }, "none.toml: is no file");
  const std::string longer(300, 'x');  // than a name may be
  expect_error([&] { read_suite(write("s.toml", "include = '" + longer + "'\n")); },
               "s.toml:1: include: ");
  expect_error([&] { find_suite(longer, folder_); }, "xxx");
}

TEST_F(SuiteFileTest, AnIncludedFileHoldsShapesOnly) {
  write("shapes.toml", "\nalgorithms = 'all'\n");
  expect_error([&] { read_suite(write("s.toml", "include = 'shapes.toml'\n")); },
               "shapes.toml:2: \"algorithms\" belongs to a suite");
  write("shapes.toml", "include = 's.toml'\n");
  expect_error([&] { read_suite(write("s.toml", "include = 'shapes.toml'\n")); },
               "shapes.toml:1: \"include\" is unknown");
}

TEST_F(SuiteFileTest, SuitesAreListedAndFound) {
  const fs::path path = write("beta.toml", "summary = 'second'\n");
  write("alpha.toml", "");
  write("notes.txt", "");
  const auto suites = list_suites(folder_);
  ASSERT_EQ(suites.size(), 2u);
  EXPECT_EQ(suites[0].name, "alpha");
  EXPECT_EQ(suites[1].summary, "second");
  EXPECT_EQ(find_suite("beta", folder_), path);
  EXPECT_EQ(find_suite(path.string(), "nowhere"), path);
  expect_error([&] { find_suite("bta", folder_); }, "did you mean \"beta\"");
  EXPECT_TRUE(list_suites(folder_ / "missing").empty());
}

TEST(ShippedSuites, AllExpandAndSayWhatTheyAreFor) {
  const auto suites = list_suites(kConfigs / "suites");
  EXPECT_GE(suites.size(), 4u);
  std::vector<std::string> names = kSuiteNames;
  // Which suites are for.
  for (const char* name : {"depthwise", "gather_scatter", "fused_gather_scatter", "grouped_gemm",
                           "masked_implicit_gemm_splitk"})
    names.emplace_back(name);
  for (const SuiteInfo& suite : suites) {
    EXPECT_NE(suite.summary, "") << suite.name;
    EXPECT_FALSE(expand(read_suite(suite.path), names).empty()) << suite.name;
  }
}

TEST(ShippedSuites, FlexgemmIsItsGridOfSpheres) {
  const auto cases = expand(read_suite(kConfigs / "suites/flexgemm.toml"), kSuiteNames);
  const std::pair<const char*, int> grid[] = {
      {"sphere:8", 1024},  {"sphere:16", 1024}, {"sphere:32", 1024}, {"sphere:64", 1024},
      {"sphere:128", 512}, {"sphere:256", 256}, {"sphere:512", 128}, {"sphere:1024", 64}};
  const size_t per_shape = 2 * 3 * 4;  // algorithms, directions, dtypes
  ASSERT_EQ(cases.size(), std::size(grid) * per_shape);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].dataset, grid[i / per_shape].first);
    EXPECT_EQ(cases[i].problem.c_in, grid[i / per_shape].second);
    EXPECT_EQ(cases[i].problem.c_out, grid[i / per_shape].second);
  }
}

TEST(ShippedSuites, DenseAndOccupancyAreTheirGrids) {
  const auto count = [](const char* name, const char* dataset) {
    const fs::path path = kConfigs / "suites" / (std::string(name) + ".toml");
    const auto cases = expand(read_suite(path), std::vector<std::string>{"implicit_gemm"});
    return std::ranges::count(cases, dataset, &CaseSpec::dataset);
  };
  const int64_t per_shape = 3;  // directions
  EXPECT_EQ(count("dense", "cube:128"), 4 * 2 * 2 * per_shape);
  EXPECT_EQ(count("dense", "cube:64"), (4 * 2 + 3) * 2 * per_shape) << "and strided ones";
  EXPECT_EQ(count("dense", "box:56,56,1,32"), 4 * 2 * 2 * per_shape);
  for (const char* dataset : {"random:128,1", "random:128,0.01"})
    EXPECT_EQ(count("occupancy", dataset), 5 * per_shape) << dataset;
}

// But 3xtf32, which few algorithms and devices have.
TEST(ShippedSuites, MainIsEveryDirectionAndDtype) {
  EXPECT_EQ(expand(read_suite(kConfigs / "suites/main.toml"), kSuiteNames).size(),
            kSuiteNames.size() * 3 * (float_dtypes().size() - 1));
}

TEST_F(SuiteFileTest, DeepKeysAndValuesAreRefused) {
  std::string keys, lists;
  for (int i = 0; i < 50'000; ++i) keys += "a.", lists += '[';
  for (const std::string& text : {"\n" + keys + "b = 1\n", "\n[" + keys + "b]\n", "\nx = " + lists})
    expect_error([&] { read_suite(write("deep.toml", text)); }, "deep.toml:2: nests");
}

TEST_F(SuiteFileTest, NumbersWithAPointAreNoWholeOnes) {
  for (const char* line : {"seed = 1.0", "channels = 16.0", "channels = [8, 16.0]",
                           "kernel_size = 3.0", "resolution = 256.0", "batch_copies = 1e0"})
    expect_error([&] { read_suite(write("s.toml", line)); }, ".0\" is no integer");
  const SuiteOptions options = read_suite(write("s.toml", "voxel_size = 1.0"));
  EXPECT_EQ(options.shapes[0].voxel_size, VoxelSize(1));
  expect_error([&] { read_suite(write("s.toml", "\nseed = 9223372036854775808")); }, "s.toml:2: ");
}

TEST_F(SuiteFileTest, BlocksThatSpanTooMuchAreRefusedAsTheyAreRead) {
  std::string text = "channels = \"1-1000\"\ndilation = \"1-100\"\n";
  for (int i = 0; i < 11; ++i) text += "[[shapes]]\n";
  expect_error([&] { read_suite(write("s.toml", text)); }, "s.toml:13: lists span 1.1e+06 cases");
}

TEST_F(SuiteFileTest, FilesThatAreIncludedManyTimesCountEachTime) {
  write("shapes.toml", "channels = \"1-1000\"\ndilation = \"1-100\"\n");
  std::string text = "include = [\"shapes.toml\"";
  for (int i = 0; i < 10; ++i) text += ", \"shapes.toml\"";
  expect_error([&] { read_suite(write("s.toml", text + "]\n")); },
               "s.toml:1: include: lists span 1.1e+06 cases");
}

}  // namespace
}  // namespace spb::config
