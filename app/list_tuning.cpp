// SPDX-License-Identifier: Apache-2.0
#include "list_tuning.h"

#include <algorithm>
#include <fmt/format.h>

#include "console.h"
#include "report/summary/win_rates.h"
#include "report/text/table_layout.h"
#include "suite/find_tuning.h"

namespace spb::app {
namespace {

using tuning::Entry;
using tuning::Trial;
using tuning::TrialStatus;

/// "1024 to 1448"
std::string range(int bucket) {
  return fmt::format("{:.4g} to {:.4g}", tuning::bucket_begin(bucket),
                     tuning::bucket_begin(bucket + 1));
}

/// "wgmma_128x256x64, tile_order greedy, for 1000 runs a plan"
std::string winner_text(const Entry& entry) {
  if (!entry.winning()) return "none is right";
  const std::string text = tuning::text(*entry.winning());
  return entry.runs == 0 ? text : fmt::format("{}, for {} runs a plan", text, entry.runs);
}

std::vector<std::string> line_of(const Entry& entry, const tuning::Tuned& tuned,
                                 std::span<const Algorithm> algorithms) {
  const tuning::ProblemClass& c = entry.problem_class;
  const Trial* best = entry.winning();
  const auto wrong = std::ranges::count(entry.trials, TrialStatus::incorrect, &Trial::status);
  const std::string obstacle = tuned.obstacle(entry, algorithms);
  return {c.algorithm,
          info(c.dtype).name,
          name(c.direction),
          name(c.conv_kind),
          fmt::format("{}", c.kernel_volume),
          channels_text(c.c_in, c.c_out, c.groups),
          range(c.n_out_bucket),
          range(c.pairs_bucket),
          winner_text(entry),
          best ? report::time_text(best->median_us) : "-",
          tuning::gain_text(entry),
          fmt::format("{}{}", entry.trials.size(), wrong ? fmt::format(", {} wrong", wrong) : ""),
          fmt::format("{:.1f} s", entry.tune_ms / 1e3),
          entry.dataset,
          obstacle.empty() ? "yes" : "no: " + obstacle};
}

/// Winners compete that differ in nothing but the algorithm.
bool compete(const Entry& a, const Entry& b) {
  tuning::ProblemClass of_a = a.problem_class;
  of_a.algorithm = b.problem_class.algorithm;
  of_a.algorithm_version = b.problem_class.algorithm_version;
  return of_a == b.problem_class && a.machine == b.machine && a.runs == b.runs;
}

}  // namespace

Lines list_win_rates(const std::string& file) {
  const gpu::DeviceInfo device = gpu::list_devices().at(0);
  const auto tuned = suite::find_tuning(file, device);
  if (!tuned) return {};
  std::vector<std::vector<const Entry*>> competitions;
  for (const Entry& entry : tuned->entries()) {
    if (entry.machine.device != device.name || !entry.winning()) continue;
    const auto rivals = std::ranges::find_if(
        competitions, [&](const auto& entries) { return compete(*entries.front(), entry); });
    if (rivals == competitions.end())
      competitions.push_back({&entry});
    else
      rivals->push_back(&entry);
  }
  std::vector<report::Win> wins;
  for (const auto& entries : competitions) {
    if (entries.size() < 2) continue;
    const Entry& best = **std::ranges::min_element(
        entries, {}, [](const Entry* entry) { return entry->winning()->cost_us(entry->runs); });
    const tuning::ProblemClass& c = best.problem_class;
    wins.push_back({c.algorithm, name(c.direction), best.n_out, std::max(c.c_in, c.c_out)});
  }
  return report::win_rates(wins);
}

Lines list_tuning(const std::string& file, std::span<const Algorithm> algorithms) {
  const gpu::DeviceInfo device = gpu::list_devices().at(0);
  const std::string path = file.empty() ? suite::default_tuning_path(device).string() : file;
  Lines lines{{"algorithm", "dtype", "direction", "kind", "offsets", "channels", "voxels",
               "pairs of each", "winner", "time", "gain", "candidates", "tuning", "tuned on",
               "used"}};
  const auto tuned = suite::find_tuning(file, device);
  if (!tuned) {
    console().note("nothing is tuned: spconv-bench tune would write " + path);
    return lines;
  }
  for (const Entry& entry : tuned->entries()) lines.push_back(line_of(entry, *tuned, algorithms));
  console().note(path);
  console().note(
      "run and verify take the winner for cases of its row's class, on the same device, driver and "
      "version, unless --tuning off or a forced choice (list choices) say otherwise; gain: "
      "the own choice's time over the winner's, each with its share of the plan where runs are "
      "counted; the file holds all candidates with their samples");
  return lines;
}

}  // namespace spb::app
