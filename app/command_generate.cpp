// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "case_options.h"
#include "command.h"
#include "config/expand.h"
#include "console.h"
#include "suite/load.h"
#include "write_coords.h"

namespace spb::app {
namespace {

struct GenerateOptions {
  suite::CaseOptions data;
  ConsoleOptions console;
  std::string out;
};

ExitCode generate(const GenerateOptions& options) {
  options.console.apply();
  check_extension(options.out);  // before the work
  const std::vector<std::string> no_algorithm{"none"};
  const std::vector<config::CaseSpec> specs = suite::plan_cases(options.data, no_algorithm);
  const config::CaseSpec& spec = specs.front();
  for (const config::CaseSpec& other : specs)
    if (config::data_id(other) != config::data_id(spec))
      throw usage_error("DATA", "generate writes one voxel set", "name one data set and row order");
  const suite::LoadedVoxels loaded = suite::load_voxels(spec, options.data.reading, console());
  write_coords(loaded.voxels, options.out);
  console().note(fmt::format("wrote {} ({} voxels)", options.out, loaded.voxels.size()));
  return ExitCode::ok;
}

}  // namespace

Action declare_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  add_case_options(app, options->data, CaseScope::data);
  app.add_option("-o,--out", options->out, "file to write: .npy or .xyz")
      ->option_text("FILE")
      ->required()
      ->group("Output");
  add_console_options(app, options->console);
  return [options](std::span<const Algorithm>) { return generate(*options); };
}

}  // namespace spb::app
