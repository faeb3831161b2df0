// SPDX-License-Identifier: Apache-2.0
#include "bench/peaks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/dense_gemm.h"
#include "bench/host_wall.h"
#include "bench/hot_timer.h"
#include "bench/probe_compute.h"
#include "bench/probe_memory.h"
#include "bench/probe_multiply.h"
#include "bench/random_fill.h"
#include "bench/statistics.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/event.h"
#include "gpu/gemm.h"

namespace spb::bench {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int kRowBytes[] = {32, 64, 128, 256};

class PeakProbe {
 public:
  PeakProbe(gpu::Allocator& allocator, const gpu::Stream& stream)
      : allocator_(allocator), stream_(stream), sink_(allocator, 1, gpu::Tag::output) {}

  Peaks all() {
    memory();
    cache();
    for (const Math& dtype : dtypes())
      if (gpu::gemm_takes(dtype.dtype) && (!dtype.is_integer() || dtype.dtype == Dtype::i8))
        products(dtype);  // integers are multiplied alike, whatever their outputs
    multiplies(info(Dtype::e4m3));
    chains();
    launches();
    return peaks_;
  }

 private:
  double gbps(int64_t bytes, const std::function<void()>& queue) {
    return static_cast<double>(bytes) / hot_us(stream_, queue) / 1e3;
  }
  gpu::Buffer<float> random_buffer(int64_t bytes) {
    gpu::Buffer<float> buffer(allocator_, bytes / int64_t{sizeof(float)}, gpu::Tag::input);
    random_fill(Dtype::f32, buffer.data(), buffer.size(), 1, stream_);
    return buffer;
  }

  /// Four times the last cache, so that next to nothing is found in it; a device needs more to get
  /// up to speed.
  void memory() {
    const int64_t wanted =
        std::max(4 * gpu::last_cache_bytes(), (gpu::on_host() ? 64 : 2048) * kMiB);
    const int64_t bytes = std::min(wanted, gpu::free_memory_bytes() / 8) / kMiB * kMiB;
    const gpu::Buffer<float> from = random_buffer(bytes);
    gpu::Buffer<float> to = random_buffer(bytes);
    peaks_.copy_gbps = gbps(2 * bytes, [&] { queue_copy(from.data(), to.data(), bytes, stream_); });
    peaks_.read_gbps = gbps(bytes, [&] { queue_read(from.data(), bytes, sink_.data(), stream_); });
    for (const int row_bytes : kRowBytes) {
      const int64_t rows = bytes / (gpu::on_host() ? 64 : 4) / row_bytes;
      peaks_.gather_gbps[row_bytes] = gbps(rows * row_bytes, [&] {
        queue_gather(from.data(), bytes, row_bytes, rows, sink_.data(), stream_);
      });
    }
  }

  void cache() {
    const int64_t bytes =
        std::max(gpu::last_cache_bytes() / (gpu::on_host() ? 16 : 4) / kMiB, int64_t{1}) * kMiB;
    const gpu::Buffer<float> from = random_buffer(bytes);
    const int readers = gpu::multiprocessor_count() * (gpu::on_host() ? 1 : 2);
    peaks_.l2_read_gbps = gbps(bytes * readers, [&] {
      queue_shared_read(from.data(), bytes, readers, sink_.data(), stream_);
    });
  }

  void products(const Math& dtype) {
    const int64_t size = gpu::on_host() ? 1024 : 8192;
    const double time_us = dense_gemm_us(dtype.dtype, size, size, size, allocator_, stream_);
    offer(dtype.name, 2 * std::pow(static_cast<double>(size), 3) / time_us / 1e3,
          std::string("probe:") + gpu::gemm_name(dtype.dtype));
    multiplies(dtype);
  }

  void multiplies(const Math& dtype) {
    constexpr int kRounds = 512;
    const auto flops = queue_multiplies(dtype.dtype, kRounds, sink_.data(), stream_);
    if (!flops) return;
    const double time_us =
        hot_us(stream_, [&] { queue_multiplies(dtype.dtype, kRounds, sink_.data(), stream_); });
    offer(dtype.name, *flops / time_us / 1e3, std::string("probe:") + multiply_name());
  }

  void chains() {
    const int blocks = gpu::multiprocessor_count() * 8, rounds = gpu::on_host() ? 1 << 6 : 1 << 10;
    double flops = 0;
    const double time_us =
        hot_us(stream_, [&] { flops = queue_fma_chains(blocks, rounds, sink_.data(), stream_); });
    offer("f32", flops / time_us / 1e3, "probe:fma");
  }

  void offer(const std::string& dtype, double gflops, const std::string& source) {
    ComputePeak& peak = peaks_.compute[dtype];
    if (gflops > peak.gflops) peak = {gflops, source};
  }

  void launches() {
    constexpr int kLaunches = 1000;
    peaks_.launch_us = median_us(stream_,
                                 [&] {
                                   for (int i = 0; i < kLaunches; ++i) queue_nothing(stream_);
                                 }) /
                       kLaunches;
    std::vector<double> times;
    for (int i = 0; i < 100; ++i)
      times.push_back(host_wall_us([&] {
        queue_nothing(stream_);
        stream_.synchronize();
      }));
    peaks_.launch_wait_us = summarize(times).median;
  }

  gpu::Allocator& allocator_;
  const gpu::Stream& stream_;
  gpu::Buffer<float> sink_;
  Peaks peaks_;
};

}  // namespace

double median_us(const gpu::Stream& stream, const std::function<void()>& queue, int samples) {
  constexpr double kEnoughUs = 1e6;  // three samples of long calls must do
  constexpr size_t kLeast = 3;
  int warm_ups = 3;
  gpu::Event begin, end;
  std::vector<double> times;
  const double start_us = host_wall_us();
  while (times.size() < static_cast<size_t>(samples)) {
    begin.record(stream);
    queue();
    end.record(stream);
    stream.synchronize();
    const double elapsed_us = host_wall_us() - start_us;
    if (warm_ups-- > 0 && elapsed_us < kEnoughUs / 4) continue;
    times.push_back(end.microseconds_since(begin));
    if (times.size() >= kLeast && elapsed_us > kEnoughUs) break;
  }
  return summarize(times).median;
}

Peaks measure_peaks(gpu::Allocator& allocator, const gpu::Stream& stream) {
  return PeakProbe(allocator, stream).all();
}

}  // namespace spb::bench
