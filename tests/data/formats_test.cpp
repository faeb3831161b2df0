// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "data/temp_file.h"

namespace spb::data {
namespace {

TEST(Formats, TableIsCompleteAndWithoutDuplicates) {
  std::set<std::string> extensions;
  for (const Format& format : formats()) {
    EXPECT_NE(format.read, nullptr);
    EXPECT_FALSE(format.extensions.empty());
    for (const char* extension : format.extensions) {
      EXPECT_EQ(extension[0], '.');
      EXPECT_TRUE(extensions.insert(extension).second) << extension;
    }
  }
  for (const char* extension :
       {".bin", ".pcd.bin", ".npy", ".npz", ".ply", ".pcd", ".xyz", ".txt", ".csv", ".obj", ".vxz"})
    EXPECT_TRUE(extensions.contains(extension)) << extension;
}

TEST(Formats, UnknownExtensionNamesTheKnownOnes) {
  const std::string message = read_error(".foo", "x");
  EXPECT_TRUE(contains(message, ".foo: unknown file extension"));
  for (const Format& format : formats())
    for (const char* extension : format.extensions) EXPECT_TRUE(contains(message, extension));
}

TEST(Formats, RefusedOnesPointToNpz) {
  for (const char* extension : {".laz", ".LAZ", ".vdb", ".bag", ".feather"}) {
    const std::string message = read_error(extension, "x");
    EXPECT_TRUE(contains(message, "not read"));
    EXPECT_TRUE(contains(message, ".npz"));
  }
}

TEST(Formats, EmptyFileIsAnErrorInEveryFormat) {
  for (const Format& format : formats())
    for (const char* extension : format.extensions)
      EXPECT_TRUE(contains(read_error(extension, ""), "is empty")) << extension;
}

TEST(Formats, MissingFileDirectoryAndDeviceAreErrorsInEveryFormat) {
  for (const Format& format : formats())
    for (const char* extension : format.extensions) {
      const auto message = [](const std::filesystem::path& path) -> std::string {
        try {
          read_file(path);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::runtime);
          return error.what();
        }
        return "accepted";
      };
      const TempFile file(extension, "x");
      std::filesystem::remove(file.path());
      EXPECT_TRUE(contains(message(file.path()), "no such file"));
      std::filesystem::create_directory(file.path());
      EXPECT_TRUE(contains(message(file.path()), "is a directory"));
      std::filesystem::remove(file.path());
      std::filesystem::create_symlink("/dev/zero", file.path());
      EXPECT_TRUE(contains(message(file.path()), "not a regular file"));
    }
}

}  // namespace
}  // namespace spb::data
