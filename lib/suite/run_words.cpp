// SPDX-License-Identifier: Apache-2.0
#include "suite/run_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "config/lists.h"
#include "core/error.h"
#include "run/dense_layer.h"
#include "run/device_judge.h"

namespace spb::suite {
namespace {

void set_verify_modes(SuiteRunOptions& options) {
  options.run.verify_exact = options.run.verify_fp = false;
  if (options.no_verify) return;
  for (const std::string& mode : config::split_list(options.verify_modes, "--verify-modes"))
    if (mode == "exact")
      options.run.verify_exact = true;
    else if (mode == "fp")
      options.run.verify_fp = true;
    else
      throw usage_error("--verify-modes", fmt::format("\"{}\" is unknown", mode),
                        "use exact, fp or both");
}

/// Exact ones: without exact mode they must be asked for.
void set_verify_shapes(SuiteRunOptions& options) {
  if (options.no_verify && options.shapes == "on")
    throw usage_error("--shapes", "nothing is verified with --no-verify", "give one of the two");
  options.run.verify_shapes =
      !options.no_verify &&
      (options.shapes.empty() ? options.command == "verify" && options.run.verify_exact
                              : options.shapes == "on");
}

/// Each number once, as in the lists of cases.
void set_step_layers(SuiteRunOptions& options) {
  if (options.runs.empty()) return;
  std::vector<int>& layers = options.run.step_layers;
  for (const int layer : config::parse_integers(options.runs, "--runs"))
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
}

}  // namespace

void set_run_options(SuiteRunOptions& options) {
  set_verify_modes(options);
  set_verify_shapes(options);
  options.run.references = run::parse_references(options.references, "--references");
  if (!options.dense.empty()) options.run.dense = run::parse_dense_use(options.dense, "--dense");
  set_step_layers(options);
}

}  // namespace spb::suite
