// SPDX-License-Identifier: Apache-2.0
#include "config/aliases.h"

#include <algorithm>

namespace spb::config {

std::span<const Alias> dtype_aliases() {
  static const Alias kAliases[] = {
      {"fp32", {"f32"}},      {"float32", {"f32"}},       {"float", {"f32"}},
      {"fp16", {"f16"}},      {"float16", {"f16"}},       {"half", {"f16"}},
      {"bfloat16", {"bf16"}}, {"tfloat32", {"tf32"}},     {"int8", {"i8"}},
      {"fp8", {"e4m3"}},      {"float8_e4m3fn", {"e4m3"}}};
  return kAliases;
}

std::span<const Alias> direction_aliases() {
  static const Alias kAliases[] = {{"forward", {"fprop"}},           {"fwd", {"fprop"}},
                                   {"backward", {"dgrad", "wgrad"}}, {"bwd", {"dgrad", "wgrad"}},
                                   {"bwd_input", {"dgrad"}},         {"bwd_data", {"dgrad"}},
                                   {"bwd_weight", {"wgrad"}}};
  return kAliases;
}

std::vector<std::string> without_aliases(std::span<const std::string> words,
                                         std::span<const Alias> aliases) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    const auto alias = std::ranges::find(aliases, word, &Alias::word);
    if (alias == aliases.end())
      names.push_back(word);
    else
      names.insert(names.end(), alias->names.begin(), alias->names.end());
  }
  return names;
}

}  // namespace spb::config
