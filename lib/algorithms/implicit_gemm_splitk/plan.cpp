#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/plans.h"

namespace spb::plans {

std::unique_ptr<Plan> plan_implicit_gemm_splitk(const Problem& problem,
                                                const maps::DeviceCoords& coords,
                                                gpu::Allocator& allocator,
                                                const gpu::Stream& stream,
                                                const PlanChoice& choice) {
  return plan_implicit({.split_k = true, .choice = choice}, problem, coords, allocator, stream);
}

}  // namespace spb::plans
