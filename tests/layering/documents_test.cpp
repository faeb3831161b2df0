// SPDX-License-Identifier: Apache-2.0
// What comments and pages point to must be there: a page that a comment names, with the section it
// cites, whatever a page links to, and sources that it names as code. Records are named as code,
// too, and not looked for: their folders come and go with the devices they were measured on.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SPB_SOURCE_DIR;

/// Pages that the program itself writes, or a job in CI makes of them.
const std::set<std::string> kWritten{"summary.md", "compare.md"};

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The comments of C++, CSS or JavaScript, without their marks. Lines that follow one another are
/// joined by a blank, others end with a line break.
class Comments {
 public:
  explicit Comments(const std::string& source) : source_(source) {
    while (at_ < source_.size()) step();
  }
  const std::string& text() const { return text_; }

 private:
  bool is_here(std::string_view word) const { return source_.compare(at_, word.size(), word) == 0; }
  /// To behind `end`, from here on.
  void skip_past(std::string_view end) {
    const size_t found = source_.find(end, at_);
    at_ = found == std::string::npos ? source_.size() : found + end.size();
  }
  void add(size_t begin, size_t end) {
    // Only blanks since the last comment ended, and one line break: it goes on here.
    const std::string between = source_.substr(last_end_, begin - last_end_);
    const bool goes_on = last_end_ > 0 && std::ranges::count(between, '\n') <= 1 &&
                         between.find_first_not_of(" \t\r\n") == std::string::npos;
    const size_t first = std::min(source_.find_first_not_of("/*!< ", begin), end);
    text_ += (goes_on ? " " : "\n") + source_.substr(first, end - first);
    last_end_ = end;
  }
  void step() {
    const bool after_word = at_ > 0 && std::isalnum(static_cast<unsigned char>(source_[at_ - 1]));
    if (is_here("//")) {
      const size_t end = std::min(source_.find('\n', at_), source_.size());
      add(at_, end);
      at_ = end;
    } else if (is_here("/*")) {
      const size_t begin = at_;
      at_ += 2;
      skip_past("*/");
      add(begin, at_);
    } else if (is_here("R\"") && !after_word) {
      const size_t open = source_.find('(', at_);
      if (open == std::string::npos) {
        at_ = source_.size();
        return;
      }
      const std::string end = ")" + source_.substr(at_ + 2, open - at_ - 2) + "\"";
      at_ = open;
      skip_past(end);
    } else if (source_[at_] == '"' || (source_[at_] == '\'' && !after_word)) {  // 1'000 is a number
      const char quote = source_[at_++];
      while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n')
        at_ += source_[at_] == '\\' ? 2 : 1;
      ++at_;
    } else {
      ++at_;
    }
  }

  const std::string& source_;
  size_t at_ = 0, last_end_ = 0;
  std::string text_;
};

/// Of scripts, CMake, TOML and YAML.
std::string hash_comments(const std::string& source) {
  std::string text, line;
  std::istringstream lines(source);
  bool goes_on = false;
  while (std::getline(lines, line)) {
    const size_t begin = line.find_first_not_of(" \t");
    const bool whole = begin != std::string::npos && line[begin] == '#';
    const size_t mark = whole ? begin : line.find(" # ");
    if (mark != std::string::npos) {
      const size_t first = std::min(line.find_first_not_of("# \t", mark), line.size());
      text += (goes_on && whole ? " " : "\n") + line.substr(first);
    }
    goes_on = whole;
  }
  return text;
}

bool is_cpp(const fs::path& path) {
  static const std::set<std::string> kExtensions{".h", ".cpp", ".cu", ".cuh", ".css", ".js", ".in"};
  return kExtensions.contains(path.extension().string());
}

/// Files with comments by '#': programs without an extension, too.
bool is_hashed(const fs::path& path) {
  static const std::set<std::string> kExtensions{".cmake", ".sh", ".toml", ".yml", ".txt", ""};
  return kExtensions.contains(path.extension().string());
}

std::string comments_of(const fs::path& path) {
  const std::string source = read(path);
  return is_cpp(path) ? Comments(source).text() : hash_comments(source);
}

/// The page that a comment names: as a path from the root, or from docs/. Empty: there is none.
fs::path find_page(const std::string& name) {
  for (const fs::path& folder : {kRoot, kRoot / "docs"})
    if (fs::is_regular_file(folder / name)) return folder / name;
  return {};
}

bool has_section(const fs::path& page, const std::string& number) {
  return ("\n" + read(page)).find("\n## " + number + ". ") != std::string::npos;
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), {}};
}

/// What the comments name that is not there: pages, and sections of pages that are.
std::vector<std::string> missing_pages(const std::string& comments) {
  std::vector<std::string> missing;
  static const std::regex kName(R"(([\w./-]+\.md)\b)");
  for (const std::smatch& match : matches(comments, kName)) {
    const std::string name = match[1].str();
    if (!kWritten.contains(name) && find_page(name).empty()) missing.push_back(name);
  }
  static const std::regex kCited(
      R"(([\w./-]+\.md)(?:, sections? |, | sections? )(\d+(?:(?:, | to | and )\d+)*))");
  static const std::regex kNumber(R"(\d+)");
  for (const std::smatch& match : matches(comments, kCited)) {
    const fs::path page = find_page(match[1].str());
    const std::string cited = match[2].str();
    if (page.empty()) continue;
    for (const std::smatch& number : matches(cited, kNumber))
      if (!has_section(page, number[0].str()))
        missing.push_back(match[1].str() + ", section " + number[0].str());
  }
  return missing;
}

/// Links of a page, those to other machines aside, without what stands in code.
std::vector<std::string> links(const std::string& page) {
  std::string text = std::regex_replace(page, std::regex(R"(```[^`]*```)"), "");
  text = std::regex_replace(text, std::regex(R"(`[^`\n]*`)"), "");
  static const std::regex kLink(R"re(\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)")re");
  std::vector<std::string> found;
  for (const std::smatch& match : matches(text, kLink)) {
    const std::string target = match[1].matched ? match[1].str() : match[2].str();
    const std::string path = target.substr(0, target.find('#'));
    if (target.find("://") == std::string::npos && !target.starts_with("mailto:") && !path.empty())
      found.push_back(path);
  }
  return found;
}

std::vector<std::string> missing_links(const std::string& page, const fs::path& folder) {
  std::vector<std::string> missing = links(page);
  std::erase_if(missing, [&](const std::string& path) { return fs::exists(folder / path); });
  return missing;
}

/// Sources that a page names as code, up to the first blank: "lib/gone", but not "lib/<name>".
std::vector<std::string> missing_sources(const std::string& page) {
  static const std::regex kSource(
      R"(`((?:lib|app|tests|configs|cmake|datasets|docs|\.ci)/[\w./-]*)(?= [^`]*`|`))");
  std::vector<std::string> missing;
  for (const std::smatch& match : matches(page, kSource))
    if (const std::string path = match[1].str(); !fs::exists(kRoot / path)) missing.push_back(path);
  return missing;
}

std::vector<fs::path> files_with_comments() {
  std::vector<fs::path> files{kRoot / "bootstrap.sh", kRoot / "CMakeLists.txt"};
  for (const char* folder : {"lib", "app", "tests", ".ci", "cmake", "configs"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.is_regular_file() && (is_cpp(entry.path()) || is_hashed(entry.path())))
        files.push_back(entry.path());
  return files;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    found.push_back(kRoot / name);
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

using Names = std::vector<std::string>;

TEST(Documents, CommentsNamePagesThatAreThere) {
  int cited = 0;
  for (const fs::path& file : files_with_comments()) {
    const std::string comments = comments_of(file);
    cited += comments.find(".md") != std::string::npos;
    for (const std::string& name : missing_pages(comments))
      ADD_FAILURE() << file << " names " << name << ", which is not there";
  }
  EXPECT_GE(cited, 30) << "comments are not read";
}

TEST(Documents, PagesLinkToWhatIsThere) {
  for (const fs::path& page : pages()) {
    ASSERT_TRUE(fs::is_regular_file(page)) << page;
    for (const std::string& path : missing_links(read(page), page.parent_path()))
      ADD_FAILURE() << page << " links to " << path << ", which is not there";
  }
}

TEST(Documents, PagesNameSourcesThatAreThere) {
  for (const fs::path& page : pages())
    for (const std::string& path : missing_sources(read(page)))
      ADD_FAILURE() << page << " names " << path << ", which is not there";
}

TEST(Documents, EveryFolderOfLibIsInTheArchitecture) {
  const std::string architecture = read(kRoot / "docs/architecture.md");
  for (const auto& entry : fs::directory_iterator(kRoot / "lib")) {
    const std::string name = "`lib/" + entry.path().filename().string() + "`";
    if (entry.is_directory() && architecture.find(name) == std::string::npos)
      ADD_FAILURE() << "docs/architecture.md says nothing of " << name;
  }
}

TEST(Documents, WrongSourceIsFound) {
  EXPECT_EQ(missing_sources("`lib/gone` `lib/core` `lib/<x>/a.h` `.ci/gone PROGRAM` `.ci/run -q`"),
            (Names{"lib/gone", ".ci/gone"}));
}

TEST(Documents, WrongNameIsFound) {
  const std::string source = "int x;  // as gone.md says\n// (algorithms.md,\n// section 99)\n";
  EXPECT_EQ(missing_pages(Comments(source).text()),
            (Names{"gone.md", "algorithms.md, section 99"}));
  EXPECT_EQ(missing_pages(hash_comments("x=1 # gone.md\n# algorithms.md, sections 2\n# and 77\n")),
            (Names{"gone.md", "algorithms.md, section 77"}));
  EXPECT_EQ(missing_pages(Comments("/* docs/gone.md */").text()), (Names{"docs/gone.md"}));
}

TEST(Documents, RightNameIsNone) {
  const std::string source =
      "// algorithms.md, 3 to 5, and measurement.md, section 2; summary.md is written\n";
  EXPECT_EQ(missing_pages(Comments(source).text()), Names{});
}

TEST(Documents, OnlyCommentsAreRead) {
  const std::string source =
      "f(\"// a.md\", R\"(// \"b.md)\", 500'000, '\"'); // c.md\n\"d.md\" /* e.md */\n";
  EXPECT_EQ(missing_pages(Comments(source).text()), (Names{"c.md", "e.md"}));
  EXPECT_EQ(missing_pages(hash_comments("run > a.md\n")), Names{});
}

TEST(Documents, WrongLinkIsFound) {
  EXPECT_EQ(missing_links("[a](docs/gone.md#x) [b](README.md) [c](https://d.org/e) `[f](g.md)`\n"
                          "```\n[h](i.md)\n```\n![j](k.png) [l](#m) <img src=\"n.svg\">\n",
                          kRoot),
            (Names{"docs/gone.md", "k.png", "n.svg"}));
}

}  // namespace
