// SPDX-License-Identifier: Apache-2.0
// Feeds any bytes to one reader: an Error is an answer, everything else is a crash.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/error.h"
#include "data/point_cloud.h"

namespace {

/// A file of this process in memory, where there is such a file system.
std::filesystem::path input_path() {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("spb_fuzz_" + std::to_string(getpid()) + SPB_FUZZ_EXTENSION);
}

struct InputFile {
  std::filesystem::path path = input_path();
  ~InputFile() { std::filesystem::remove(path); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const InputFile input;
  std::ofstream(input.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  try {
    const spb::data::PointCloud cloud = spb::data::read_file(input.path);
    // What a reader accepts must hold together.
    if (cloud.is_coords ? !cloud.points.empty() : !cloud.coords.empty()) std::abort();
    const auto points = static_cast<int64_t>(cloud.points.size());
    for (const auto& [a, b, c] : cloud.triangles)
      if (a < 0 || b < 0 || c < 0 || a >= points || b >= points || c >= points) std::abort();
  } catch (const spb::Error&) {
  }
  return 0;
}
