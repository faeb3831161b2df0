// SPDX-License-Identifier: Apache-2.0
#include "gpu/allocator.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/content_hash.h"
#include "gpu/guards.h"

namespace spb::gpu {
namespace {

char* at(void* base, int64_t offset) { return static_cast<char*>(base) + offset; }

std::vector<uint16_t> canary(int64_t bytes) {
  return std::vector<uint16_t>(static_cast<size_t>(bytes / 2), Allocator::kGuardWord);
}

}  // namespace

const char* name(Tag tag) {
  constexpr const char* kNames[] = {"input", "weight", "output", "plan", "workspace", "cache"};
  static_assert(std::size(kNames) == kTagCount);
  return kNames[static_cast<int>(tag)];
}

Guards Guards::beyond(int64_t overrun) {
  return {std::max<int64_t>(1, (overrun + kPage - 1) / kPage) * kPage};
}

Allocator::~Allocator() {
  for (const auto& [data, block] : blocks_) pool_.give(block.base, pool_bytes(block.bytes));
}

int64_t Allocator::pool_bytes(int64_t bytes) const {
  return std::max<int64_t>(bytes, 1) + 2 * guards_.bytes;
}

void* Allocator::allocate(int64_t bytes, Tag tag) {
  const int64_t guard = guards_.bytes;
  void* base = pool_.take(pool_bytes(bytes));
  if (!base)
    throw OutOfMemory("allocate " + std::to_string(bytes) + " bytes (" + name(tag) + ", " +
                          std::to_string(counts_.live_bytes) +
                          " bytes already live): " + pool_.refusal(),
                      bytes);
  void* data = at(base, guard);
  if (guard > 0) {
    const std::vector<uint16_t> words = canary(guard);
    const Stream stream;
    fill_bytes(data, kFreshByte, bytes, stream);
    copy_to_device(base, words.data(), guard, stream);
    copy_to_device(at(data, bytes), words.data(), guard, stream);
  }
  blocks_[data] = {base, bytes, tag, next_serial_++};
  ++counts_.allocations;
  const int t = static_cast<int>(tag);
  counts_.live_bytes += bytes;
  counts_.live_by_tag[t] += bytes;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
  counts_.peak_by_tag[t] = std::max(counts_.peak_by_tag[t], counts_.live_by_tag[t]);
  return data;
}

void Allocator::release(void* data) noexcept {
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) return;
  const Block& block = found->second;
  counts_.live_bytes -= block.bytes;
  counts_.live_by_tag[static_cast<int>(block.tag)] -= block.bytes;
  pool_.give(block.base, pool_bytes(block.bytes));
  blocks_.erase(found);
}

void Allocator::poison(Tag tag, uint8_t byte, const Stream& stream) {
  for (const auto& [data, block] : blocks_)
    if (block.tag == tag) fill_bytes(data, byte, block.bytes, stream);
}

std::vector<GuardDamage> Allocator::damaged_guards(const Stream& stream) const {
  std::vector<GuardDamage> damage;
  if (guards_.bytes == 0) return damage;
  std::vector<const void*> places;
  for (const auto& [data, block] : blocks_) {
    places.push_back(block.base);
    places.push_back(at(data, block.bytes));
  }
  const std::vector<uint16_t> expected = canary(guards_.bytes);
  std::vector<uint16_t> found(expected.size());
  for (const size_t i : find_damaged(places, guards_.bytes, kGuardWord, stream)) {
    const Block& block = std::next(blocks_.begin(), static_cast<std::ptrdiff_t>(i / 2))->second;
    copy_to_host(found.data(), places[i], guards_.bytes, stream);
    const auto bytes = std::as_bytes(std::span(found));
    const auto stray = std::ranges::mismatch(bytes, std::as_bytes(std::span(expected))).in1;
    const int64_t begin = i % 2 == 0 ? -guards_.bytes : block.bytes;
    damage.push_back({block.tag, block.bytes, begin + (stray - bytes.begin())});
  }
  return damage;
}

uint64_t Allocator::content_hash(Tag tag, const Stream& stream) const {
  std::vector<std::pair<int64_t, void*>> order;
  for (const auto& [data, block] : blocks_)
    if (block.tag == tag) order.emplace_back(block.serial, data);
  std::sort(order.begin(), order.end());
  uint64_t hash = 0xCBF29CE484222325u;
  for (const auto& [serial, data] : order) {
    hash = (hash ^ gpu::content_hash(data, blocks_.at(data).bytes, stream)) * 0x100000001B3u;
    hash ^= hash >> 32;  // FNV alone never carries high bits down
  }
  return hash;
}

void Allocator::reset_peaks() {
  counts_.peak_bytes = counts_.live_bytes;
  std::copy(std::begin(counts_.live_by_tag), std::end(counts_.live_by_tag),
            std::begin(counts_.peak_by_tag));
  counts_.allocations = 0;
}

}  // namespace spb::gpu
