// SPDX-License-Identifier: Apache-2.0
#include "engines/native/native.h"

#include <string>

#include "engines/native/account.h"
#include "engines/native/session.h"
#include "engines/native/time_phases.h"
#include "engines/native/time_steps.h"
#include "gpu/device_info.h"
#include "maps/maps.h"

namespace spb::engines {
namespace {

/// What a plan took by its own words; nothing where it does not say.
std::optional<std::string> taken(const Knob& knob, const PlanDescription& plan) {
  if (knob.column == columns::kernel) return plan.kernel;
  const std::string key = '"' + std::string(knob.name) + "\":";
  const size_t at = plan.params_json.find(key);
  if (at == std::string::npos) return std::nullopt;
  const size_t begin = at + key.size();
  std::string value =
      plan.params_json.substr(begin, plan.params_json.find_first_of(",}", begin) - begin);
  std::erase(value, '"');
  return value;
}

class NativeContender final : public Contender {
 public:
  NativeContender(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels,
                  bool guards)
      : algorithm_(algorithm), problem_(problem), session_(algorithm_, problem_, voxels, guards) {}

  const PlanDescription& description() const override { return session_.plan->description(); }
  std::optional<std::string> ignored_choice() const override {
    if (algorithm_.choice.source != ChoiceSource::forced) return std::nullopt;
    for (const Knob& knob : algorithm_.knobs) {
      const std::string* forced = algorithm_.choice.find(knob.name);
      const auto found = forced ? taken(knob, description()) : std::nullopt;
      if (found && *found != *forced)
        return std::string(knob.name) + ' ' + *forced + " was forced, the plan took " + *found;
    }
    return std::nullopt;
  }
  MapSize size() const override { return session_.plan->size(); }
  std::optional<MapSet> map() const override {
    if (!session_.plan->shows_map()) return std::nullopt;
    return session_.plan->map(session_.stream);
  }

  void write(const HostOperands& operands) override {
    session_.operands.upload(operands, session_.stream);
  }
  void run(std::optional<uint8_t> poison) override {
    if (poison)
      for (const gpu::Tag tag : {gpu::Tag::output, gpu::Tag::workspace})
        session_.allocator.poison(tag, *poison, session_.stream);
    session_.run();
  }
  std::optional<Damage> damage() const override {
    const auto damaged = session_.allocator.damaged_guards(session_.stream);
    if (damaged.empty()) return std::nullopt;
    const gpu::GuardDamage& first = damaged.front();
    return Damage{gpu::name(first.tag), first.buffer_bytes, first.offset};
  }
  Contents contents() const override {
    const auto hash = [&](gpu::Tag tag) {
      return session_.allocator.content_hash(tag, session_.stream);
    };
    return {hash(gpu::Tag::input), hash(gpu::Tag::weight), hash(gpu::Tag::plan)};
  }
  uint64_t output_hash() const override { return session_.operands.output_hash(session_.stream); }
  const void* output() const override { return session_.operands.output(); }
  WeightLayout output_layout() const override { return algorithm_.weights; }
  void read(OutputBits& outputs) const override {
    session_.operands.download(outputs, session_.stream);
  }
  void read_elements(std::span<const int64_t> elements, OutputBits& outputs) const override {
    session_.operands.download_elements(elements, outputs, session_.stream);
  }

  PhaseTimes time(std::span<const TimedPhase> phases, const bench::Protocol& protocol) override {
    return time_phases(session_, algorithm_, problem_, phases, protocol);
  }
  StepTimes time_steps(std::span<const int> layers, const DrawOperands& draw,
                       const bench::Protocol& protocol) override {
    return engines::time_steps(session_, algorithm_, problem_, layers, draw, protocol);
  }

 private:
  const Algorithm algorithm_;
  const Problem problem_;
  Session session_;
};

}  // namespace

void Native::check_room(const Problem& problem, const VoxelSet& voxels) const {
  if (problem.geometry.kind != ConvKind::generative) return;
  const maps::MadeBound bound = maps::made_bound(voxels.size(), voxels.box, problem.geometry);
  const int64_t free = gpu::free_memory_bytes();
  if (bound.bytes <= free) return;
  throw gpu::OutOfMemory("a generative layer may make " + std::to_string(bound.rows) + " rows of " +
                             std::to_string(voxels.size()) + " voxels: telling them apart takes " +
                             std::to_string(bound.bytes) + " bytes, " + std::to_string(free) +
                             " are free",
                         bound.bytes);
}

std::unique_ptr<Contender> Native::prepare(const Problem& problem, const VoxelSet& voxels,
                                           bool guards) const {
  return std::make_unique<NativeContender>(algorithm_, problem, voxels, guards);
}

MemoryUse Native::memory(const Problem& problem, const VoxelSet& voxels,
                         const MapSize& size) const {
  return account(algorithm_, problem, voxels, size);
}

}  // namespace spb::engines
