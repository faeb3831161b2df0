// SPDX-License-Identifier: Apache-2.0
#include "suite/samples_file.h"

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "bench/statistics.h"
#include "report/records/csv.h"

namespace spb::suite {

SamplesFile::SamplesFile(const std::filesystem::path& path) : file_(path) {
  if (file_.was_empty())
    file_.write("run_id,case_id,round,sample,set,time_ns,sm_clock_mhz,throttled,outlier\n");
}

void SamplesFile::append(const Record& row, std::span<const bench::Sample> samples) {
  if (samples.empty()) return;
  std::vector<double> times;
  for (const bench::Sample& sample : samples) times.push_back(sample.time_us);
  const bench::Fences fences = bench::outlier_fences(times);
  const std::string name = report::csv_cell(row.text(columns::run_id)) + "," +
                           report::csv_cell(row.text(columns::case_id)) + ",";
  std::string lines;
  int round = 0, index = 0;
  for (const bench::Sample& sample : samples) {
    if (sample.round != round) index = 0;
    round = sample.round;
    lines += fmt::format("{}{},{},{},{},{},{},{}\n", name, round, index++, sample.set,
                         std::llround(sample.time_us * 1e3),
                         sample.sm_clock_mhz > 0 ? fmt::format("{:.0f}", sample.sm_clock_mhz) : "",
                         sample.throttled ? 1 : 0, fences.excludes(sample.time_us) ? 1 : 0);
  }
  file_.write(lines);
}

}  // namespace spb::suite
