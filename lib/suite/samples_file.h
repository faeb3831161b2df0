// SPDX-License-Identifier: Apache-2.0
// samples.csv: the raw samples behind the rows of a run.
#pragma once

#include <filesystem>
#include <span>

#include "bench/sampling.h"
#include "core/record.h"
#include "report/records/append_file.h"

namespace spb::suite {

class SamplesFile {
 public:
  /// Appends; writes the header to a new file. Throws Error (runtime) when it cannot be written.
  explicit SamplesFile(const std::filesystem::path& path);
  /// All samples of a row, in one write.
  void append(const Record& row, std::span<const bench::Sample> samples);
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  report::AppendFile file_;
};

}  // namespace spb::suite
