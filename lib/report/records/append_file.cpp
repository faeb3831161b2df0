// SPDX-License-Identifier: Apache-2.0
#include "report/records/append_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

#include "core/error.h"
#include "core/paths.h"

namespace spb::report {
namespace {

Error write_error(const std::filesystem::path& path, int code) {
  return input_error(path.string(), std::string("cannot write: ") + std::strerror(code),
                     "choose another output or make room");
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path) : path_(path) {
  if (path_ == "-") {
    descriptor_ = dup(STDOUT_FILENO);
    if (descriptor_ < 0) throw write_error(path_, errno);
    return;
  }
  std::error_code error;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  if (error) throw write_error(path_.parent_path(), error.value());
  if (std::filesystem::is_regular_file(path_, error)) {
    const std::string text = read_text(path_);
    const size_t last_line_end = text.rfind('\n');
    const size_t kept = last_line_end == std::string::npos ? 0 : last_line_end + 1;
    if (kept < text.size()) std::filesystem::resize_file(path_, kept, error);
    if (error) throw write_error(path_, error.value());
    was_empty_ = kept == 0;
  }
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw write_error(path_, errno);
}

AppendFile::~AppendFile() { close(descriptor_); }

void AppendFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw write_error(path_, errno);
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void AppendFile::sync() {
  // A pipe and some file systems hold nothing back: EINVAL.
  if (fsync(descriptor_) != 0 && errno != EINVAL) throw write_error(path_, errno);
}

void replace_file(const std::filesystem::path& path,
                  const std::function<bool(const std::filesystem::path&)>& write) {
  namespace fs = std::filesystem;
  std::error_code error;
  // A link stays one: what it points to is replaced. A device or a pipe cannot be.
  const bool is_link = fs::is_symlink(path, error);
  error.clear();  // writing says what is wrong
  const fs::path target = is_link ? fs::weakly_canonical(path, error) : path;
  if (error) throw write_error(path, error.value());
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    write(target);
    return;
  }
  fs::path written = target;
  written += ".tmp";
  fs::remove(written, error);  // of a killed run
  try {
    if (write(written))
      fs::rename(written, target);
    else
      fs::remove(written, error);
  } catch (const fs::filesystem_error& failed) {
    fs::remove(written, error);
    throw write_error(path, failed.code().value());
  } catch (...) {
    fs::remove(written, error);
    throw;
  }
}

void replace_text(const std::filesystem::path& path, std::string_view text) {
  replace_file(path, [&](const std::filesystem::path& written) {
    AppendFile file(written);
    file.write(text);
    file.sync();
    return true;
  });
}

std::ifstream open_text(const std::filesystem::path& path) {
  if (is_folder(path)) throw input_error(path.string(), "is a directory", "name a file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path.string(), std::string("cannot read: ") + std::strerror(errno));
  return file;
}

std::string read_text(const std::filesystem::path& path) {
  std::error_code unknown;  // open_text names what is wrong with others
  if (std::filesystem::is_other(path, unknown))
    throw input_error(path.string(), "is not a regular file", "name one");
  std::ostringstream text;
  text << open_text(path).rdbuf();
  return text.str();
}

}  // namespace spb::report
