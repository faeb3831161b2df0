// SPDX-License-Identifier: Apache-2.0
// The rows of a table of options as options of CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <variant>

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
          return app.add_option(row.flags, *stored, row.help)->option_text(row.example);
        },
        value);
  if (row.check) option->check(row.check);
  if (*row.needs) option->needs(row.needs);
  if (*row.excludes) option->excludes(row.excludes);
  option->group(row.group);
}

}  // namespace spb::app
