// SPDX-License-Identifier: Apache-2.0
// Shell completions and the man page.
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>

#include "program.h"

namespace spb::cli {
namespace {

class Completions : public testing::Test {
 protected:
  /// What a program prints; nothing when it is not installed.
  std::string output_of(const std::string& executable, const std::string& words) const {
    return Program(executable, words, folder_.path()).wait().out;
  }
  static bool is_installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }
  /// What bash offers for the last of the words.
  std::string bash(const std::string& words) const {
    folder_.write("script.bash", folder_.run("completions bash").out + "COMP_WORDS=(spconv-bench " +
                                     words +
                                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_spconv_bench\n"
                                     "echo \"${COMPREPLY[@]}\"\n");
    return output_of("/bin/bash", "script.bash");
  }
  TemporaryFolder folder_;
};

TEST_F(Completions, BashOffersWhatCanFollow) {
  EXPECT_EQ(bash("comp"), "compare completions\n");
  EXPECT_EQ(bash("run --dty"), "--dtypes\n");
  EXPECT_EQ(bash("run --dtypes bf"), "bf16\n");
  EXPECT_EQ(bash("run --dtypes f32,f1"), "f32,f16\n");
  EXPECT_EQ(bash("run --dtypes = f1"), "f16\n");  // as bash splits --dtypes=f1
  EXPECT_EQ(bash("run sphere:8 --config fle"), "flexgemm\n");
  std::string masked;
  for (const std::string& name : algorithm_names())
    if (name.starts_with("masked")) masked += (masked.empty() ? "" : " ") + name;
  EXPECT_EQ(bash("run --algorithms masked"), masked + '\n');
  EXPECT_EQ(bash("run room"), "room_scan1\n");
  EXPECT_EQ(bash("list ker"), "kernels\n");
  EXPECT_EQ(bash("completions f"), "fish\n");
  EXPECT_EQ(bash("compare base new --fail-on slower,mem"), "slower,memory\n");
  EXPECT_EQ(bash("compare --allow-mismatch g"), "gpu\n");
  EXPECT_EQ(bash("run --out x"), "\n");  // then bash offers files
  EXPECT_EQ(bash("inspect --no-such"), "\n");
}

// Data come one by one, with files among them; dtypes come between commas.
TEST_F(Completions, ZshTellsListsFromArgumentsThatRepeat) {
  const std::string script = folder_.run("completions zsh").out;
  EXPECT_TRUE(contains(script, "'*:DATA:_alternative \"names:name:("));
  EXPECT_TRUE(contains(script, ":_values -s , value all f32"));
}

TEST_F(Completions, ZshReadsItsScript) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  folder_.write("_spconv-bench", folder_.run("completions zsh").out);
  const Outcome parsed = Program("/bin/zsh", "-n _spconv-bench", folder_.path()).wait();
  EXPECT_EQ(parsed.code, 0) << parsed.err;
  EXPECT_EQ(parsed.err, "");
}

TEST_F(Completions, FishOffersWhatCanFollow) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  const std::string script = folder_.run("completions fish").out;
  const auto fish = [&](const std::string& words) {
    folder_.write("script.fish", script + "complete -C 'spconv-bench " + words + "'\n");
    return output_of("/usr/bin/fish", "--no-config script.fish");
  };
  EXPECT_TRUE(contains(fish("comp"), "compare\t"));
  EXPECT_TRUE(contains(fish("run --dty"), "--dtypes\t"));
  EXPECT_TRUE(contains(fish("run --dtypes f32,f1"), "f32,f16"));
  EXPECT_TRUE(contains(fish("list ker"), "kernels"));
}

TEST_F(Completions, AnUnknownShellIsAnError) {
  const Outcome outcome = folder_.run("completions bsh");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "did you mean \"bash\"?")) << outcome.err;
}

TEST_F(Completions, TheManPageHoldsEveryCommandAndOption) {
  const std::string page = folder_.run("man").out;
  EXPECT_TRUE(page.starts_with(".TH SPCONV\\-BENCH 1"));
  for (const char* part :
       {".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS", ".SH ENVIRONMENT", "\\fB\\-\\-dtypes\\fR",
        "\\fB\\-\\-allow\\-mismatch\\fR", "spconv\\-bench compare base/ new/", "130"})
    EXPECT_TRUE(contains(page, part)) << part;
  std::istringstream help(folder_.run("--help").out);
  bool in_commands = false;
  int commands = 0;
  for (std::string line; std::getline(help, line);) {
    if (in_commands && line.starts_with("  ") && line[2] != ' ') {
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_TRUE(contains(page, ".SS \"spconv\\-bench " + name + "\"")) << name;
      ++commands;
    }
    in_commands |= line == "Commands:";
    if (line.empty()) in_commands = false;
  }
  EXPECT_GE(commands, 8);
  EXPECT_FALSE(contains(page, "\n\n"));  // an empty line is a paragraph of its own in roff
}

TEST_F(Completions, TheManPageFormatsWithoutWarnings) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  folder_.write("page.1", folder_.run("man").out);
  const Outcome outcome =
      Program("/usr/bin/groff", "-man -Tutf8 -wall page.1", folder_.path()).wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace spb::cli
