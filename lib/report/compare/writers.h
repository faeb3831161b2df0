// SPDX-License-Identifier: Apache-2.0
// A comparison for people, for programs and for CI services.
#pragma once

#include <string>

#include "report/compare/compare.h"
#include "report/compare/gate.h"

namespace spb::report {

/// What every writer needs; the referenced must outlive it.
struct CompareReport {
  const Comparison& comparison;
  const Side& base;
  const Side& next;
  const CompareOptions& options;
  const Gate& gate;
  bool all = false;  ///< also rows that nothing happened to, in text and Markdown
};

std::string compare_text(const CompareReport& report, bool color);
std::string compare_markdown(const CompareReport& report);

/// One object: options, counts, verdict, per pair of devices all rows, geometric means and bytes.
/// A GPU beside the host: no absolute times.
std::string compare_json(const CompareReport& report);

/// A test case per row and per changed count of bytes: a failure where the gate fails, skipped
/// where there is no verdict.
std::string compare_junit(const CompareReport& report);

}  // namespace spb::report
