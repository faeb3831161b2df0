// SPDX-License-Identifier: Apache-2.0
#include "mutants_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "mutants.h"

namespace spb::mutants {
namespace {

constexpr const char* kHead = R"(# Mutants

Which check catches which defect: `tests/mutants` runs each of these {} mutants by the real program on `sphere:16`, with
the options of [verification.md](verification.md), section 12. The test of a mutant fails where another check than the
one named here sees it first, or none; `MutantsPage.IsThatOfTheTable` fails where this page is not what the table of
mutants says (`SPB_WRITE_PAGES=1` writes it).

A check is the fill or mode that failed, as rows of the records name it, and what it found unless it was wrong elements:
`guards` or `inputs` were overwritten, the plan's `first run` stored other bits than later ones, one of the `repeats` did.
The first one that fails ends the verification of a case: that later ones would see the defect, too, is not said here.
`768 rows` and the like are small shapes (`--shapes on`); their mutants are right on all other data.

| defect | direction, dtype, layer | caught by |
| --- | --- | --- |
)";

struct Row {
  std::string_view defect;
  std::string cases;
  std::string_view check;
};

bool is_control(const Mutant& mutant) { return !*mutant.seen_by; }

std::string where(const Mutant& mutant) {
  return fmt::format("{} {} {}", name(mutant.direction), info(mutant.dtype).name,
                     mutant.layer.name);
}

/// One for each defect and check.
std::vector<Row> rows() {
  std::vector<Row> all;
  for (const Mutant& mutant : mutants()) {
    const std::string_view defect = is_control(mutant) ? "none: controls" : mutant.summary,
                           check = is_control(mutant) ? "nothing" : mutant.seen_by;
    const auto same = std::ranges::find_if(
        all, [&](const Row& row) { return row.defect == defect && row.check == check; });
    if (same == all.end())
      all.push_back({defect, where(mutant), check});
    else
      same->cases += "; " + where(mutant);
  }
  return all;
}

}  // namespace

std::string mutants_page() {
  std::string text = fmt::format(
      kHead, mutants().size() - static_cast<size_t>(std::ranges::count_if(mutants(), is_control)));
  for (const Row& row : rows())
    text += fmt::format("| {} | {} | {} |\n", row.defect, row.cases, row.check);
  return text;
}

}  // namespace spb::mutants
