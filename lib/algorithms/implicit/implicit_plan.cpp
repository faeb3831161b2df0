#include "algorithms/implicit/implicit_plan.h"

namespace spb::plans {

std::unique_ptr<Plan> plan_implicit(const ImplicitOptions& options, const Problem& problem,
                                    const maps::DeviceCoords& coords, gpu::Allocator& allocator,
                                    const gpu::Stream& stream) {
  const auto plan = problem.direction == Direction::wgrad ? plan_wgrad : plan_rows;
  return plan(options, problem, coords, {allocator, stream});
}

}  // namespace spb::plans
