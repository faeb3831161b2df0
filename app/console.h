// SPDX-License-Identifier: Apache-2.0
// What goes to stderr: errors, warnings, notes and progress. stdout carries requested data only.
#pragma once

#include <cstddef>
#include <string>

#include "suite/observer.h"

namespace spb::app {

class Console final : public suite::Log {
 public:
  /// Reads --color auto|always|never from the command line, before it is parsed: parsing errors
  /// are colored too. Off under NO_COLOR unless `always`.
  void set_color(int argc, char** argv);
  /// 0 quiet (errors only), 1 normal, 2 names each case before it starts.
  void set_verbosity(int level) { verbosity_ = level; }
  int verbosity() const { return verbosity_; }
  bool is_terminal() const { return terminal_; }
  /// Columns of the terminal that stdout goes to; 0 where it goes elsewhere.
  size_t output_width() const;
  /// The same for text to read: 80 where nothing says more.
  size_t help_width() const;
  bool colors_output() const { return output_color_; }  ///< whether stdout may have color too

  void error(const std::string& text) override;
  void warning(const std::string& text) override;
  void note(const std::string& text) override;  ///< not when quiet

  /// Columns that rewrite() shows; 0 where it shows nothing.
  size_t progress_width() const;
  /// One line that the next one overwrites, cut to the terminal's width; on a terminal only.
  void rewrite(const std::string& text);
  /// Takes that line away, before standard output is written.
  void clear();

 private:
  /// To stderr, behind what stdout already has.
  void line(const std::string& mark, const char* color, const std::string& text);

  bool terminal_ = false, color_ = false, output_color_ = false;
  int verbosity_ = 1;
  bool rewriting_ = false;  // the cursor stands behind a line that may be overwritten
};

Console& console();

}  // namespace spb::app
