// SPDX-License-Identifier: Apache-2.0
#include "engines/plugin/plugin_plan.h"

#include <algorithm>
#include <optional>

#include "algorithms/common/plan_base.h"
#include "core/error.h"
#include "maps/download.h"

namespace spb::engines {
namespace {

const int32_t* integers(const Coord* rows) { return reinterpret_cast<const int32_t*>(rows); }

/// What the library is given to work with, and what it was refused.
class Host {
 public:
  explicit Host(maps::BuildContext context)
      : context_(context),
        callbacks_{.self = this,
                   .stream = context.stream.handle(),
                   .allocate = allocate,
                   .release = release,
                   .synchronize = synchronize} {}
  Host(const Host&) = delete;  // the library holds a pointer to it
  Host& operator=(const Host&) = delete;

  const SpbHost* callbacks() const { return &callbacks_; }
  const std::optional<gpu::OutOfMemory>& refused() const { return refused_; }

 private:
  // Nothing may be thrown through the library.
  static void* allocate(void* self, int64_t bytes, int32_t use) {
    Host& host = *static_cast<Host*>(self);
    try {
      return host.context_.allocator.allocate(
          bytes, use == SPB_WORKSPACE ? gpu::Tag::workspace : gpu::Tag::plan);
    } catch (const gpu::OutOfMemory& error) {
      host.refused_ = error;
    } catch (const std::exception&) {
      // The library sees NULL, and says that it had no memory.
    }
    return nullptr;
  }
  static void release(void* self, void* data) {
    static_cast<Host*>(self)->context_.allocator.release(data);
  }
  static const char* synchronize(void* self) {
    thread_local std::string text;
    try {
      static_cast<Host*>(self)->context_.stream.synchronize();
      return nullptr;
    } catch (const std::exception& error) {
      text = error.what();
      return text.c_str();
    }
  }

  maps::BuildContext context_;
  SpbHost callbacks_;
  std::optional<gpu::OutOfMemory> refused_;
};

/// The library computes bias gradients itself.
Case without_bias(Case of) {
  of.problem.bias = false;
  return of;
}

class PluginPlan final : public plans::PlanBase {
 public:
  PluginPlan(const SpbAlgorithm& row, std::string name, const Case& of, const maps::Maps& maps,
             maps::BuildContext context)
      : PlanBase(without_bias(of), maps, context),
        row_(row),
        name_(std::move(name)),
        host_(context),
        gathered_(gather_map(maps)),
        pairs_(maps.pairs),
        maps_(view(maps)),
        plan_(nullptr, row.destroy) {
    SpbDescription said = defaults();
    const SpbProblem problem = plugin_problem(of.problem);
    void* plan = nullptr;
    const char* fault = row_.plan(&row_, &problem, &maps_, host_.callbacks(), &plan, &said);
    if (fault && host_.refused()) throw gpu::OutOfMemory(*host_.refused());
    if (fault) throw Error(ExitCode::runtime, name_ + ": plan: " + fault);
    plan_.reset(plan);
    describe(said);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    const SpbOperands given{.in = operands.in,
                            .weights = operands.weights,
                            .bias = operands.bias,
                            .gout = operands.gout,
                            .residual = operands.residual,
                            .scale = operands.scale,
                            .residual_scale = operands.residual_scale,
                            .out = operands.out,
                            .gin = operands.gin,
                            .gw = operands.gw,
                            .gbias = operands.gbias};
    if (const char* fault = row_.run(plan_.get(), &given, stream.handle()))
      throw Error(ExitCode::runtime, name_ + ": run: " + fault);
  }

  bool shows_map() const override { return (row_.needs & kMaps) != 0; }
  MapSet map(const gpu::Stream& stream) const override {
    if (row_.needs & SPB_NEEDS_NEIGHBORS) return download(gathered_, stream);
    return map_set_of_pairs(maps::download_pairs(*pairs_, stream), stream);
  }

 private:
  static constexpr uint32_t kMaps = SPB_NEEDS_NEIGHBORS | SPB_NEEDS_PAIRS;

  SpbMaps view(const maps::Maps& maps) const {
    const bool makes_inputs = problem_.geometry.kind == ConvKind::inverse;
    const maps::RowCoords made = maps.made->view();
    const maps::RowCoords &in = makes_inputs ? made : maps.voxels,
                          &out = makes_inputs ? maps.voxels : made;
    SpbMaps view{};
    view.n_in = in.n;
    view.n_out = out.n;
    view.in_coords = integers(in.rows);
    view.out_coords = integers(out.rows);
    view.batch_size = in.box.batch_size;
    std::ranges::copy(in.box.shape, view.in_shape);
    std::ranges::copy(out.box.shape, view.out_shape);
    std::ranges::copy(maps.made->origin, view.origin);
    if (row_.needs & SPB_NEEDS_NEIGHBORS) {
      view.neighbors = gathered_.table->rows.data();
      view.neighbors_mirrored = gathered_.mirrored;
    }
    if (row_.needs & SPB_NEEDS_PAIRS) {
      const plans::PairRows rows = plans::pair_rows(*pairs_, problem_);
      view.pair_in = rows.in;
      view.pair_out = rows.out;
      view.pair_begin = pairs_->offset_begin_host.data();
    }
    return view;
  }

  SpbDescription defaults() const {
    const int64_t rows = problem_.direction == Direction::dgrad ? n_in() : n_out();
    SpbDescription defaults{};
    defaults.kernel = row_.name;
    defaults.params_json = "{}";
    defaults.executed_macs = plans::executed_macs(problem_, rows * problem_.kernel_volume());
    defaults.is_deterministic = 1;
    return defaults;
  }

  void describe(const SpbDescription& said) {
    const auto dtype_of = [&](const char* text, Dtype usual) {
      return text ? parse_dtype(text, name_ + ": description") : usual;
    };
    description_.kernel = said.kernel ? said.kernel : row_.name;
    description_.params_json = said.params_json ? said.params_json : "{}";
    description_.executed_macs = said.executed_macs;
    Arithmetic& arithmetic = description_.arithmetic;
    arithmetic = plans::fp32_sums(problem_.dtype, std::max(0, said.mma_depth));
    arithmetic.deterministic = said.is_deterministic != 0;
    arithmetic.adds_to_memory = said.adds_to_memory != nullptr;
    arithmetic.accumulator = dtype_of(said.accumulator, arithmetic.accumulator);
    arithmetic.partials = dtype_of(said.partials, arithmetic.partials);
    arithmetic.atomics = dtype_of(said.adds_to_memory, arithmetic.atomics);
  }

  const SpbAlgorithm& row_;
  std::string name_;
  Host host_;
  plans::GatherMap gathered_;
  std::shared_ptr<const maps::KernelMap> pairs_;
  SpbMaps maps_;
  std::unique_ptr<void, void (*)(void*)> plan_;  // last: it uses all of the above
};

}  // namespace

SpbProblem plugin_problem(const Problem& problem) {
  const ConvGeometry& geometry = problem.geometry;
  SpbProblem asked{};
  asked.direction = name(problem.direction);
  asked.dtype = info(problem.dtype).name;
  asked.kind = name(geometry.kind);
  std::ranges::copy(geometry.kernel_size, asked.kernel_size);
  std::ranges::copy(geometry.stride, asked.stride);
  std::ranges::copy(geometry.dilation, asked.dilation);
  asked.c_in = problem.c_in;
  asked.c_out = problem.c_out;
  asked.groups = problem.groups;
  asked.has_bias = problem.bias && problem.direction != Direction::dgrad;
  asked.has_residual = problem.epilogue.residual;
  asked.activation = name(problem.epilogue.activation);
  asked.slope = problem.epilogue.slope;
  return asked;
}

maps::MapNeeds plugin_needs(const SpbAlgorithm& row, const Problem& problem) {
  maps::MapNeeds needs;
  if (row.needs & SPB_NEEDS_NEIGHBORS) needs.add(plans::table_needs(problem));
  if (row.needs & SPB_NEEDS_PAIRS) needs.add(plans::pair_needs());
  return needs;
}

std::unique_ptr<Plan> plugin_plan(const SpbAlgorithm& row, const std::string& name, const Case& of,
                                  const maps::Maps& maps, maps::BuildContext context) {
  return std::make_unique<PluginPlan>(row, name, of, maps, context);
}

}  // namespace spb::engines
