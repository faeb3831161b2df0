// SPDX-License-Identifier: Apache-2.0
#include "device_reference/device_reference.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "core/error.h"
#include "device_reference/difference.h"
#include "device_reference/work.h"
#include "gpu/buffer.h"
#include "gpu/content_hash.h"
#include "gpu/draw.h"
#include "gpu/staging.h"

namespace spb::device_reference {

struct DeviceReference::State {
  State(const Problem& asked, const MapSet& map, int64_t inputs)
      : problem(asked), n_in(inputs), n_out(static_cast<int64_t>(map.out_coords.size())) {}

  template <class T>
  gpu::Buffer<T> uploaded(std::span<const T> values) {
    gpu::Buffer<T> buffer(allocator, static_cast<int64_t>(values.size()), gpu::Tag::workspace);
    buffer.upload(values, stream);
    return buffer;
  }
  /// Empty where the operands have none.
  gpu::Buffer<float> written(const HostOperands& operands, Tensor tensor);
  bool is_wgrad() const { return problem.direction == Direction::wgrad; }
  int64_t elements() const { return main_output(problem, {n_in, n_out}).shape.count(); }

  void read_map(const MapSet& map, int64_t partial_sums);
  RowOperands row_operands() const;
  Finish finish() const;
  void compute(const Work& work);
  Work judging(const StoredOutput& stored, const Tolerance& tolerance) const;
  template <class Judge>
  Tally tally(Work work, const Judge& judge);
  std::vector<Element> elements_at(std::span<const int64_t> listed);
  int64_t kept_step() const;
  void check_kept(std::span<const Element> kept, int64_t step);

  const Problem problem;
  const int64_t n_in, n_out;
  gpu::Stream stream;
  gpu::Allocator allocator;
  gpu::Buffer<int32_t> table;   // of fprop and dgrad
  gpu::Buffer<Triple> triples;  // of wgrad, as all below
  gpu::Buffer<int64_t> begins;
  gpu::Buffer<Tile> tiles;
  int64_t most_tiles = 1;
  gpu::Buffer<float> in, gout, weights, bias, residual, scale;  // of what the direction reads
  float residual_scale = 0;
  Judged judged = Judged::bounded;
  bool is_held = false;    ///< of these operands what judges was held to what expect() finds
  std::string difference;  // of what was drawn from what the host draws
};

struct FoundSums::State {
  gpu::Buffer<FoundSum> sums;
  uint64_t hash = 0;

  uint64_t content_hash(const gpu::Stream& stream) const {
    return gpu::content_hash(sums.data(), sums.bytes(), stream);
  }
};

FoundSums::FoundSums() : state_(std::make_unique<State>()) {}
FoundSums::~FoundSums() = default;
FoundSums::FoundSums(FoundSums&&) noexcept = default;
FoundSums& FoundSums::operator=(FoundSums&&) noexcept = default;
void* FoundSums::data() { return state_->sums.data(); }

gpu::Buffer<float> DeviceReference::State::written(const HostOperands& operands, Tensor tensor) {
  const auto buffer_of = [&](int64_t count) {
    return gpu::Buffer<float>(allocator, count, gpu::Tag::workspace);
  };
  if (const OperandDraw* how = operands.find_draw(tensor)) {
    gpu::Buffer<float> buffer = buffer_of(how->count);
    gpu::draw(*how, Storage::f32, 0, buffer.data(), stream);
    if (const auto other = gpu::compare_drawn(*how, buffer.data(), stream))
      difference = fmt::format("the device draws {:.9g} for element {} of {}, the host {:.9g}",
                               other->here, other->element, name(tensor), other->on_host);
    return buffer;
  }
  const Floats& values = *operands.find(tensor);
  gpu::Buffer<float> buffer = buffer_of(static_cast<int64_t>(values.size()));
  gpu::upload_encoded(values, Storage::f32, buffer.data(), stream);
  return buffer;
}

void DeviceReference::State::read_map(const MapSet& map, int64_t partial_sums) {
  const int kernel_volume = problem.kernel_volume();
  const auto pairs = static_cast<int64_t>(map.triples.size());
  gpu::Buffer<Triple> uploaded_triples = uploaded(std::span<const Triple>(map.triples));
  if (is_wgrad()) {
    std::vector<int64_t> first(static_cast<size_t>(kernel_volume) + 1, pairs);
    for (int o = 0; o < kernel_volume; ++o)
      first[static_cast<size_t>(o)] =
          std::ranges::lower_bound(map.triples, o, {}, &Triple::offset) - map.triples.begin();
    begins = uploaded(std::span<const int64_t>(first));
    most_tiles = device_reference::most_tiles(first);
    const int64_t least = least_tile_count(most_tiles);
    tiles =
        gpu::Buffer<Tile>(allocator, std::max(least, std::min(elements() * least, partial_sums)),
                          gpu::Tag::workspace);
    triples = std::move(uploaded_triples);
    return;
  }
  const bool by_output = problem.direction == Direction::fprop;
  table = gpu::Buffer<int32_t>(allocator, (by_output ? n_out : n_in) * kernel_volume,
                               gpu::Tag::workspace);
  gpu::fill_bytes(table.data(), 0xFF, table.bytes(), stream);
  fill_table(uploaded_triples.data(), pairs, by_output, kernel_volume, table.data(), stream);
  stream.synchronize();
}

RowOperands DeviceReference::State::row_operands() const {
  const bool forward = problem.direction == Direction::fprop;
  const int group_in = problem.group_c_in(), group_out = problem.group_c_out();
  const int64_t of_output = int64_t{problem.kernel_volume()} * group_in;  // weights of a channel
  return {.table = table.data(),
          .source = forward ? in.data() : gout.data(),
          .weights = weights.data(),
          .kernel_volume = problem.kernel_volume(),
          .groups = problem.groups,
          .depth = forward ? group_in : group_out,
          .group_columns = forward ? group_out : group_in,
          // Those of fprop are turned, so that neighboring columns are neighbors.
          .offset_pitch = forward ? int64_t{group_in} * problem.c_out : group_in,
          .k_pitch = forward ? problem.c_out : of_output,
          .group_pitch = forward ? group_out : group_out * of_output,
          .finish = finish()};
}

Finish DeviceReference::State::finish() const {
  const auto data = [](const gpu::Buffer<float>& values) {
    return values.size() > 0 ? values.data() : nullptr;
  };
  return {.bias = data(bias),
          .residual = data(residual),
          .scale = data(scale),
          .residual_scale = residual_scale,
          .activation = problem.epilogue.activation,
          .slope = problem.epilogue.slope};
}

void DeviceReference::State::compute(const Work& work) {
  if (is_wgrad())
    sum_weights(
        {triples.data(), begins.data(), in.data(), gout.data(), problem.kernel_volume(),
         problem.c_in, problem.c_out, problem.groups, tiles.data(), tiles.size(), most_tiles},
        judged, work, stream);
  else
    sum_rows(row_operands(), judged, work, stream);
}

std::vector<Element> DeviceReference::State::elements_at(std::span<const int64_t> listed) {
  const auto count = static_cast<int64_t>(listed.size());
  const gpu::Buffer<int64_t> indices = uploaded(listed);
  gpu::Buffer<Element> found(allocator, count, gpu::Tag::workspace);
  Work work;
  work.listed = indices.data();
  work.count = count;
  work.expected = found.data();
  compute(work);
  return found.download(stream);
}

/// Of the elements that judges are held to expect() in: some thousands, fewer where each is the sum
/// over many pairs, which one thread after the other adds up.
int64_t DeviceReference::State::kept_step() const {
  constexpr int64_t kMost = 4096, kLeast = 64, kPairs = 400'000'000;
  const int64_t pairs = is_wgrad() ? triples.size() / problem.kernel_volume() : 0;
  const int64_t kept = std::clamp(kPairs / std::max<int64_t>(pairs, 1), kLeast, kMost);
  return std::max<int64_t>(1, elements() / kept);
}

/// What judges may be other kernels than those that the reference on the host is compared with, of
/// which a bound that is too wide would not show.
void DeviceReference::State::check_kept(std::span<const Element> kept, int64_t step) {
  std::vector<int64_t> listed;
  for (size_t i = 0; i < kept.size(); ++i) listed.push_back(static_cast<int64_t>(i) * step);
  const std::vector<Element> alone = elements_at(listed);
  if (const auto i = first_difference(alone, kept, judged))
    throw Error(ExitCode::runtime,
                fmt::format("the device judges element {} by {:.9g}, and finds {:.9g} alone",
                            listed[*i], kept[*i].value, alone[*i].value));
}

int64_t needed_bytes(const Problem& problem, const MapSize& size, int64_t n_pairs) {
  constexpr int64_t kSlack = 64 << 20;  // tallies, samples, pages
  const bool forward = problem.direction == Direction::fprop,
             is_wgrad = problem.direction == Direction::wgrad;
  int64_t bytes = kSlack + n_pairs * int64_t{sizeof(Triple)};
  for (const TensorSpec& spec : tensors(problem, size)) {
    if (spec.access != Access::read) continue;
    const bool is_turned = spec.tensor == Tensor::weights && forward;
    bytes += spec.shape.count() * int64_t{sizeof(float)} * (is_turned ? 2 : 1);
  }
  if (is_wgrad) return bytes + DeviceReference::kPartialSums * int64_t{sizeof(Tile)};
  return bytes +
         (forward ? size.n_out : size.n_in) * problem.kernel_volume() * int64_t{sizeof(int32_t)};
}

DeviceReference::DeviceReference(const Problem& problem, const MapSet& map, int64_t n_in,
                                 int64_t partial_sums)
    : state_(std::make_unique<State>(problem, map, n_in)) {
  state_->read_map(map, partial_sums);
}

DeviceReference::~DeviceReference() = default;

std::string DeviceReference::write(const HostOperands& operands, Judged judged) {
  State& s = *state_;
  s.difference.clear();
  s.judged = judged;
  s.is_held = false;
  s.in = {}, s.gout = {}, s.weights = {}, s.bias = {}, s.residual = {}, s.scale = {};
  s.in = s.written(operands, Tensor::in);
  s.gout = s.written(operands, Tensor::gout);
  if (s.is_wgrad()) return s.difference;
  s.bias = s.written(operands, Tensor::bias);
  s.residual = s.written(operands, Tensor::residual);
  s.scale = s.written(operands, Tensor::scale);
  s.residual_scale = operands.residual_scale.empty() ? 0 : operands.residual_scale[0];
  s.weights = s.written(operands, Tensor::weights);
  if (s.problem.direction == Direction::dgrad) return s.difference;
  gpu::Buffer<float> turned(s.allocator, s.weights.size(), gpu::Tag::workspace);
  turn(s.weights.data(), s.problem.c_out, turned.size() / s.problem.c_out, turned.data(), s.stream);
  s.stream.synchronize();
  s.weights = std::move(turned);
  return s.difference;
}

Expected DeviceReference::expect(std::span<const int64_t> elements) const {
  State& s = *state_;
  Expected expected;
  expected.rows = static_cast<int64_t>(elements.size());
  expected.cols = 1;
  for (const Element& element : s.elements_at(elements)) {
    expected.value.push_back(element.value);
    expected.abs_sum.push_back(element.abs_sum);
    expected.terms.push_back(element.terms);
    if (s.judged != Judged::bounded) continue;
    expected.error_scale.push_back(element.error_scale);
    expected.partial_scale.push_back(element.partial_scale);
  }
  return expected;
}

Work DeviceReference::State::judging(const StoredOutput& stored, const Tolerance& tolerance) const {
  const StorageInfo& type = info(stored.type);
  Work work;
  work.count = elements();
  work.got = stored.data;
  work.type = stored.type;
  if (is_wgrad() && stored.layout == WeightLayout::c_out_last) work.turned_rows = problem.c_out;
  const double least = stored_value(round_stored(-HUGE_VAL, type.storage), type.storage);
  work.rule = {tolerance, type.bits, type.min_exponent, least, type.max, type.saturates};
  return work;
}

/// Of what the threads of judge(work) found.
template <class Judge>
Tally DeviceReference::State::tally(Work work, const Judge& judge) {
  gpu::Buffer<ThreadTally> found(allocator, threads_of(work.count), gpu::Tag::workspace);
  gpu::fill_bytes(found.data(), 0, found.bytes(), stream);
  work.tallies = found.data();
  judge(work);
  Tally tally;
  double error_squares = 0, value_squares = 0, worst_excess = -1;
  for (const ThreadTally& part : found.download(stream)) {
    tally.compared += part.compared;
    tally.mismatches += part.mismatches;
    tally.max_tolerance_ratio = std::max(tally.max_tolerance_ratio, part.max_tolerance_ratio);
    tally.max_abs = std::max(tally.max_abs, part.max_abs);
    tally.max_ulp = std::max(tally.max_ulp, part.max_ulp);
    if (part.mismatches > 0)
      tally.mismatched.insert(tally.mismatched.end(), {part.first_mismatch, part.worst_mismatch});
    if (part.mismatches > 0 && part.worst_excess > worst_excess) {
      worst_excess = part.worst_excess;
      tally.worst = part.worst_mismatch;
    }
    error_squares += part.error_squares;
    value_squares += part.value_squares;
  }
  if (tally.compared != work.count)
    throw Error(ExitCode::runtime, "the device judged " + std::to_string(tally.compared) + " of " +
                                       std::to_string(work.count) + " elements");
  tally.rel_l2 = std::sqrt(value_squares > 0 ? error_squares / value_squares : error_squares);
  std::ranges::sort(tally.mismatched);
  const auto repeated = std::ranges::unique(tally.mismatched);
  tally.mismatched.erase(repeated.begin(), repeated.end());
  return tally;
}

Tally DeviceReference::judge(const StoredOutput& stored, const Tolerance& tolerance,
                             FoundSums* found) const {
  State& s = *state_;
  Work work = s.judging(stored, tolerance);
  work.kept_step = s.kept_step();
  gpu::Buffer<Element> kept;
  if (!s.is_held && work.count > 0) {
    kept = gpu::Buffer<Element>(s.allocator, (work.count - 1) / work.kept_step + 1,
                                gpu::Tag::workspace);
    work.kept = kept.data();
  }
  FoundSums all;
  if (found) {
    all.state_->sums = gpu::Buffer<FoundSum>(s.allocator, work.count, gpu::Tag::workspace);
    work.found = all.state_->sums.data();
  }
  const Tally tally = s.tally(work, [&](const Work& judged) { s.compute(judged); });
  if (work.kept) s.check_kept(kept.download(s.stream), work.kept_step);
  s.is_held = true;
  if (found) {
    all.state_->hash = all.state_->content_hash(s.stream);
    *found = std::move(all);
  }
  return tally;
}

Tally DeviceReference::judge_by(const FoundSums& found, const StoredOutput& stored,
                                const Tolerance& tolerance) const {
  State& s = *state_;
  if (found.state_->sums.size() != s.elements())
    throw std::logic_error("sums of another output judge none");
  if (found.state_->content_hash(s.stream) != found.state_->hash)
    throw Error(ExitCode::runtime,
                "the sums that outputs are judged by were overwritten: by what ran since");
  return s.tally(s.judging(stored, tolerance),
                 [&](const Work& work) { judge_found(found.state_->sums.data(), work, s.stream); });
}

int64_t DeviceReference::found_bytes() const {
  return state_->elements() * int64_t{sizeof(FoundSum)};
}

int64_t DeviceReference::held_bytes() const {
  const gpu::Allocator& allocator = state_->allocator;
  return std::max(allocator.device_bytes(), allocator.counts().live_bytes);
}

}  // namespace spb::device_reference
