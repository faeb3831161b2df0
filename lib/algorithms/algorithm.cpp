#include "algorithms/algorithm.h"

namespace spb {

maps::MapNeeds Algorithm::needs(const Problem& problem, maps::MapStore& store,
                                const gpu::Stream& stream) const {
  return needs_of({problem, store.n_in(), store.out(stream)->n, choice});
}

std::unique_ptr<Plan> Algorithm::plan(const Problem& problem, maps::MapStore& store,
                                      gpu::Allocator& allocator, const gpu::Stream& stream) const {
  const Case of{problem, store.n_in(), store.out(stream)->n, choice};
  return plan_with(of, store.get(needs_of(of), stream), {allocator, stream});
}

std::unique_ptr<Plan> Algorithm::plan(const Problem& problem, const maps::DeviceCoords& coords,
                                      gpu::Allocator& allocator, const gpu::Stream& stream) const {
  maps::MapStore store({coords, problem.geometry}, allocator);
  return plan(problem, store, allocator, stream);
}

}  // namespace spb
