// SPDX-License-Identifier: Apache-2.0
// The fingerprint of what a run plans to do.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/case_spec.h"

namespace spb::config {

/// SHA-256 in 64 hex digits.
std::string sha256_hex(std::string_view bytes);

/// SHA-256 of the sorted cases and of `others`, the remaining options that affect results by name.
/// The order and the way in which options were written does not matter.
std::string config_hash(std::span<const CaseSpec> cases,
                        const std::map<std::string, std::string>& others = {});

}  // namespace spb::config
