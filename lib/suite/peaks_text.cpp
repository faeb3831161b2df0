// SPDX-License-Identifier: Apache-2.0
#include "suite/peaks_text.h"

#include <fmt/format.h>
#include <stdexcept>

#include "core/error.h"
#include "core/json_text.h"

namespace spb::suite {
namespace {

using nlohmann::json;

double above_zero(const json& value, std::string_view what) {
  const double number = real_number(value, what);
  if (!(number > 0)) throw std::invalid_argument(fmt::format("{} is not above 0", what));
  return number;
}

}  // namespace

MeasuredPeaks parse_peaks(std::string_view text, const std::string& path) {
  const json file = parse_json(text, path);
  MeasuredPeaks measured;
  bench::Peaks& peaks = measured.peaks;
  try {
    if (file.is_discarded()) throw std::invalid_argument("it is no JSON");
    file.at("device").get_to(measured.device);
    file.at("driver_version").get_to(measured.driver);
    peaks.copy_gbps = above_zero(file.at("copy_gbps"), "copy_gbps");
    peaks.read_gbps = above_zero(file.at("read_gbps"), "read_gbps");
    peaks.l2_read_gbps = above_zero(file.at("l2_read_gbps"), "l2_read_gbps");
    peaks.launch_us = real_number(file.at("launch_us"), "launch_us");
    peaks.launch_wait_us = real_number(file.at("launch_wait_us"), "launch_wait_us");
    for (const auto& [bytes, gbps] : file.at("gather_gbps").items())
      peaks.gather_gbps[whole_number<int>(parse_json(bytes, path), "bytes of gather_gbps", 1)] =
          real_number(gbps, "gather_gbps");
    for (const auto& [dtype, peak] : file.at("compute").items())
      peaks.compute[dtype] = {above_zero(peak.at("gflops"), "gflops"),
                              peak.at("source").get<std::string>()};
  } catch (const Error&) {
    throw;
  } catch (const std::exception& why) {
    throw input_error(path, fmt::format("is no file of spconv-bench peaks: {}", json_reason(why)),
                      "run spconv-bench peaks again, or run with --peaks off");
  }
  return measured;
}

}  // namespace spb::suite
