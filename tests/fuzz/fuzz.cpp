// SPDX-License-Identifier: Apache-2.0
// Feeds any bytes to one reader: an Error of one line is an answer, everything else is a crash.
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "core/error.h"
#include "read.h"

namespace {

/// A file of this process in memory, where there is such a file system. Some readers go by its
/// whole name, so that it has a folder of its own.
class InputFile {
 public:
  InputFile() {
    const std::filesystem::path memory = "/dev/shm";
    folder_ =
        (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
        ("spb_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~InputFile() { std::filesystem::remove_all(folder_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  std::filesystem::path path() const { return folder_ / spb::fuzz::file_name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const InputFile input;
  const std::filesystem::path path = input.path();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  try {
    spb::fuzz::read(path);
  } catch (const spb::Error& error) {
    const std::string_view line = error.what();
    if (line.empty() || line.find('\n') != line.npos) std::abort();
  }
  return 0;
}
