// SPDX-License-Identifier: Apache-2.0
#include "engines/native/rotation.h"

#include <algorithm>
#include <utility>

#include "gpu/device_info.h"

namespace spb::engines {
namespace {

/// Making a set takes about a millisecond, most of it the device's allocations: more of them would
/// take longer than the timing they are for.
constexpr int64_t kMostSets = 256;

/// Operations of a run from which on it is replayed: a graph's own start would show in fewer.
constexpr int64_t kLongRun = 16;

}  // namespace

int64_t sets_needed(int64_t set_bytes, int64_t cache_bytes) {
  const int64_t bytes = std::max<int64_t>(set_bytes, 1);
  return std::max<int64_t>(2, (2 * cache_bytes + bytes - 1) / bytes + 1);
}

Rotation::Rotation(Session& session, const Algorithm& algorithm, const Problem& problem,
                   int64_t cache_bytes)
    : session_(session) {
  const int64_t set_bytes = session.allocator.counts().live_bytes;
  const int64_t count = sets_needed(set_bytes, cache_bytes);
  if (count > kMostSets || (count - 1) * set_bytes > gpu::free_memory_bytes() / 2) return;
  try {
    make(algorithm, problem, count - 1);
  } catch (const gpu::OutOfMemory&) {
    others_.clear();
  }
}

void Rotation::make(const Algorithm& algorithm, const Problem& problem, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    others_.push_back(
        {algorithm.plan(problem, session_.coords, session_.allocator, session_.stream),
         DeviceOperands(problem, session_.plan->size(), session_.allocator, algorithm.weights)});
    others_.back().operands.copy_inputs(session_.operands, session_.stream);
  }
}

void Rotation::run(size_t set) {
  if (set == 0) {
    session_.plan->run(session_.operands.pointers(), session_.stream);
    return;
  }
  Set& other = others_[set - 1];
  other.plan->run(other.operands.pointers(), session_.stream);
}

std::unique_ptr<gpu::Graph> Rotation::capture(size_t set) {
  return gpu::Graph::capture(session_.stream, [&] { run(set); });
}

bool Rotation::replay_long_runs() {
  for (size_t set = 0; set < static_cast<size_t>(sets()); ++set) {
    auto graph = capture(set);
    if (!graph || graph->operations() < kLongRun) {
      graphs_.clear();
      return false;
    }
    graph->launch(session_.stream);  // the first launch of a graph brings it to the device
    graphs_.push_back(std::move(graph));
  }
  return true;
}

void Rotation::run_all() {
  for (size_t set = 0; set < static_cast<size_t>(sets()); ++set) run(set);
  for (Set& other : others_) other.ran = false;
  next_ = 0;
}

void Rotation::queue_run() {
  const auto set = static_cast<size_t>(std::exchange(next_, (next_ + 1) % sets()));
  if (set > 0) others_[set - 1].ran = true;
  if (graphs_.empty())
    run(set);
  else
    graphs_[set]->launch(session_.stream);
}

std::optional<int> Rotation::differing_set() const {
  if (!session_.plan->description().arithmetic.deterministic) return std::nullopt;
  if (others_.empty() || !others_.front().ran) return std::nullopt;
  const uint64_t expected = session_.operands.output_hash(session_.stream);
  for (size_t i = 0; i < others_.size(); ++i)
    if (others_[i].ran && others_[i].operands.output_hash(session_.stream) != expected)
      return static_cast<int>(i + 1);
  return std::nullopt;
}

}  // namespace spb::engines
