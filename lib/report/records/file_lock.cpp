// SPDX-License-Identifier: Apache-2.0
#include "report/records/file_lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "core/error.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{10};

/// Part by part: create_directories of libstdc++ 12 fails, or crashes, when another process makes
/// the same folders and one of the parts is "..".
void make_folder(const fs::path& folder) {
  fs::path made;
  std::error_code failed, missing;
  for (const fs::path& part : folder) {
    made /= part;
    fs::create_directory(made, failed);
  }
  if (!folder.empty() && !fs::is_directory(folder, missing))
    throw input_error(folder.string(), "cannot be made: " + failed.message(),
                      "choose another output");
}

/// The name that the holder has left.
std::string holder_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  const std::string name(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  return name.empty() ? "another process" : name.substr(0, name.find('\n'));
}

}  // namespace

FileLock::FileLock(const fs::path& guarded, double limit_s) {
  make_folder(guarded.parent_path());
  fs::path path = guarded;
  path += ".lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw input_error(path.string(), std::string("cannot write: ") + std::strerror(errno),
                      "choose another output");
  const auto until = Clock::now() + std::chrono::duration<double>(limit_s);
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      failure_ = std::strerror(errno);
      return;
    }
    if (Clock::now() >= until) {
      other_ = holder_of(descriptor_);
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
  sign();
}

FileLock::~FileLock() {
  // A name that is left over would be told of whoever comes next and has not signed yet.
  if (other_.empty() && failure_.empty()) static_cast<void>(!ftruncate(descriptor_, 0));
  close(descriptor_);
}

/// For the one who is refused; the lock holds without it.
void FileLock::sign() const {
  utsname machine{};
  uname(&machine);
  const std::string name = "process " + std::to_string(getpid()) + " on " + machine.nodename + "\n";
  if (ftruncate(descriptor_, 0) == 0)
    static_cast<void>(!pwrite(descriptor_, name.data(), name.size(), 0));
}

}  // namespace spb::report
