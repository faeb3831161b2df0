// SPDX-License-Identifier: Apache-2.0
#include "caught_by.h"

#include <string_view>

namespace spb::mutants {
namespace {

/// What a check says that compares no elements; the title before it is that of the runs.
constexpr struct {
  std::string_view said, name;
} kKinds[] = {{"guard of ", "guards"},
              {"overwritten (", "inputs"},
              {"the first run of the plan stored", "first run"},
              {"repeat ", "repeats"},
              {"runs with ", "runs differ"},
              {"checksum of ", "checksum"}};

}  // namespace

std::string caught_by(const std::string& status_detail) {
  const size_t end = status_detail.find(": ");
  std::string title = status_detail.substr(0, end);
  if (end == std::string::npos) return title;
  const std::string rest = status_detail.substr(end + 2);
  // A small shape: "769 rows, 33 to 33 channels: ...".
  if (const size_t rows = title.find(" rows, "); rows != std::string::npos)
    return title.substr(0, rows) + " rows: " + caught_by(rest);
  // The run that is compared first.
  constexpr std::string_view kUsual = " (0xFF poison)";
  if (title.ends_with(kUsual)) title.resize(title.size() - kUsual.size());
  for (const auto& kind : kKinds)
    if (rest.find(kind.said) != std::string::npos) return title + ": " + std::string(kind.name);
  return title;
}

}  // namespace spb::mutants
