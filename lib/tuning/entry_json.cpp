// SPDX-License-Identifier: Apache-2.0
#include "tuning/entry_json.h"

#include <limits>
#include <stdexcept>

#include "core/json_text.h"

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
    choice.values[knob_name(key)] = value.is_string()
                                        ? value.get<std::string>()
                                        : std::to_string(whole_number<int>(value, key));
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

/// Numbers that nlohmann-json would cut or wrap to fit.
template <typename Whole>
void read_whole(const json& from, const char* key, Whole& number,
                Whole low = std::numeric_limits<Whole>::min()) {
  number = whole_number<Whole>(from.at(key), key, low);
}
void read_real(const json& from, const char* key, double& number) {
  number = real_number(from.at(key), key);
}

Trial trial_from_json(const json& from) {
  Trial trial;
  trial.choice = choice_from_json(from.at("choice"));
  from.at("kernel").get_to(trial.kernel);
  from.at("params").get_to(trial.params);
  trial.status = named(from.at("status").get<std::string>(), TrialStatus::error);
  trial.detail = from.value("detail", "");
  read_real(from, "median_us", trial.median_us);
  for (const json& sample : from.at("samples_us"))
    trial.samples_us.push_back(real_number(sample, "samples_us"));
  if (from.contains("plan_us")) read_real(from, "plan_us", trial.plan_us);
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
  read_whole(from, "algorithm_version", c.algorithm_version);
  c.direction = parse_direction(from.at("direction").get<std::string>(), "direction");
  c.dtype = parse_dtype(from.at("dtype").get<std::string>(), "dtype");
  c.conv_kind = parse_conv_kind(from.at("conv_kind").get<std::string>(), "conv_kind");
  read_whole(from, "kernel_volume", c.kernel_volume);
  read_whole(from, "c_in", c.c_in);
  read_whole(from, "c_out", c.c_out);
  if (from.contains("groups")) read_whole(from, "groups", c.groups);
  read_whole(from, "n_out_bucket", c.n_out_bucket);
  read_whole(from, "pairs_bucket", c.pairs_bucket);
  from.at("problem").get_to(entry.problem);
  from.at("dataset").get_to(entry.dataset);
  read_whole(from, "n_out", entry.n_out);
  read_whole(from, "n_pairs", entry.n_pairs);
  from.at("mode").get_to(entry.mode);
  if (from.contains("runs")) read_whole(from, "runs", entry.runs, int64_t{0});
  from.at("tuned_utc").get_to(entry.tuned_utc);
  read_real(from, "tune_ms", entry.tune_ms);
  read_whole(from, "winner", entry.winner);
  for (const json& trial : from.at("candidates")) entry.trials.push_back(trial_from_json(trial));
  const auto count = static_cast<int>(entry.trials.size());
  if (count == 0 || entry.winner < -1 || entry.winner >= count)
    throw std::invalid_argument("winner");
  if (const Trial* best = entry.winning(); best && best->status != TrialStatus::ok)
    throw std::invalid_argument("winner");
  return entry;
}

}  // namespace spb::tuning
