// SPDX-License-Identifier: Apache-2.0
#include "algorithms/algorithm.h"

#include "core/error.h"

namespace spb {

std::optional<std::string> Algorithm::unsupported(const Problem& problem,
                                                  const Choice& made) const {
  if (auto reason = unclaimed(claim, problem)) return reason;
  if (auto reason = refused(knobs, made, problem.direction)) return reason;
  return unsupported_with(problem, made);
}

maps::MapNeeds Algorithm::needs(const Problem& problem, maps::MapStore& store,
                                const gpu::Stream& stream) const {
  const auto [n_in, n_out] = store.size(stream);
  return needs_of({problem, n_in, n_out, choice, store.voxels().box});
}

std::unique_ptr<Plan> Algorithm::plan(const Problem& problem, maps::MapStore& store,
                                      gpu::Allocator& allocator, const gpu::Stream& stream) const {
  auto reason = unclaimed(claim, problem);
  if (!reason) reason = refused(knobs, choice, problem.direction);
  if (reason) throw Error(ExitCode::runtime, std::string(name) + ' ' + *reason);
  const auto [n_in, n_out] = store.size(stream);
  const Case of{problem, n_in, n_out, choice, store.voxels().box};
  return plan_with(of, store.get(needs_of(of), stream), {allocator, stream});
}

std::unique_ptr<Plan> Algorithm::plan(const Problem& problem, const maps::DeviceCoords& coords,
                                      gpu::Allocator& allocator, const gpu::Stream& stream) const {
  maps::MapStore store({coords, problem.geometry}, allocator, hash);
  return plan(problem, store, allocator, stream);
}

}  // namespace spb
