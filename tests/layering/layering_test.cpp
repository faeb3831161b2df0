// The table in lib/CMakeLists.txt is the law: an #include it does not allow fails here.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Table = std::map<std::string, std::set<std::string>>;  // part -> parts it may use

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Table parse_table(const std::string& cmake) {
  Table table;
  const std::regex line(R"((?:^|\n)spb_part\((\w+)(?:\s+USES\s+([\w\s]+))?\))");
  for (std::sregex_iterator it(cmake.begin(), cmake.end(), line), end; it != end; ++it) {
    std::istringstream uses((*it)[2].str());
    auto& allowed = table[(*it)[1].str()];
    allowed.insert((*it)[1].str());
    for (std::string part; uses >> part;) allowed.insert(part);
  }
  return table;
}

std::vector<std::string> forbidden_includes(const Table& table, const std::string& part,
                                            const std::string& source) {
  std::vector<std::string> found;
  const std::regex include(R"re(#\s*include\s*"(\w+)/[^"]+")re");
  for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it) {
    const std::string used = (*it)[1].str();
    if (table.contains(used) && !table.at(part).contains(used)) found.push_back((*it)[0].str());
  }
  return found;
}

bool has_vendor_switch(const std::string& source) {
  return std::regex_search(source, std::regex(R"(#\s*(if|ifdef|elif).*(SPB_GPU_|__CUDA|__HIP))"));
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (std::set<std::string>{".h", ".cpp", ".cu", ".cuh"}.contains(entry.path().extension()))
      files.push_back(entry.path());
  return files;
}

const fs::path kRoot = SPB_SOURCE_DIR;
const Table kTable = parse_table(read(kRoot / "lib/CMakeLists.txt"));

TEST(Layering, TableIsRead) {
  ASSERT_GE(kTable.size(), 11u);
  EXPECT_TRUE(kTable.at("maps").contains("gpu"));
  EXPECT_FALSE(kTable.at("reference").contains("maps"));
}

TEST(Layering, WhatJudgesSeesNothingItJudges) {
  for (const char* judge : {"reference", "verify"})
    EXPECT_EQ(kTable.at(judge), (std::set<std::string>{"core", judge}));
}

TEST(Layering, ForbiddenIncludeIsFound) {
  EXPECT_EQ(forbidden_includes(kTable, "verify", "#include \"maps/maps.h\"\n").size(), 1u);
  EXPECT_EQ(forbidden_includes(kTable, "verify", "#include \"core/dtype.h\"\n").size(), 0u);
}

TEST(Layering, EveryFolderOfLibIsInTheTable) {
  for (const auto& entry : fs::directory_iterator(kRoot / "lib"))
    if (entry.is_directory()) {
      EXPECT_TRUE(kTable.contains(entry.path().filename())) << entry.path();
    }
}

TEST(Layering, PartsIncludeOnlyWhatTheTableAllows) {
  for (const auto& [part, allowed] : kTable)
    for (const fs::path& file : sources(kRoot / "lib" / part))
      for (const std::string& include : forbidden_includes(kTable, part, read(file)))
        ADD_FAILURE() << file << ": " << include << " is not allowed for " << part;
}

TEST(Layering, KernelsKnowNoProblem) {
  for (const fs::path& file : sources(kRoot / "lib/kernels"))
    EXPECT_EQ(read(file).find("core/problem.h"), std::string::npos) << file;
}

TEST(Layering, VendorSwitchIsFound) {
  EXPECT_TRUE(has_vendor_switch("#if defined(SPB_GPU_CUDA)\n"));
  EXPECT_FALSE(has_vendor_switch("#if defined(NDEBUG)\n"));
}

TEST(Layering, VendorSwitchesStandInGpuAlone) {
  std::vector<fs::path> files = sources(kRoot / "app");
  for (const auto& [part, allowed] : kTable)
    if (part != "gpu")
      for (const fs::path& file : sources(kRoot / "lib" / part)) files.push_back(file);
  for (const fs::path& file : files) EXPECT_FALSE(has_vendor_switch(read(file))) << file;
}

}  // namespace
