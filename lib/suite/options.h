// SPDX-License-Identifier: Apache-2.0
// The options of `run` and `verify` beside those that select cases (config/suite_options.h), each
// once: a row gives its flag, its text in --help, its place in the configuration's hash, in the
// line that repeats a row, and the columns that tell it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/case_spec.h"
#include "core/columns.h"
#include "suite/case_selection.h"
#include "suite/load.h"
#include "suite/suite_run.h"

namespace spb::suite {

/// Where an option is stored.
using Value = std::variant<bool*, int*, int64_t*, double*, std::string*, std::optional<int>*>;

/// What an option changes: where to, or when, a run goes, or what a row says.
enum class Changes { nothing, rows };

/// A row of a table of options that are stored in an Owner.
template <typename Owner>
struct OptionOf {
  const char* flags;  ///< "-o,--out"; null: set by another option, stands here for the hash
  std::function<Value(Owner&)> value;
  Changes changes;  ///< rows: stands in the line that repeats one, where it is no default
  const char* key;  ///< in the hash; null: not hashed
  std::vector<ColumnName> columns;  ///< of a record, that tell it
  const char* group;
  const char* metavar;  ///< what stands for its value in --help; empty for a flag
  const char* help;
  std::function<std::string(const std::string&)> check = nullptr;  ///< what is wrong, or empty
  const char* needs = "";
  const char* excludes = "";
  bool of_run = false;       ///< `verify` has none
  bool is_duration = false;  ///< stored in seconds, given as parse_time_s() takes it
  bool hashed_set = false;   ///< in the hash only where it is set: those of older records stay
};

using ReadingOption = OptionOf<ReadSettings>;
using RunOption = OptionOf<SuiteRunOptions>;

std::span<const ReadingOption> reading_options();
std::span<const RunOption> run_options();

/// The row of a knob, which stands among run_options().
RunOption option_of(const Knob& knob);

/// "--tile-order" of "tile_order".
std::string flag_of(const Knob& knob);

/// "--out" of "-o,--out".
std::string long_flag(const char* flags);

/// As the command line takes it; true, false or empty for what is not set.
std::string text(const Value& value);

/// The column config_hash: of the cases and of everything else that has a key.
std::string config_hash(const SuiteRunOptions& options, std::span<const config::CaseSpec> cases);

/// The command that repeats one case, quoted for a shell.
std::string repro(const SuiteRunOptions& options, const config::CaseSpec& spec);

}  // namespace spb::suite
