// CUB. Its headers cost seconds of compilation and stand in this file only.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <type_traits>

#include "gpu/primitives_device.cuh"

namespace spb::gpu {
namespace {

// CUB's own radix sort takes 8 bits a pass. Of 25 to 27 bits, those of a mask, digits of 9 save one
// pass of four, and smaller tiles more multiprocessors when rows are few. The policy is an internal
// of CUB and changes with it; others sort as they always do.
#if CUB_VERSION / 100 == 3000
struct WideDigits {
  static constexpr int kBits = 9;
  using Usual = cub::detail::radix::policy_hub<uint32_t, int32_t, uint32_t>::Policy900;

  struct MaxPolicy : cub::ChainedPolicy<500, MaxPolicy, MaxPolicy> {
    static constexpr bool ONESWEEP = true;
    static constexpr int ONESWEEP_RADIX_BITS = kBits;
    using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<128, 16, 1, uint32_t, kBits>;
    using ExclusiveSumPolicy = cub::AgentRadixSortExclusiveSumPolicy<256, kBits>;
    using OnesweepPolicy = cub::AgentRadixSortOnesweepPolicy<
        384, 11, uint32_t, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
        cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, kBits>;
    using ScanPolicy = Usual::ScanPolicy;
    using DownsweepPolicy = Usual::DownsweepPolicy;
    using AltDownsweepPolicy = Usual::AltDownsweepPolicy;
    using UpsweepPolicy = Usual::UpsweepPolicy;
    using AltUpsweepPolicy = Usual::AltUpsweepPolicy;
    using SingleTilePolicy = Usual::SingleTilePolicy;
    using SegmentedPolicy = Usual::SegmentedPolicy;
    using AltSegmentedPolicy = Usual::AltSegmentedPolicy;
  };

  static bool saves_a_pass(int key_bits) { return (key_bits + 8) / 9 < (key_bits + 7) / 8; }
  static gpuError_t sort_pairs(void* scratch, size_t& bytes, cub::DoubleBuffer<uint32_t>& keys,
                               cub::DoubleBuffer<int32_t>& values, int64_t n, int key_bits,
                               gpuStream_t stream) {
    using Dispatch = cub::DispatchRadixSort<cub::SortOrder::Ascending, uint32_t, int32_t, uint32_t,
                                            cub::detail::identity_decomposer_t, WideDigits>;
    return Dispatch::Dispatch(scratch, bytes, keys, values, static_cast<uint32_t>(n), 0, key_bits,
                              /*is_overwrite_okay=*/true, stream);
  }
};
#endif

struct Cub {
  template <class T>
  using DoubleBuffer = cub::DoubleBuffer<T>;
  template <class T>
  static T* current(DoubleBuffer<T>& both) {
    return both.Current();
  }
  template <class Key>
  static gpuError_t sort_pairs(void* scratch, size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<int32_t>& values, int64_t n, int key_bits,
                               gpuStream_t stream) {
#if CUB_VERSION / 100 == 3000
    if constexpr (std::is_same_v<Key, uint32_t>)
      if (WideDigits::saves_a_pass(key_bits))
        return WideDigits::sort_pairs(scratch, bytes, keys, values, n, key_bits, stream);
#endif
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, static_cast<int>(n), 0,
                                           key_bits, stream);
  }
  static gpuError_t sort_keys(void* scratch, size_t& bytes, DoubleBuffer<uint64_t>& keys, int64_t n,
                              int key_bits, gpuStream_t stream) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, static_cast<int>(n), 0, key_bits,
                                          stream);
  }
  static gpuError_t exclusive_scan(void* scratch, size_t& bytes, const int64_t* in, int64_t* out,
                                   int64_t n, gpuStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, n, stream);
  }
};

}  // namespace

void sort_pairs(uint32_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream) {
  sort_pairs_with<Cub>(keys, values, n, key_bits, allocator, stream);
}

void sort_pairs(uint64_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream) {
  sort_pairs_with<Cub>(keys, values, n, key_bits, allocator, stream);
}

int sort_pairs(uint32_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream) {
  return sort_pairs_with<Cub>(keys, values, n, key_bits, allocator, stream);
}

int sort_pairs(uint64_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream) {
  return sort_pairs_with<Cub>(keys, values, n, key_bits, allocator, stream);
}

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator,
               const Stream& stream) {
  sort_keys_with<Cub>(keys, n, key_bits, allocator, stream);
}

void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator& allocator,
                    const Stream& stream) {
  exclusive_scan_with<Cub>(in, out, n, allocator, stream);
}

}  // namespace spb::gpu
