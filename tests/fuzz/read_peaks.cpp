// SPDX-License-Identifier: Apache-2.0
// Files of peaks.
#include <cstdlib>

#include "read.h"
#include "report/records/append_file.h"
#include "suite/peaks_text.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  const auto [peaks, device, driver] = suite::parse_peaks(report::read_text(path), path.string());
  if (!(peaks.copy_gbps > 0)) std::abort();
}
