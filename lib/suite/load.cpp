// SPDX-License-Identifier: Apache-2.0
#include "suite/load.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/error.h"
#include "core/nearest.h"
#include "core/paths.h"
#include "data/dataset.h"
#include "data/doubts.h"
#include "data/generate.h"
#include "suite/places.h"

namespace spb::suite {
namespace {

namespace fs = std::filesystem;

std::optional<data::Dataset> find_dataset(const std::string& name) {
  for (data::Dataset& dataset : data::find_datasets(datasets_folder()))
    if (dataset.name == name) return std::move(dataset);
  return std::nullopt;
}

Error unknown_data(const std::string& name) {
  std::vector<std::string> known;
  for (const data::Dataset& dataset : data::find_datasets(datasets_folder()))
    known.push_back(dataset.name);
  for (const data::Generator& generator : data::generators()) known.emplace_back(generator.name);
  const std::string near = nearest_name(name, known);
  return input_error(name, "no such file, data set or generator",
                     near.empty() ? "see list datasets and list generators"
                                  : fmt::format("did you mean \"{}\"?", near));
}

/// The file to read, and what to call it in records.
struct Source {
  fs::path file;
  std::string name;
  std::optional<data::Dataset> dataset;
};

Source find_source(const std::string& name) {
  if (is_there(name)) return {name, record_name(name), {}};
  if (auto dataset = find_dataset(name)) {
    if (!dataset->is_present())
      throw input_error(dataset->file.string(), "not fetched yet",
                        "run datasets/fetch.sh " + dataset->name);
    return {dataset->file, name, std::move(dataset)};
  }
  throw unknown_data(name);
}

data::VoxelizeOptions voxelize_options(const config::CaseSpec& spec, bool merge) {
  return {.voxel_size = spec.voxel_size,
          .resolution = spec.resolution,
          .range = spec.range,
          .frame = spec.frame,
          .merge = merge,
          .order = data::parse_voxel_order(spec.row_order, "--row-order")};
}

/// Range and frame are for points. `what` says what the data has instead.
void refuse_range(const config::CaseSpec& spec, const std::string& what) {
  if (!spec.range && spec.frame == Frame::cartesian) return;
  throw usage_error(spec.range ? "--range" : "--frame", what,
                    "name a file of points, or leave the option out");
}

void read_source(const Source& source, const config::CaseSpec& spec, const ReadSettings& settings,
                 LoadedVoxels& loaded) {
  const data::PointCloud cloud =
      data::read_file(source.file, {.columns = settings.columns, .axes = settings.axes});
  loaded.format = cloud.format;
  if (cloud.is_coords) refuse_range(spec, source.name + " holds voxels, which have no metres");
  if (!cloud.triangles.empty()) refuse_range(spec, source.name + " is a mesh, not points");
  try {
    loaded.voxels = data::voxelize(cloud, voxelize_options(spec, settings.merge), &loaded.report);
  } catch (const Error& error) {
    if (error.code() != ExitCode::runtime) throw;  // names an option
    throw Error(error.code(), source.name + ": " + error.what());
  }
  const std::string sha256 = data::sha256_file(source.file);
  if (source.dataset && source.dataset->sha256 != sha256)
    throw input_error(source.file.string(), "sha256 is not that of its dataset.toml",
                      "fetch it again with datasets/fetch.sh " + source.name);
  loaded.fields[columns::dataset_sha256] = sha256;
}

}  // namespace

LoadedVoxels load_voxels(const config::CaseSpec& spec, const ReadSettings& settings, Log& log) {
  LoadedVoxels loaded;
  if (data::is_generator(spec.dataset)) {
    loaded.name = spec.dataset;
    loaded.format = "generator";
    loaded.voxels = data::generate(spec.dataset, spec.seed);
    loaded.report.points = loaded.voxels.size();
    loaded.report.was_coords = true;
    data::sort_rows(loaded.voxels, data::parse_voxel_order(spec.row_order, "--row-order"));
  } else {
    const Source source = find_source(spec.dataset);
    loaded.name = source.name;
    read_source(source, spec, settings, loaded);
    if (loaded.report.outside > 0)
      log.note(fmt::format("{}: {} of {} points lie outside of --range, and are dropped",
                           loaded.name, loaded.report.outside, loaded.report.points));
    if (const std::string odd = data::doubt(loaded.voxels, loaded.report); !odd.empty())
      log.warning(loaded.name + ": " + odd);
  }
  data::copy_as_batches(loaded.voxels, spec.batch_copies);
  loaded.fields[columns::row_order] = spec.row_order;
  // Of a data set that holds voxels the size is what its dataset.toml says of them.
  if (loaded.report.was_coords && is_there(spec.dataset)) {
    if (spec.voxel_size || spec.resolution)
      log.note(fmt::format("{}: its rows are voxels: {} is not needed, and not recorded",
                           loaded.name, spec.voxel_size ? "--voxel-size" : "--resolution"));
    return loaded;
  }
  if (spec.voxel_size && spec.voxel_size->is_cube())
    loaded.fields[columns::voxel_size_m] = spec.voxel_size->edges[0];
  else if (spec.voxel_size)
    loaded.fields[columns::voxel_edges] = to_text(*spec.voxel_size);
  if (spec.resolution) loaded.fields[columns::resolution] = *spec.resolution;
  if (spec.range) loaded.fields[columns::range] = to_text(*spec.range);
  if (spec.frame != Frame::cartesian) loaded.fields[columns::frame] = name(spec.frame);
  return loaded;
}

std::string record_name(const std::string& dataset) {
  return data::is_generator(dataset) ? dataset : fs::path(dataset).filename().string();
}

std::string data_sha256(const std::string& dataset) {
  return data::is_generator(dataset) ? "" : data::sha256_file(find_source(dataset).file);
}

void check_data(std::span<const config::CaseSpec> cases) {
  std::string checked;
  for (const config::CaseSpec& spec : cases) {
    if (spec.dataset == checked || data::is_generator(spec.dataset)) continue;
    find_source(spec.dataset);
    checked = spec.dataset;
  }
}

void check_grid(const config::CaseSpec& spec) {
  data::check_grid(voxelize_options(spec, false));
  if (data::is_generator(spec.dataset))
    refuse_range(spec, spec.dataset + " makes voxels, which have no metres");
}

void fill_default_sizes(std::vector<config::CaseSpec>& cases) {
  std::string last_name;
  std::optional<data::Dataset> last;
  for (config::CaseSpec& spec : cases) {
    if (data::is_generator(spec.dataset)) {
      spec.voxel_size.reset();
      spec.resolution.reset();
    } else if (!spec.voxel_size && !spec.resolution && !is_there(spec.dataset)) {
      if (spec.dataset != last_name) last = find_dataset(spec.dataset);
      last_name = spec.dataset;
      if (!last) continue;
      spec.voxel_size = last->voxel_size_m;
      spec.resolution = last->resolution;
    }
  }
}

}  // namespace spb::suite
