// SPDX-License-Identifier: Apache-2.0
// Properties of the sources that are easily lost one change at a time. Each list of exceptions is
// today's: it may shrink, never grow, and an entry that is no longer needed fails, too.
#include <algorithm>
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
using Names = std::set<std::string>;

const fs::path kRoot = SPB_SOURCE_DIR;

/// A file that one reads in one sitting.
constexpr int64_t kMostLines = 400;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Relative to the root.
std::vector<std::string> sources(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
    if (Names{".h", ".cpp", ".cu", ".cuh"}.contains(entry.path().extension()))
      files.push_back(fs::relative(entry.path(), kRoot));
  return files;
}

int64_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

/// Whether a string literal of the source spells an algorithm's name, or the program's help would
/// have to be changed for a new one.
bool spells_an_algorithm(const std::string& source) {
  const std::regex name(R"re("[^"\n]*((explicit|implicit)_gemm|gather_scatter)[^"\n]*")re");
  const std::regex comment(R"(//[^\n]*)");
  return std::regex_search(std::regex_replace(source, comment, ""), name);
}

TEST(Properties, FilesAreReadInOneSitting) {
  int files = 0;
  for (const char* folder : {"lib", "app", "tests"})
    for (const std::string& file : sources(folder)) {
      ++files;
      EXPECT_LE(lines(read(kRoot / file)), kMostLines) << file;
    }
  EXPECT_GT(files, 500);  // the folders were found
}

TEST(Properties, EverySourceNamesItsLicense) {
  for (const char* folder : {"lib", "app", "tests"})
    for (const std::string& file : sources(folder))
      EXPECT_TRUE(read(kRoot / file).starts_with("// SPDX-License-Identifier: Apache-2.0\n"))
          << file;
}

TEST(Properties, NamesAreFoundInLiteralsAlone) {
  EXPECT_TRUE(spells_an_algorithm("if (name == \"masked_implicit_gemm\") {}\n"));
  EXPECT_FALSE(spells_an_algorithm("// \"masked_implicit_gemm\"\n"));
  EXPECT_FALSE(spells_an_algorithm("#include \"algorithms/registry.h\"\n"));
}

// Another engine's contenders are judged by the same code.
TEST(Properties, RunSeesContendersAlone) {
  const std::regex inside(R"re(#include "(algorithms/|engines/native/|kernels/)[^"]*")re");
  int files = 0;
  for (const std::string& file : sources("lib/run")) {
    ++files;
    EXPECT_FALSE(std::regex_search(read(kRoot / file), inside)) << file;
  }
  EXPECT_GT(files, 10);
}

/// Whether a source asks std::filesystem what lies at a path, by a function that throws.
bool asks_and_throws(const std::string& source) {
  static const std::regex asked(
      R"re(entry\.is_directory\(\)|(fs|filesystem)::(exists|is_regular_file|is_directory|is_symlink)\((?!status\))([^(),]|\([^()]*\))*\))re");
  return std::regex_search(source, asked);
}

// core/paths.h asks for what a user may have written.
TEST(Properties, QuestionsAboutPathsDoNotThrow) {
  EXPECT_TRUE(asks_and_throws("if (fs::exists(folder / name(1))) return;"));
  EXPECT_TRUE(asks_and_throws("std::filesystem::is_regular_file(path)"));
  EXPECT_TRUE(asks_and_throws("if (entry.is_directory()) continue;"));
  EXPECT_FALSE(asks_and_throws("fs::exists(folder / name(1), error)"));
  EXPECT_FALSE(asks_and_throws("if (is_file(path)) return;"));
  for (const char* folder : {"lib", "app"})
    for (const std::string& file : sources(folder))
      EXPECT_FALSE(asks_and_throws(read(kRoot / file))) << file;
}

/// Columns whose names could be nothing else: with an underscore and a unit or a statistic.
Names plain_columns() {
  const std::string table = read(kRoot / "lib/core/columns.inc");
  const std::regex row(
      R"re(SPB_COLUMN\(\w+, (\w+_(us|rel|mhz|gbps|gflops|pct|bytes|status|utc|uuid|class|params)),)re");
  Names names;
  for (auto found = std::sregex_iterator(table.begin(), table.end(), row);
       found != std::sregex_iterator(); ++found)
    names.insert((*found)[1]);
  return names;
}

/// Whether a literal of the source is one of them.
bool spells_a_column(const std::string& source) {
  static const Names kColumns = plain_columns();
  static const std::regex literal(R"re("(\w+)")re"), comment(R"(//[^\n]*)");
  const std::string code = std::regex_replace(source, comment, "");
  for (auto found = std::sregex_iterator(code.begin(), code.end(), literal);
       found != std::sregex_iterator(); ++found)
    if (kColumns.contains((*found)[1])) return true;
  return false;
}

TEST(Properties, ColumnsAreFoundInLiteralsAlone) {
  EXPECT_TRUE(spells_a_column("row.named(\"time_median_us\") = 1;\n"));
  EXPECT_FALSE(spells_a_column("row[columns::time_median_us] = 1.;\n"));
  EXPECT_FALSE(spells_a_column("// \"time_median_us\"\n"));
  EXPECT_GT(plain_columns().size(), 20u);
}

// Rows are filled and read by the handles of core/columns.h.
TEST(Properties, NoOtherFileSpellsAColumn) {
  Names found;
  for (const char* folder : {"lib", "app"})
    for (const std::string& file : sources(folder))
      if (spells_a_column(read(kRoot / file))) found.insert(file);
  EXPECT_EQ(found, Names{});
}

/// Adds the files that a source includes, and what these include.
void follow_includes(const std::string& file, Names& files) {
  const std::regex include(R"re((?:^|\n)\s*#\s*include "([^"]+)")re");
  const std::string source = read(kRoot / file);
  for (auto found = std::sregex_iterator(source.begin(), source.end(), include);
       found != std::sregex_iterator(); ++found)
    for (const std::string& folder : {std::string("lib/"), std::string("tests/")})
      if (const std::string next = folder + (*found)[1].str(); fs::exists(kRoot / next))
        if (files.insert(next).second) follow_includes(next, files);
}

// Elsewhere than on host the C++ compiler cannot read what the words of a device's threads need.
TEST(Properties, TestsThatSeeDeviceCodeAreDeviceCode) {
  Names device;
  for (const std::string& file : sources("tests")) {
    if (!file.ends_with(".cpp") || file.starts_with("tests/gpu/host_")) continue;
    Names files;
    follow_includes(file, files);
    if (files.contains("lib/gpu/warp.cuh") || files.contains("lib/gpu/element.cuh"))
      device.insert(file);
  }
  EXPECT_EQ(device, Names{});
}

/// The constants and types that a source defines at the beginning of a line.
Names own_names(const std::string& source) {
  const std::regex constant(R"((?:^|\n)(?:inline )?(?:constexpr |const )+[\w:<>*, ]+ (k[A-Z]\w*))");
  const std::regex type(R"((?:^|\n)(?:struct|class) (?:alignas\(.*\) )?(\w+)[^;\n]*\{)");
  Names names;
  for (const std::regex* what : {&constant, &type})
    for (auto found = std::sregex_iterator(source.begin(), source.end(), *what);
         found != std::sregex_iterator(); ++found)
      names.insert((*found)[1]);
  return names;
}

TEST(Properties, OwnNamesAreFound) {
  EXPECT_EQ(own_names("constexpr int kRows = 4;\nconstexpr const char* kWords = \"\";\n\nstruct "
                      "alignas(16) Rows {\n  int at[kRows];\n"
                      "  static constexpr int kInside = 1;\n};\nstruct Declared;\n"),
            (Names{"Rows", "kRows", "kWords"}));
}

// A device's compiler reads several sources of a folder as one (spb_device_in_groups), host each by
// itself; which come together, and with which headers, changes with every new source.
TEST(Properties, DeviceSourcesOfAFolderShareNoName) {
  for (const char* folder : {"lib/bench", "lib/gpu", "lib/kernels", "lib/maps"}) {
    Names names;
    for (const std::string& file : sources(folder))
      if (file.ends_with(".cuh")) names.merge(own_names(read(kRoot / file)));
    for (const std::string& file : sources(folder)) {
      if (!file.ends_with(".cu")) continue;
      for (const std::string& name : own_names(read(kRoot / file)))
        EXPECT_TRUE(names.insert(name).second) << file << ": another file has a " << name;
    }
    EXPECT_FALSE(names.empty()) << folder;
  }
}

// The sources of a folder of tests are compiled in groups (spb_in_groups). A name that another one
// has, too, fails there at some time; a constant that hides the library's changes what the tests
// behind it mean, and no compiler says so.
TEST(Properties, SourcesOfAFolderOfTestsShareNoName) {
  const Names apart{"layering", "fuzz"};  // not in groups
  Names of_library;
  for (const std::string& file : sources("lib"))
    if (!file.ends_with(".cpp") && !file.ends_with(".cu"))
      of_library.merge(own_names(read(kRoot / file)));
  // Of a type that hides another one, the compiler finds what it lacks.
  std::erase_if(of_library, [](const std::string& name) { return name.front() != 'k'; });
  EXPECT_TRUE(of_library.contains("kWindow"));
  int folders = 0;
  for (const auto& folder : fs::directory_iterator(kRoot / "tests")) {
    const std::string part = folder.path().filename();
    if (!folder.is_directory() || apart.contains(part)) continue;
    ++folders;
    Names names = of_library;
    for (const std::string& file : sources("tests/" + part))
      for (const std::string& name : own_names(read(kRoot / file)))
        EXPECT_TRUE(names.insert(name).second) << file << ": another file has a " << name;
  }
  EXPECT_GT(folders, 15);
}

// Tests run beside each other, and beside those of another build: one name is then one folder for
// two.
enum class Waits { never, later, first };

/// When each kernel that the source defines waits for those before it, by the kernel's name.
std::map<std::string, Waits> kernels_that_wait(const std::string& source) {
  std::map<std::string, Waits> waits;
  const std::regex head(R"((GPU_KERNEL|__global__) void[^{;]*?\b(\w+_kernel)\()");
  const std::regex call(R"(\bwait_for_earlier_kernels(_alone)?\(\);)");
  for (std::sregex_iterator at(source.begin(), source.end(), head), end; at != end; ++at) {
    const auto from = static_cast<size_t>(at->position());
    const std::string kernel = source.substr(from, source.find("\n}\n", from) - from);
    const std::string block = kernel.substr(kernel.find("{\n") + 2);
    std::smatch wait;
    const bool does = std::regex_search(block, wait, call);
    const std::string before = does ? wait.prefix().str() : "";
    waits[(*at)[2]] = !does                                   ? Waits::never
                      : before.find(';') == std::string::npos ? Waits::first
                                                              : Waits::later;
  }
  return waits;
}

/// Kernels that prepare registers or shared memory before they wait. What stands there was read:
/// it touches no other memory.
const Names kPrepareBeforeTheyWait = {"count_kernel",
                                      "depthwise_halo_rows_kernel",
                                      "halo_wgrad_kernel",
                                      "halo_wgrad_wgmma_kernel",
                                      "look_up_kernel",
                                      "pass_kernel",
                                      "rows_kernel",
                                      "wgmma_rows_kernel",
                                      "wgrad_kernel",
                                      "wgrad_wgmma_kernel",
                                      "wgrad_wgmma_tf32_kernel"};

/// Kernels that a source launches early, by their names or as a variable that is one of several.
Names launched_early(const std::string& source) {
  Names names;
  const std::regex call(R"(launch(_flat)?(_few)?_early\(([^;]*))"), variable(R"(^kernel,)"),
      assigned(R"(\bkernel = ([^;]*))"), kernel(R"(\b\w+_kernel\b)");
  const std::sregex_iterator end;
  const auto insert_all = [&](const std::string& text) {
    for (std::sregex_iterator name(text.begin(), text.end(), kernel); name != end; ++name)
      names.insert(name->str());
  };
  for (std::sregex_iterator at(source.begin(), source.end(), call); at != end; ++at) {
    const std::string arguments = (*at)[3];
    insert_all(arguments);
    if (!std::regex_search(arguments, variable)) continue;
    for (std::sregex_iterator of(source.begin(), source.end(), assigned); of != end; ++of)
      insert_all((*of)[1]);
  }
  return names;
}

TEST(Properties, EarlyKernelsAreFound) {
  const std::string source =
      "GPU_KERNEL void __launch_bounds__(64)\n    a_kernel(int* out) {\n"
      "  wait_for_earlier_kernels();\n  *out = 1;\n}\n"
      "GPU_KERNEL void b_kernel(int* out) {\n  *out = 1;\n}\n"
      "GPU_KERNEL void late_kernel(int* out) {\n  *out = 1;\n  wait_for_earlier_kernels();\n}\n"
      "GPU_KERNEL void alone_kernel() {\n  wait_for_earlier_kernels_alone();\n}\n"
      "GPU_KERNEL void said_kernel() {\n  // no wait_for_earlier_kernels()\n  next();\n}\n";
  EXPECT_EQ(kernels_that_wait(source),
            (std::map<std::string, Waits>{{"a_kernel", Waits::first},
                                          {"alone_kernel", Waits::first},
                                          {"b_kernel", Waits::never},
                                          {"late_kernel", Waits::later},
                                          {"said_kernel", Waits::never}}));
  EXPECT_EQ(launched_early("gpu::launch_flat_few_early(one ? a_kernel<1> : b_kernel, n);\n"
                           "gpu::launch(c_kernel, n);\n"),
            (Names{"a_kernel", "b_kernel"}));
  EXPECT_EQ(launched_early("auto* kernel = a_kernel<1>;\nif (b) kernel = b_kernel<1>;\n"
                           "gpu::launch_early(kernel, grid, n);\n"),
            (Names{"a_kernel", "b_kernel"}));
}

/// Else a kernel could read what the one before it has not written yet.
TEST(Properties, KernelsThatBeginEarlyWaitForThoseBefore) {
  std::map<std::string, std::map<std::string, Waits>> waits;  // by file
  for (const std::string& file : sources("lib"))
    waits[file] = kernels_that_wait(read(kRoot / file));
  int launches = 0;
  for (const auto& [file, own] : waits)
    for (const std::string& name : launched_early(read(kRoot / file))) {
      ++launches;
      // Of a name that the file itself defines no other is meant.
      int defined = 0;
      for (const auto& [other, kernels] : waits) {
        if (!kernels.contains(name) || (own.contains(name) && other != file)) continue;
        ++defined;
        EXPECT_NE(kernels.at(name), Waits::never) << name << " in " << other;
        EXPECT_EQ(kernels.at(name) == Waits::later, kPrepareBeforeTheyWait.contains(name))
            << name << " in " << other << " touches memory before it waits, or may leave the list";
      }
      EXPECT_GT(defined, 0) << name << " launched in " << file;
    }
  EXPECT_GT(launches, 30);
}

TEST(Properties, TemporaryFoldersHaveNamesOfTheirOwn) {
  const std::regex folder_of_all(R"((?:temp_directory_path|TempDir)\(\))");
  Names found;
  for (const std::string& file : sources("tests"))
    if (std::regex_search(read(kRoot / file), folder_of_all)) found.insert(file);
  EXPECT_EQ(found,
            (Names{"tests/data/temp_file.h", "tests/fuzz/fuzz.cpp", "tests/temporary_folder.h"}));
}

// A new algorithm is a folder of algorithms/ and a row of its table.
TEST(Properties, NoOtherFileSpellsAnAlgorithmsName) {
  Names found;
  for (const char* folder : {"lib", "app"})
    for (const std::string& file : sources(folder))
      if (!file.starts_with("lib/algorithms/") && spells_an_algorithm(read(kRoot / file)))
        found.insert(file);
  EXPECT_EQ(found, Names{});
}

}  // namespace
