// SPDX-License-Identifier: Apache-2.0
#include "core/paths.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "temporary_folder.h"

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

}  // namespace
}  // namespace spb
