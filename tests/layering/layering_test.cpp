// SPDX-License-Identifier: Apache-2.0
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

/// Permissions that no file of the folder makes use of.
std::set<std::string> unused_permissions(const Table& table, const std::string& part,
                                         const std::set<std::string>& included) {
  std::set<std::string> unused;
  for (const std::string& allowed : table.at(part))
    if (allowed != part && !included.contains(allowed)) unused.insert(allowed);
  return unused;
}

/// Folders of lib/ that a source includes.
std::set<std::string> parts_included(const std::string& source) {
  std::set<std::string> parts;
  const std::regex include(R"re((?:^|\n)\s*#\s*include\s*"(\w+)/[^"]+")re");
  for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it)
    parts.insert((*it)[1].str());
  return parts;
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

TEST(Layering, UnusedPermissionIsFound) {
  const Table table = parse_table("spb_part(a)\nspb_part(b)\nspb_part(c USES a b)\n");
  EXPECT_EQ(unused_permissions(table, "c", parts_included("#include \"a/a.h\"\n")),
            std::set<std::string>{"b"});
  EXPECT_TRUE(unused_permissions(table, "c", {"a", "b"}).empty());
}

TEST(Layering, EveryPermissionIsUsed) {
  for (const auto& [part, allowed] : kTable) {
    std::set<std::string> included;
    for (const fs::path& file : sources(kRoot / "lib" / part))
      included.merge(parts_included(read(file)));
    for (const std::string& unused : unused_permissions(kTable, part, included))
      ADD_FAILURE() << "lib/CMakeLists.txt allows " << part << " to use " << unused
                    << ", which it does not: take it away";
  }
}

/// What the command line may know of maps, kernels and algorithms.
const std::set<std::string> kOfTheInside{
    "algorithms/algorithm.h",      // the table that every command is given
    "kernels/kernel_variants.h",   // list kernels
    "kernels/product_variants.h",  // those of libraries among them
};

TEST(Layering, TheCommandLineSeesNoInsideOfAlgorithms) {
  std::set<std::string> included;
  const std::regex include(R"re(#\s*include\s*"((?:maps|kernels|algorithms)/[^"]+)")re");
  for (const fs::path& file : sources(kRoot / "app")) {
    const std::string source = read(file);
    for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it) {
      included.insert((*it)[1].str());
      EXPECT_TRUE(kOfTheInside.contains((*it)[1].str()))
          << file << ": " << (*it)[0].str() << ": the command line has no business with it";
    }
  }
  EXPECT_EQ(included, kOfTheInside) << "what no command needs any more is not allowed any more";
}

// The reference judges shapes, too: it derives its own.
TEST(Layering, TheReferenceKnowsNoTableOfTensors) {
  std::vector<fs::path> files = sources(kRoot / "lib/reference");
  for (const fs::path& file : sources(kRoot / "tests/reference")) files.push_back(file);
  ASSERT_GE(files.size(), 10u);
  for (const fs::path& file : files)
    EXPECT_EQ(read(file).find("core/tensors.h"), std::string::npos) << file;
}

/// A product of the kernel volume and channels, also those of a group, which only core/tensors and
/// the reference write.
bool derives_weights(const std::string& source) {
  const std::string volume = R"((kernel_volume(\(\))?|\bkv)\}?\)?)",
                    channels = R"((\w+(\.|->))?c_(in|out)_?\b)", cast = R"((int64_t\{|\()*)",
                    group = R"((\s*/\s*(\w+(\.|->))?groups_?\b)?)";
  static const std::regex product(volume + R"(\s*\*\s*)" + cast + channels + "|" + channels +
                                  group + R"(\}?\)?\s*\*\s*)" + cast + R"((\w+(\.|->))?)" + volume);
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    if (line.find("c_") != std::string::npos && std::regex_search(line, product)) return true;
  }
  return false;
}

TEST(Layering, DerivedWeightsAreFound) {
  EXPECT_TRUE(derives_weights("return int64_t{c_out} * kernel_volume() * c_in;"));
  EXPECT_TRUE(derives_weights("n = p.kernel_volume() * p.c_in;"));
  EXPECT_TRUE(derives_weights("int64_t{problem.c_out} * problem.kernel_volume();"));
  EXPECT_TRUE(derives_weights("kv * problem_.c_in"));
  EXPECT_TRUE(derives_weights("p.kernel_volume() * p.c_in / p.groups"));
  EXPECT_TRUE(derives_weights("p.kernel_volume() * (p.c_in / p.groups)"));
  EXPECT_TRUE(derives_weights("(c_in / groups) * kernel_volume"));
  EXPECT_TRUE(derives_weights("int64_t{p.c_out / p.groups} * p.kernel_volume()"));
  EXPECT_FALSE(derives_weights("n_out * kernel_volume()  // times c_in"));
}

TEST(Layering, ShapesAreKnownInOnePlace) {
  std::vector<fs::path> files = sources(kRoot / "app");
  for (const auto& [part, allowed] : kTable)
    if (part != "reference")
      for (const fs::path& file : sources(kRoot / "lib" / part)) files.push_back(file);
  int seen = 0;
  for (const fs::path& file : files) {
    if (file.extension() == ".cu" || file.extension() == ".cuh") continue;  // know no Problem
    if (file.stem() == "tensors") continue;
    ++seen;
    EXPECT_FALSE(derives_weights(read(file)))
        << file << " works out the shape of weights: ask core/tensors.h";
  }
  EXPECT_GT(seen, 300);  // the folders were found
}

TEST(Layering, VendorSwitchIsFound) {
  EXPECT_TRUE(has_vendor_switch("#if defined(SPB_GPU_CUDA)\n"));
  EXPECT_FALSE(has_vendor_switch("#if defined(NDEBUG)\n"));
}

/// Of app/ and lib/ but lib/gpu.
std::vector<fs::path> sources_without_gpu() {
  std::vector<fs::path> files = sources(kRoot / "app");
  for (const auto& [part, allowed] : kTable)
    if (part != "gpu")
      for (const fs::path& file : sources(kRoot / "lib" / part)) files.push_back(file);
  return files;
}

TEST(Layering, VendorSwitchesStandInGpuAlone) {
  for (const fs::path& file : sources_without_gpu())
    EXPECT_FALSE(has_vendor_switch(read(file))) << file;
}

/// Files of lib/ and app/ that a file of theirs includes.
const std::vector<fs::path>& includes_of(const fs::path& file) {
  static std::map<fs::path, std::vector<fs::path>> known;
  const auto [at, is_new] = known.try_emplace(file);
  if (!is_new) return at->second;
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::istringstream lines(read(file));
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, found, include))
      for (const char* base : {"lib", "app"})
        if (const fs::path next = kRoot / base / found[1].str(); fs::exists(next))
          at->second.push_back(next);
  return at->second;
}

/// The includes that lead from a file to `header`; none where it does not see it.
std::vector<fs::path> way_to(const fs::path& header, const fs::path& from,
                             std::set<fs::path>& seen) {
  if (from == header) return {from};
  for (const fs::path& next : includes_of(from)) {
    if (!seen.insert(next).second) continue;
    std::vector<fs::path> way = way_to(header, next, seen);
    if (!way.empty()) return way.insert(way.begin(), from), way;
  }
  return {};
}

std::vector<fs::path> way_to_a_vendor(const fs::path& from) {
  std::set<fs::path> seen;
  return way_to(kRoot / "lib/gpu/runtime.h", from, seen);
}

// So that it is the same for every vendor, and compiled once for all of them.
TEST(Layering, FilesForAnyCompilerReachNoVendor) {
  EXPECT_EQ(way_to_a_vendor(kRoot / "lib/gpu/buffer.cpp").size(), 3u);  // by way of gpu/check.h
  int seen = 0;
  for (const fs::path& file : sources_without_gpu()) {
    if (file.extension() != ".cpp" && file.extension() != ".h") continue;
    ++seen;
    std::string way;
    for (const fs::path& step : way_to_a_vendor(file)) way += "\n  " + step.string();
    EXPECT_EQ(way, "") << "C++ that only queues work needs no vendor's header";
  }
  EXPECT_GT(seen, 500);  // the folders were found
}

std::string first_include(const std::string& source) {
  const std::regex include(R"re((?:^|\n)\s*#\s*include\s*["<]([^">]+)[">])re");
  std::smatch found;
  return std::regex_search(source, found, include) ? found[1].str() : "";
}

TEST(Layering, TheFirstIncludeIsFound) {
  EXPECT_EQ(first_include("// text\n#include \"maps/order.h\"\n#include <bit>\n"), "maps/order.h");
  EXPECT_EQ(first_include("#include <bit>\n#include \"maps/order.h\"\n"), "bit");
}

// So that the header is compiled alone: nothing before it can lend it what it lacks.
TEST(Layering, SourcesIncludeTheirOwnHeaderFirst) {
  const fs::path lib = fs::path(SPB_SOURCE_DIR) / "lib";
  int headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(lib)) {
    const fs::path& header = entry.path();
    if (header.extension() != ".h" && header.extension() != ".cuh") continue;
    for (const char* extension : {".cpp", ".cu"}) {
      const fs::path source = fs::path(header).replace_extension(extension);
      if (!fs::exists(source)) continue;
      ++headers;
      EXPECT_EQ(first_include(read(source)), fs::relative(header, lib)) << source;
    }
  }
  EXPECT_GT(headers, 150);
}

}  // namespace
