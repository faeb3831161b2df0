// SPDX-License-Identifier: Apache-2.0
// Files of tune: what is accepted is written and read again.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "read.h"
#include "tuning/entry_json.h"
#include "tuning/tuning_file.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  for (const tuning::Entry& entry : tuning::read_entries(path)) {
    const nlohmann::json json = tuning::to_json(entry);
    if (tuning::to_json(tuning::entry_from_json(json)) != json) std::abort();
  }
}
