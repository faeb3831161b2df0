// SPDX-License-Identifier: Apache-2.0
// What running a suite says, and to whom: the command line shows it, a test may keep it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/record.h"

namespace spb::suite {

class Log {
 public:
  virtual ~Log() = default;
  virtual void error(const std::string& text) = 0;
  virtual void warning(const std::string& text) = 0;
  virtual void note(const std::string& text) = 0;
};

/// A case of --dry-run with the device memory that it needs at least, and its time at most.
struct CaseEstimate {
  std::string case_id;
  int64_t n_in = 0, n_out = 0, n_pairs = 0, least_bytes = 0;

  double cost_s = 0;
  /// Rows that a generative layer may make of so many voxels, and the memory that telling them
  /// apart takes; else 0. Alone where that is more than is free.
  int64_t most_made = 0, most_made_bytes = 0;
};

/// Is also told how the cases of a run go. The suite may be run on one device after the other:
/// start ... results comes for each.
class Observer : public Log {
 public:
  virtual bool is_quiet() const = 0;
  virtual void planned(const CaseEstimate& estimate) = 0;  ///< instead of all that follows
  virtual void start(size_t cases) = 0;
  /// A case of several rounds begins in each of them, and ends once.
  virtual void begin(const std::string& case_id) = 0;
  virtual void end(const std::string& case_id, std::span<const Record> rows) = 0;
  virtual void results(std::span<const Record> rows) = 0;  ///< all of them, those found there too
};

}  // namespace spb::suite
