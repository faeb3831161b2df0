// SPDX-License-Identifier: Apache-2.0
#include "suite/options.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "config/config_hash.h"
#include "config/suite_options.h"
#include "suite/shell_quote.h"

namespace spb::suite {
namespace {

using Words = std::vector<std::string>;

/// Options whose value is not the default one.
template <typename Owner>
void add_arguments(std::span<const OptionOf<Owner>> rows, Owner options, Words& words) {
  Owner defaults;
  for (const OptionOf<Owner>& row : rows) {
    const Value value = row.value(options);
    if (!row.flags || row.changes == Changes::nothing || text(value) == text(row.value(defaults)))
      continue;
    words.push_back(long_flag(row.flags));
    if (!std::holds_alternative<bool*>(value)) words.push_back(text(value));
  }
}

template <typename Owner>
void add_hashed(std::span<const OptionOf<Owner>> rows, Owner options,
                std::map<std::string, std::string>& hashed) {
  for (const OptionOf<Owner>& row : rows)
    if (const std::string set = text(row.value(options));
        row.key && (!row.hashed_set || !set.empty()))
      hashed[row.key] = set;
}

}  // namespace

std::string flag_of(const Knob& knob) {
  std::string flag = std::string("--") + knob.name;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string long_flag(const char* flags) {
  const std::string all = flags;
  return all.substr(all.find("--"));
}

std::string config_hash(const SuiteRunOptions& options, std::span<const config::CaseSpec> cases) {
  std::map<std::string, std::string> hashed;
  add_hashed(reading_options(), options.cases.reading, hashed);
  add_hashed(run_options(), options, hashed);
  return config::config_hash(cases, hashed);
}

std::string repro(const SuiteRunOptions& options, const config::CaseSpec& spec) {
  Words words = config::arguments_of(spec);
  add_arguments(reading_options(), options.cases.reading, words);
  add_arguments(run_options(), options, words);
  std::string line = "spconv-bench " + options.command;
  for (const std::string& word : words) line += " " + shell_quote(word);
  return line;
}

}  // namespace spb::suite
