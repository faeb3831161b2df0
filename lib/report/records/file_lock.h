// SPDX-License-Identifier: Apache-2.0
// What one process writes at a time.
#pragma once

#include <filesystem>
#include <string>

namespace spb::report {

/// A lock of the file system on a file beside what it guards. The system takes it back from a
/// process that ends in any way, so that a crash leaves nothing to clear away. The file stays, for
/// to remove it would let two hold the lock; whoever holds it has its name in there.
class FileLock {
 public:
  /// Tries for `limit_s` at most to lock GUARDED.lock, which is made where it is missing, with its
  /// folder. Throws Error (runtime) when that file cannot be opened.
  FileLock(const std::filesystem::path& guarded, double limit_s);
  ~FileLock();
  FileLock(const FileLock&) = delete;  // owns a file descriptor
  FileLock& operator=(const FileLock&) = delete;

  /// Who has the lock, as "process 123 on HOST"; empty: nobody else.
  const std::string& other() const { return other_; }
  /// Why there are no locks in this file system; empty where there are.
  const std::string& failure() const { return failure_; }

 private:
  void sign() const;

  int descriptor_ = -1;
  std::string other_, failure_;
};

}  // namespace spb::report
