// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace spb::app {

namespace {

/// A full or closed standard error ends nothing: what is said there is lost, no result is.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
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
  const std::string clear = rewriting_ ? "\r\033[K" : "";
  rewriting_ = false;
  if (color_ && !mark.empty())
    put(fmt::format("{}\033[{}m{}\033[0m{}\n", clear, color, mark, text));
  else
    put(clear + mark + text + "\n");
}

size_t Console::output_width() const {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void Console::error(const std::string& text) { line("error: ", "1;31", text); }

void Console::warning(const std::string& text) { line("warning: ", "1;33", text); }

void Console::note(const std::string& text) {
  if (verbosity_ > 0) line("", "", text);
}

void Console::rewrite(const std::string& text) {
  if (!terminal_ || verbosity_ == 0) return;
  put("\r\033[K" + text);
  rewriting_ = true;
}

Console& console() {
  static Console instance;
  return instance;
}

}  // namespace spb::app
