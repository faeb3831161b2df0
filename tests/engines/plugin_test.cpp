// SPDX-License-Identifier: Apache-2.0
// What the program says to libraries that are no plug-ins of it.
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>

#include "core/error.h"
#include "engines/plugin/load.h"
#include "temporary_folder.h"

namespace spb::engines {
namespace {

/// The error of loading; empty if it loads.
std::string error_of(const std::string& path) {
  try {
    load_plugin(path);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    return error.what();
  }
}

std::string error_with(const char* fault) {
  setenv("SPB_PLUGIN_FAULT", fault, 1);
  const std::string error = error_of(SPB_FAULTY_PLUGIN);
  unsetenv("SPB_PLUGIN_FAULT");
  return error;
}

TEST(Plugin, SaysWhatItIs) {
  const Plugin plugin = load_plugin(SPB_FAULTY_PLUGIN);
  EXPECT_EQ(plugin.name, "faults");
  EXPECT_EQ(plugin.version, "0.1");
  ASSERT_FALSE(plugin.algorithms.empty());
  const Algorithm& right = plugin.algorithms.front();
  EXPECT_FALSE(right.plans_apart);  // they may wait for their stream
  EXPECT_STREQ(right.name, "faults:right");
  EXPECT_STREQ(right.summary, "for tests");
  EXPECT_EQ(right.version, 3);
}

TEST(Plugin, RefusesWhatItDoesNotClaim) {
  const Algorithm right = load_plugin(SPB_FAULTY_PLUGIN).algorithms.front();
  Problem problem;
  EXPECT_FALSE(right.unsupported(problem));
  Problem dgrad = problem;
  dgrad.direction = Direction::dgrad;
  dgrad.bias = false;
  EXPECT_TRUE(right.unsupported(dgrad));
  Problem half = problem;
  half.dtype = Dtype::f16;
  EXPECT_TRUE(right.unsupported(half));
  Problem generative = problem;
  generative.geometry.kind = ConvKind::generative;
  EXPECT_TRUE(right.unsupported(generative));
  Problem relu = problem;
  relu.epilogue.activation = Activation::relu;
  EXPECT_TRUE(right.unsupported(relu));
  Problem groups = problem;
  groups.groups = 2;
  EXPECT_TRUE(right.unsupported(groups));
  Problem unlucky = problem;
  unlucky.c_in = 13;
  EXPECT_EQ(right.unsupported(unlucky), "c_in = 13 brings bad luck");
  EXPECT_TRUE(right.unsupported(problem, {{{"split", "2"}}, ChoiceSource::forced}));
}

TEST(Plugin, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> kFaults[] = {
      {"nothing", "returned nothing"},
      {"abi", "is of plug-in ABI 99, this program takes 1"},
      {"name", "its name is not of the letters"},
      {"version", "it has no version"},
      {"backend", "is of backend \"cuda\", this program of host"},
      {"algorithms", "it has no algorithm"},
      {"algorithm name", "algorithm Plan/fails: its name is not of the letters"},
      {"dtype", "algorithm right, dtypes: dtype \"f61\" is unknown"},
      {"direction", "algorithm right, directions: the list is empty"},
      {"kind", "algorithm right, kinds: convolution kind \"\" is unknown"},
      {"needs", "algorithm right: needs 64 is unknown"},
      {"layout", "algorithm right: weight_layout 2 is unknown"},
      {"function", "algorithm right: plan, run or destroy is missing"},
      {"twice", "algorithm right is there twice"},
  };
  for (const auto& [fault, words] : kFaults) {
    const std::string error = error_with(fault);
    EXPECT_NE(error.find(words), std::string::npos) << fault << ": " << error;
    EXPECT_TRUE(error.starts_with(SPB_FAULTY_PLUGIN)) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(SPB_FAULTY_PLUGIN), "") << "without a fault";
}

TEST(Plugin, RefusesOtherFiles) {
  EXPECT_NE(error_of("libm.so.6").find("libm.so.6: "), std::string::npos)
      << "the system's folders are not searched";
  Dl_info libc{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::getenv), &libc), 0);
  EXPECT_NE(error_of(libc.dli_fname).find("does not export spconv_bench_plugin"),
            std::string::npos);
  const TemporaryFolder folder;
  const std::string text = folder.write("text.so", "no library\n");
  EXPECT_NE(error_of(text).find("file too short"), std::string::npos) << error_of(text);
}

// Wherever it ends, it is refused in one line. What lies behind all that is loaded nobody misses.
TEST(Plugin, MayEndAnywhere) {
  std::ifstream file(SPB_FAULTY_PLUGIN, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(bytes.size(), 4096u);
  const TemporaryFolder folder;
  int cut_off = 0;
  for (size_t size = 0; size < bytes.size(); size += size < 1024 ? 37 : 1021) {
    const std::string error = error_of(folder.write(std::to_string(size), bytes.substr(0, size)));
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    cut_off += error.find("ends too early") != std::string::npos;
  }
  EXPECT_GT(cut_off, 10);
}

}  // namespace
}  // namespace spb::engines
