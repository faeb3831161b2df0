// SPDX-License-Identifier: Apache-2.0
#include "tuning/entry_json.h"

#include <stdexcept>

namespace spb::tuning {
namespace {

using nlohmann::json;

json choice_json(const Trial& trial) {
  json choice = json::object();
  for (const auto& [knob, value] : trial.choice.values) choice[knob] = value;
  return choice;
}

/// The value whose name() is `text`, of an enumeration from 0 to `last`.
template <class E>
E named(const std::string& text, E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (text == name(static_cast<E>(i))) return static_cast<E>(i);
  throw std::invalid_argument(text);
}

/// Names that files of format 1 have for knobs, whose numbers are none in text.
std::string knob_name(const std::string& key) {
  if (key == "variant") return "kernel";
  return key == "order" ? "tile_order" : key;
}

Choice choice_from_json(const json& from) {
  if (!from.is_object()) throw std::invalid_argument("choice");
  Choice choice;
  for (const auto& [key, value] : from.items())
    choice.values[knob_name(key)] =
        value.is_string() ? value.get<std::string>() : std::to_string(value.get<int>());
  return choice;
}

json trial_json(const Trial& trial) {
  json result = {{"choice", choice_json(trial)}, {"kernel", trial.kernel},
                 {"params", trial.params},       {"status", name(trial.status)},
                 {"median_us", trial.median_us}, {"samples_us", trial.samples_us}};
  if (!trial.detail.empty()) result["detail"] = trial.detail;
  if (trial.plan_us > 0) result["plan_us"] = trial.plan_us;
  return result;
}

Trial trial_from_json(const json& from) {
  Trial trial;
  trial.choice = choice_from_json(from.at("choice"));
  from.at("kernel").get_to(trial.kernel);
  from.at("params").get_to(trial.params);
  trial.status = named(from.at("status").get<std::string>(), TrialStatus::error);
  trial.detail = from.value("detail", "");
  from.at("median_us").get_to(trial.median_us);
  from.at("samples_us").get_to(trial.samples_us);
  trial.plan_us = from.value("plan_us", 0.);
  if (!(trial.plan_us >= 0)) throw std::invalid_argument("plan_us");
  return trial;
}

}  // namespace

json to_json(const Entry& entry) {
  const ProblemClass& c = entry.problem_class;
  json trials = json::array();
  for (const Trial& trial : entry.trials) trials.push_back(trial_json(trial));
  return {{"device", entry.machine.device},
          {"driver", entry.machine.driver},
          {"tool_version", entry.machine.tool_version},
          {"algorithm", c.algorithm},
          {"algorithm_version", c.algorithm_version},
          {"direction", name(c.direction)},
          {"dtype", info(c.dtype).name},
          {"conv_kind", name(c.conv_kind)},
          {"kernel_volume", c.kernel_volume},
          {"c_in", c.c_in},
          {"c_out", c.c_out},
          {"groups", c.groups},
          {"n_out_bucket", c.n_out_bucket},
          {"pairs_bucket", c.pairs_bucket},
          {"problem", entry.problem},
          {"dataset", entry.dataset},
          {"n_out", entry.n_out},
          {"n_pairs", entry.n_pairs},
          {"mode", entry.mode},
          {"runs", entry.runs},
          {"tuned_utc", entry.tuned_utc},
          {"tune_ms", entry.tune_ms},
          {"winner", entry.winner},
          {"candidates", trials}};
}

Entry entry_from_json(const json& from) {
  Entry entry;
  ProblemClass& c = entry.problem_class;
  from.at("device").get_to(entry.machine.device);
  from.at("driver").get_to(entry.machine.driver);
  from.at("tool_version").get_to(entry.machine.tool_version);
  from.at("algorithm").get_to(c.algorithm);
  from.at("algorithm_version").get_to(c.algorithm_version);
  c.direction = parse_direction(from.at("direction").get<std::string>(), "direction");
  c.dtype = parse_dtype(from.at("dtype").get<std::string>(), "dtype");
  c.conv_kind = parse_conv_kind(from.at("conv_kind").get<std::string>(), "conv_kind");
  from.at("kernel_volume").get_to(c.kernel_volume);
  from.at("c_in").get_to(c.c_in);
  from.at("c_out").get_to(c.c_out);
  c.groups = from.value("groups", 1);
  from.at("n_out_bucket").get_to(c.n_out_bucket);
  from.at("pairs_bucket").get_to(c.pairs_bucket);
  from.at("problem").get_to(entry.problem);
  from.at("dataset").get_to(entry.dataset);
  from.at("n_out").get_to(entry.n_out);
  from.at("n_pairs").get_to(entry.n_pairs);
  from.at("mode").get_to(entry.mode);
  entry.runs = from.value("runs", int64_t{0});
  if (entry.runs < 0) throw std::invalid_argument("runs");
  from.at("tuned_utc").get_to(entry.tuned_utc);
  from.at("tune_ms").get_to(entry.tune_ms);
  from.at("winner").get_to(entry.winner);
  for (const json& trial : from.at("candidates")) entry.trials.push_back(trial_from_json(trial));
  const auto count = static_cast<int>(entry.trials.size());
  if (count == 0 || entry.winner < -1 || entry.winner >= count)
    throw std::invalid_argument("winner");
  if (const Trial* best = entry.winning(); best && best->status != TrialStatus::ok)
    throw std::invalid_argument("winner");
  return entry;
}

}  // namespace spb::tuning
