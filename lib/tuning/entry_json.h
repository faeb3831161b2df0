// SPDX-License-Identifier: Apache-2.0
// Entries as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tuning/entry.h"

namespace spb::tuning {

nlohmann::json to_json(const Entry& entry);
/// Throws an exception of any kind for what is no entry.
Entry entry_from_json(const nlohmann::json& json);

}  // namespace spb::tuning
