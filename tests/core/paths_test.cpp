// SPDX-License-Identifier: Apache-2.0
#include "core/paths.h"

#include <cerrno>
#include <dirent.h>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "temporary_folder.h"

namespace {
int entries_left = -1;  // until a folder breaks off; -1: it does not
}

/// In the place of the system's, for a disk that fails while a folder is listed.
extern "C" dirent* readdir(DIR* folder) {
  static const auto kOfSystem = reinterpret_cast<dirent* (*)(DIR*)>(dlsym(RTLD_NEXT, "readdir"));
  if (entries_left > 0) --entries_left;
  if (entries_left != 0) return kOfSystem(folder);
  errno = EIO;
  return nullptr;
}

namespace spb {
namespace {

TEST(Paths, SayWhatLiesThere) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_TRUE(is_there(folder / "file"));
  EXPECT_TRUE(is_file(folder / "file"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_TRUE(is_there(folder.path()));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_file(folder.path()));
  EXPECT_FALSE(is_there(folder / "none"));
}

TEST(Paths, WhatCannotBeLookedAtIsNotThere) {
  const TemporaryFolder folder;
  const std::filesystem::path longer = folder / std::string(300, 'x'), loop = folder / "loop";
  std::filesystem::create_symlink(loop, loop);
  for (const auto& path : {longer, longer / "in", loop}) {
    EXPECT_FALSE(is_there(path));
    EXPECT_FALSE(is_file(path));
    EXPECT_FALSE(is_folder(path));
  }
}

TEST(Paths, EntriesComeByName) {
  const TemporaryFolder folder;
  for (const char* name : {"b", "c", "a"}) folder.write(name, "");
  EXPECT_EQ(entries_of(folder.path()),
            (std::vector<std::filesystem::path>{folder / "a", folder / "b", folder / "c"}));
}

TEST(Paths, FoldersAreThoseThatLieThere) {
  const TemporaryFolder folder;
  folder.write("file", "");
  for (const char* name : {"b", "a"}) std::filesystem::create_directory(folder / name);
  std::filesystem::create_directory_symlink(folder.path(), folder / "back");
  EXPECT_EQ(folders_of(folder.path()),
            (std::vector<std::filesystem::path>{folder / "a", folder / "b"}));
}

TEST(Paths, AFolderThatCannotBeListedIsOneLine) {
  const TemporaryFolder folder;
  for (const char* name : {"b", "c", "a"}) folder.write(name, "");
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      entries_of(path, "name another");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime);
      return error.what();
    }
    return "listed";
  };
  EXPECT_EQ(message(folder / "none"),
            folder / "none" + ": cannot be read: No such file or directory; name another");
  EXPECT_EQ(message(folder / "a"),
            folder / "a" + ": cannot be read: Not a directory; name another");
  entries_left = 2;
  EXPECT_EQ(message(folder.path()),
            folder.path().string() + ": cannot be read: Input/output error; name another");
  std::error_code failed;
  EXPECT_TRUE(entries_of(folder.path(), failed).empty()) << "half a list is none";
  EXPECT_EQ(failed.value(), EIO);
  entries_left = -1;
  EXPECT_EQ(entries_of(folder.path(), failed).size(), 3u);
  EXPECT_FALSE(failed);
}

}  // namespace
}  // namespace spb
