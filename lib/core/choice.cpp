// SPDX-License-Identifier: Apache-2.0
#include "core/choice.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

/// Empty for what is no whole number of an int.
std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

const Knob* find(std::span<const Knob> knobs, std::string_view name) {
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  return found == knobs.end() ? nullptr : &*found;
}

}  // namespace

const char* name(ChoiceSource source) {
  constexpr const char* kNames[] = {"heuristic", "tuned", "forced"};
  return kNames[static_cast<int>(source)];
}

const std::string* Choice::find(std::string_view knob) const {
  const auto found = values.find(knob);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<int> Choice::number(std::string_view knob) const {
  const std::string* value = find(knob);
  if (!value) return std::nullopt;
  if (const auto number = whole_number(*value)) return number;
  throw usage_error(knob, '"' + *value + "\" is no whole number", "");
}

std::string fault(const Knob& knob, const std::string& value) {
  if (knob.words) {
    const std::vector<std::string>& words = knob.words();
    if (std::ranges::find(words, value) != words.end()) return "";
    const bool has_near = !nearest_name(value, words).empty();
    return unknown_name(value, words) + (has_near ? "" : std::string("; ") + knob.help);
  }
  const int number = whole_number(value).value_or(0);
  return number >= 1 && number <= knob.most
             ? ""
             : '"' + value + "\" is no whole number from 1 to " + std::to_string(knob.most);
}

bool is_for(const Knob& knob, Direction direction) {
  return (knob.directions & (1u << static_cast<unsigned>(direction))) != 0;
}

std::optional<std::string> refused(std::span<const Knob> knobs, const Choice& choice,
                                   Direction direction) {
  for (const auto& [name, value] : choice.values) {
    const Knob* knob = find(knobs, name);
    if (!knob) return name + ' ' + value + ": no choice of this algorithm";
    if (!is_for(*knob, direction))
      return name + ' ' + value + ": no choice of this algorithm for " + spb::name(direction);
    if (const std::string wrong = fault(*knob, value); !wrong.empty()) return name + ": " + wrong;
  }
  return std::nullopt;
}

Choice of_direction(std::span<const Knob> knobs, const Choice& choice, Direction direction) {
  Choice kept = choice;
  std::erase_if(kept.values, [&](const auto& value) {
    const Knob* knob = find(knobs, value.first);
    return knob && !is_for(*knob, direction);
  });
  return kept;
}

}  // namespace spb
