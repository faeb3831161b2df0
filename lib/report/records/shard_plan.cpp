// SPDX-License-Identifier: Apache-2.0
#include "report/records/shard_plan.h"

#include <charconv>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "report/records/append_file.h"

namespace spb::report {
namespace {

constexpr std::string_view kFolder = "shard-", kOf = "-of-";

bool parse_number(std::string_view text, int& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

std::optional<Shard> parse(std::string_view text, std::string_view separator) {
  const size_t middle = text.find(separator);
  if (middle == std::string_view::npos) return std::nullopt;
  Shard shard;
  const bool numbers = parse_number(text.substr(0, middle), shard.index) &&
                       parse_number(text.substr(middle + separator.size()), shard.count);
  if (!numbers || shard.index < 0 || shard.index >= shard.count) return std::nullopt;
  return shard;
}

}  // namespace

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::optional<Shard> parse_shard(const std::string& text) { return parse(text, "/"); }

std::string folder_name(const Shard& shard) {
  return fmt::format("{}{}{}{}", kFolder, shard.index, kOf, shard.count);
}

std::optional<Shard> shard_of_folder(const std::string& name) {
  if (!name.starts_with(kFolder)) return std::nullopt;
  return parse(std::string_view(name).substr(kFolder.size()), kOf);
}

std::string plan_text(const ShardPlan& plan) {
  std::string text;
  for (const PlannedCase& planned : plan.cases)
    text += to_text(Shard{planned.shard, plan.shards}) + " " + planned.name + "\n";
  return text;
}

ShardPlan read_plan(const std::filesystem::path& path) {
  std::istringstream lines(read_text(path));
  ShardPlan plan;
  for (std::string line; std::getline(lines, line);) {
    const size_t blank = line.find(' ');
    const auto shard = parse_shard(line.substr(0, blank));
    if (blank == std::string::npos || !shard ||
        (!plan.cases.empty() && shard->count != plan.shards))
      throw input_error(fmt::format("{}:{}", path.string(), plan.cases.size() + 1),
                        "is no line of a shard plan, as \"2/8 CASE\"", "run the shard again");
    plan.shards = shard->count;
    plan.cases.push_back({shard->index, line.substr(blank + 1)});
  }
  return plan;
}

}  // namespace spb::report
