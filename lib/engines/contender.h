// SPDX-License-Identifier: Apache-2.0
// The seam between what judges and what is judged. Whoever runs convolutions, our kernels or
// another engine's, is verified, timed, accounted for and tuned through these two classes alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/device_watch.h"
#include "bench/protocol.h"
#include "bench/sampling.h"
#include "bench/statistics.h"
#include "core/coords.h"
#include "core/expected.h"
#include "core/host_tensors.h"
#include "core/plan_description.h"
#include "core/problem.h"
#include "core/status.h"
#include "core/tensors.h"

namespace spb::engines {

/// A guard around a buffer that a run overwrote.
struct Damage {
  std::string buffer;  ///< what it holds: "output"
  int64_t buffer_bytes = 0;
  int64_t offset = 0;  ///< of the first damaged byte from the buffer's start; negative before it
};

/// Hashes of what no run may change.
struct Contents {
  uint64_t inputs = 0, weights = 0, plan = 0;
};

/// What can be timed (measurement.md, section 2).
enum class TimedPhase { kernel_cold, kernel_hot, end_to_end, plan, map_build };

struct PhaseTime {
  Phase phase;
  CacheState cache;
  const char* method;        ///< column timing_method
  const char* cache_method;  ///< how caches were emptied: rotate, flush; empty unless cold
  bench::Sampling sampling;
  bench::Statistics statistics;      ///< of the samples that count
  bench::Conditions conditions;      ///< of the device meanwhile
  std::optional<double> floor_us{};  ///< of the method, where it has one
  /// Of phases in which the host works, too, and whose time is the device's part: median by the
  /// host's clock until the stream has drained, what a caller waits.
  std::optional<double> wall_median_us{};
  const char* map_source = "";  ///< column map_source
  int layers = 0;               ///< of the phase step, whose time is that of one of them
  std::string params{};         ///< of the phase step: who else runs a direction, as JSON
  std::string warning{};  ///< that another method than the phase's own had to be used, and why
};

struct PhaseTimes {
  std::vector<PhaseTime> phases;
  std::string fault;  ///< a timed run stored other bits than it should; else empty
  /// Timed runs whose outputs were found to have the bits of those that are left.
  int64_t equal_runs = 0;
};

struct StepTimes : PhaseTimes {
  std::string unsupported;    ///< why a layer cannot be stepped; then nothing was timed
  uint64_t forward_hash = 0;  ///< of the last step's forward outputs, as Contender::output_hash()
};

/// Operands of another direction of the same layer.
using DrawOperands = std::function<std::shared_ptr<const HostOperands>(const Problem&)>;

/// What a case costs in memory (measurement.md, section 9).
struct MemoryUse {
  int64_t peak_total_bytes = 0;  ///< largest live sum, plan and run
  int64_t peak_plan_bytes = 0;   ///< largest sum beyond operands while planning
  int64_t workspace_bytes = 0;   ///< `workspace` live during a run
  int64_t persistent_bytes = 0;  ///< kept between runs: maps, orders, re-laid weights
  int64_t leak_bytes = 0;        ///< live after destruction
  int64_t run_alloc_count = 0;   ///< allocations inside a run; must be 0
  /// Device memory taken past the allocator; nothing on host. Wrong when another process takes
  /// memory meanwhile.
  std::optional<int64_t> untracked_bytes;
};

/// An algorithm of an engine, prepared for one problem on one voxel set: maps and plan are made,
/// operands have their places. Rows of inputs and outputs are in the order of the reference.
class Contender {
 public:
  virtual ~Contender() = default;

  virtual const PlanDescription& description() const = 0;
  /// Nothing, or which choice it was forced to take and by its own description did not: "split 3
  /// was forced, the plan took 1".
  virtual std::optional<std::string> ignored_choice() const = 0;
  /// Rows of inputs and outputs.
  virtual MapSize size() const = 0;
  /// The map that it works with, for comparison as a set; nothing where an engine does not show it:
  /// its outputs are judged all the same.
  virtual std::optional<MapSet> map() const = 0;

  virtual void write(const HostOperands& operands) = 0;
  /// One run, finished when it returns. `poison` fills outputs and workspace before it.
  virtual void run(std::optional<uint8_t> poison) = 0;
  /// The first guard that was overwritten; nothing without guards.
  virtual std::optional<Damage> damage() const = 0;
  virtual Contents contents() const = 0;
  /// Of the stored outputs: equal bits have equal hashes.
  virtual uint64_t output_hash() const = 0;
  /// Where the main output lies on the device; gradients of weights have output_layout().
  virtual const void* output() const = 0;
  virtual WeightLayout output_layout() const = 0;
  /// Of the main output the listed elements, in tensors()' layout, in the place of all.
  virtual void read_elements(std::span<const int64_t> elements, OutputBits& outputs) const = 0;
  /// Takes large vectors again and again, since new memory costs more than the copy.
  virtual void read(OutputBits& outputs) const = 0;

  /// Times phases from the last to the first, on what was written; the outputs, poisoned before,
  /// then hold what the first of them stored. The times come in the order of `phases`; cold ones
  /// are left out with a warning where the size of the last cache is unknown.
  virtual PhaseTimes time(std::span<const TimedPhase> phases, const bench::Protocol& protocol) = 0;
  /// Times training steps, a phase for each of `layers`: maps and plans once, then fprop, dgrad and
  /// wgrad of so many layers that share both. Their outputs must be those of plans on their own.
  virtual StepTimes time_steps(std::span<const int> layers, const DrawOperands& draw,
                               const bench::Protocol& protocol) = 0;
};

/// An algorithm of an engine, with what it was told to choose.
class Implementation {
 public:
  virtual ~Implementation() = default;

  virtual std::string name() const = 0;           ///< column algorithm
  virtual int version() const = 0;                ///< raised with any change of behavior
  virtual std::string choice_source() const = 0;  ///< column variant_source
  /// Column map_variant: that it makes its maps in another way, which no kernel shows. Empty: as
  /// usual.
  virtual std::string map_variant() const { return {}; }
  /// Nothing, or why this problem cannot run ("c_in = 3, needs a multiple of 8").
  virtual std::optional<std::string> unsupported(const Problem& problem) const = 0;
  /// Throws gpu::OutOfMemory where what a layer makes of these voxels may not fit. Before
  /// prepare(), and before anybody makes anything of them.
  virtual void check_room(const Problem& problem, const VoxelSet& voxels) const = 0;
  /// With `guards`, every buffer lies between canaries. Throws Error for data that no plan takes,
  /// gpu::OutOfMemory. The voxels must outlive the contender.
  virtual std::unique_ptr<Contender> prepare(const Problem& problem, const VoxelSet& voxels,
                                             bool guards) const = 0;
  /// A separate untimed pass: plans, runs once on zeros, destroys.
  virtual MemoryUse memory(const Problem& problem, const VoxelSet& voxels,
                           const MapSize& size) const = 0;
};

}  // namespace spb::engines
