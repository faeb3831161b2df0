// SPDX-License-Identifier: Apache-2.0
#include "algorithms/fake_algorithm.h"

#include <array>
#include <utility>

#include "algorithms/named.h"
#include "gpu/buffer.h"

namespace spb {
namespace {

Defect current;

class FakePlan final : public Plan {
 public:
  FakePlan(std::unique_ptr<Plan> right, gpu::Allocator& allocator)
      : right_(std::move(right)), allocator_(allocator), description_(right_->description()) {
    description_.arithmetic.deterministic = current.deterministic;
    if (current.declare) current.declare(description_.arithmetic);
  }
  void run(const Operands& operands, const gpu::Stream& stream) override {
    if (current.before_run) current.before_run(operands, stream);
    right_->run(operands, stream);
    if (current.in_run) current.in_run(allocator_);
    if (current.after_run) current.after_run(operands, stream);
  }
  const PlanDescription& description() const override { return description_; }
  MapSize size() const override { return right_->size(); }
  MapSet map(const gpu::Stream& stream) const override { return right_->map(stream); }

 private:
  std::unique_ptr<Plan> right_;
  gpu::Allocator& allocator_;
  PlanDescription description_;
};

const Algorithm& right() { return algorithm_named("implicit_gemm"); }

maps::MapNeeds needs_of(const Case& of) { return right().needs_of(of); }

std::unique_ptr<Plan> make_plan(const Case& of, const maps::Maps& maps,
                                maps::BuildContext context) {
  if (current.in_plan) current.in_plan();
  return std::make_unique<FakePlan>(right().plan_with(of, maps, context), context.allocator);
}

std::optional<std::string> unsupported(const Problem& problem, const Choice&) {
  if (problem.c_in == 13) return "c_in = 13 brings bad luck";
  return right().unsupported(problem);
}

Claim all_dtypes() {
  Claim claim = kEverything;
  claim.dtypes |= kScaled;
  return claim;
}

const Algorithm kFake{"fake",   "right, but for a defect", 7, all_dtypes(), unsupported, needs_of,
                      make_plan};

char* element(const Operands& operands, const Problem& problem, int64_t index) {
  void* output = operands.out ? operands.out : operands.gin ? operands.gin : operands.gw;
  return static_cast<char*>(output) + index * info(problem.dtype).output().bytes;
}

}  // namespace

const Algorithm& fake_algorithm(Defect defect) {
  current = std::move(defect);
  return kFake;
}

float read_element(const Operands& operands, const Problem& problem, int64_t index,
                   const gpu::Stream& stream) {
  std::array<char, 4> bytes{};
  gpu::copy_to_host(bytes.data(), element(operands, problem, index),
                    info(problem.dtype).output().bytes, stream);
  float value = 0;
  decode(bytes.data(), info(problem.dtype).out, {&value, 1});
  return static_cast<float>(stored_value(value, info(problem.dtype).out));
}

void write_element(const Operands& operands, const Problem& problem, int64_t index, float value,
                   const gpu::Stream& stream) {
  std::array<char, 4> bytes{};
  const float stored = round_output(static_cast<double>(value), problem.dtype);
  encode({&stored, 1}, info(problem.dtype).out, bytes.data());
  gpu::copy_to_device(element(operands, problem, index), bytes.data(),
                      info(problem.dtype).output().bytes, stream);
}

}  // namespace spb
