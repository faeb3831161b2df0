// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/one_line.h"
#include "report/text/table_layout.h"

namespace spb::app {

namespace {

/// A full or closed standard error ends nothing: what is said there is lost, no result is.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// Of the terminal that a descriptor leads to; 0 where there is none.
size_t columns_of(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace

void Console::set_color(int argc, char** argv) {
  terminal_ = isatty(STDERR_FILENO) != 0;
  std::string_view mode = "auto";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--color" && i + 1 < argc) mode = argv[i + 1];
    if (word.starts_with("--color=")) mode = word.substr(8);
  }
  const char* no_color = std::getenv("NO_COLOR");  // counts when it is not empty: no-color.org
  const bool wanted = mode == "auto" && (!no_color || !*no_color);
  color_ = mode == "always" || (wanted && terminal_);
  output_color_ = mode == "always" || (wanted && isatty(STDOUT_FILENO) != 0);
}

void Console::line(const std::string& mark, const char* color, const std::string& text) {
  std::fflush(stdout);
  const std::string clear = rewriting_ ? "\r\033[K" : "";
  rewriting_ = false;
  if (color_ && !mark.empty())
    put(fmt::format("{}\033[{}m{}\033[0m{}\n", clear, color, mark, one_line(text)));
  else
    put(clear + mark + one_line(text) + "\n");
}

size_t Console::output_width() const { return columns_of(STDOUT_FILENO); }

size_t Console::help_width() const {
  if (const size_t columns = output_width()) return columns;
  const char* columns = std::getenv("COLUMNS");
  return columns && std::atoi(columns) > 0 ? static_cast<size_t>(std::atoi(columns)) : 80;
}

void Console::error(const std::string& text) { line("error: ", "1;31", text); }

void Console::warning(const std::string& text) { line("warning: ", "1;33", text); }

void Console::note(const std::string& text) {
  if (verbosity_ > 0) line("", "", text);
}

size_t Console::progress_width() const {
  if (!terminal_ || verbosity_ == 0) return 0;
  const size_t columns = columns_of(STDERR_FILENO);
  // The last column stays free: some terminals wrap when it is written.
  return columns > 1 ? columns - 1 : 79;
}

void Console::rewrite(const std::string& text) {
  const size_t width = progress_width();
  if (width == 0) return;
  put("\r\033[K" + report::beginning(one_line(text), width));
  rewriting_ = true;
}

void Console::clear() {
  if (rewriting_) put("\r\033[K");
  rewriting_ = false;
}

Console& console() {
  static Console instance;
  return instance;
}

}  // namespace spb::app
