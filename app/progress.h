// One line per case on stderr; on a terminal the same line, rewritten.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "core/record.h"

namespace spb::app {

class Progress {
 public:
  explicit Progress(size_t cases) : cases_(cases) {}
  void begin(const std::string& case_id);
  /// `rows` are those of the case.
  void end(const std::string& case_id, std::span<const Record> rows);

 private:
  std::string counter() const;
  std::string outcome(std::span<const Record> rows);

  size_t cases_, finished_ = 0;
  std::string last_detail_;  // is not repeated case after case
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace spb::app
