// SPDX-License-Identifier: Apache-2.0
#include "run/check_map.h"

#include <fmt/format.h>
#include <optional>

#include "verify/verify.h"

namespace spb::run {

// Rows are compared one by one for every kind: plans list strided outputs in lexicographic order as
// the reference does (maps/maps.h), so that operands need no renumbering.
void check_map(const engines::Contender& contender, const std::string& algorithm,
               const Problem& problem, CaseData& data, const Report& report, Verdict& verdict) {
  // A plan that holds the same bits as one proven before, of another dtype say, has the same map.
  const std::string known = fmt::format("map {} {} {} {:016x}", algorithm, name(problem.direction),
                                        data.map_hash(problem.geometry), contender.contents().plan);
  if (data.is_done(known)) {
    verdict.map_status = VerifyStatus::pass;
    return;
  }
  std::optional<MapSet> shown = contender.map();
  if (!shown) return;  // map_status says that it was not compared
  const verify::MapComparison comparison = verify::compare_maps(
      data.reference_map(problem.geometry), data.triples_hash(problem.geometry), *std::move(shown),
      true, data.voxels().coords);
  if (comparison.ok()) {
    verdict.map_status = VerifyStatus::pass;
    data.set_done(known);
    return;
  }
  for (const std::string& line : comparison.examples) report(line);
  verdict.status = verdict.map_status = VerifyStatus::fail;
  verdict.detail =
      fmt::format("map: {} pairs missing, {} extra, {} repeated, {} wrong output coords",
                  comparison.missing, comparison.extra, comparison.repeated, comparison.bad_coords);
}

}  // namespace spb::run
