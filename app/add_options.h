// SPDX-License-Identifier: Apache-2.0
// The rows of a table of options as options of CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <span>
#include <string>
#include <variant>

#include "config/quantity.h"
#include "suite/checks.h"
#include "suite/options.h"

namespace spb::app {

template <typename Owner>
void add_option(CLI::App& app, const suite::OptionOf<Owner>& row, Owner& owner) {
  const suite::Value value = row.value(owner);
  CLI::Option* option = nullptr;
  if (bool* const* flag = std::get_if<bool*>(&value))
    option = app.add_flag(row.flags, **flag, row.help);
  else
    option = std::visit(
        [&](auto* stored) {
          CLI::Option* added = app.add_option(row.flags, *stored, row.help);
          // Nothing where 0 means none: the text says what then holds.
          if (const std::string usual = suite::text(value); usual != "0")
            added->default_str(row.is_duration ? usual + "s" : usual);
          return added->option_text(row.metavar);
        },
        value);
  if (row.check) option->check(row.check);
  if (row.is_duration)
    option->transform([](const std::string& text) {
      return suite::duration(text).empty() ? fmt::format("{}", config::parse_time_s(text, ""))
                                           : text;  // the check says what is wrong
    });
  if (*row.needs) option->needs(row.needs);
  if (*row.excludes) option->excludes(row.excludes);
  option->group(row.group);
}

}  // namespace spb::app
