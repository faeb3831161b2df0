// SPDX-License-Identifier: Apache-2.0
// Cold and hot device timing. On host only what needs no second clock.
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "bench/blocker.h"
#include "bench/chain_timer.h"
#include "bench/clock_meter.h"
#include "bench/cold_timer.h"
#include "bench/hot_timer.h"
#include "bench/probe_compute.h"
#include "gpu/buffer.h"
#include "gpu/check.h"
#include "gpu/device_info.h"
#include "gpu/outbox.h"
#include "gpu/stream_handle.h"

namespace spb::bench {
namespace {

class Timers : public testing::Test {
 protected:
  void fill() { gpu::fill_bytes(data_.data(), 1, data_.bytes(), stream_); }

  gpu::Stream stream_;
  gpu::Allocator allocator_;
  gpu::Buffer<char> data_{allocator_, 256 << 20, gpu::Tag::output};
};

TEST_F(Timers, HotRunsLastTheAskedTime) {
  HotTimer timer(
      stream_, [this] { fill(); }, gpu::on_host() ? 1 : 5000);
  EXPECT_STREQ(timer.method(), gpu::on_host() ? "batch" : "graph");
  const double run_us = timer.sample().time_us;
  // Nothing writes faster than 20 TB/s.
  EXPECT_GT(run_us, static_cast<double>(data_.bytes()) / 20e6);
  if (!gpu::on_host()) {
    EXPECT_GE(run_us * static_cast<double>(timer.runs()), 4000);
  }
}

TEST_F(Timers, HotFallsBackToABatchAndSaysSo) {
  HotTimer timer(
      stream_,
      [this] {
        fill();
        stream_.synchronize();
      },
      1);
  EXPECT_STREQ(timer.method(), "batch");
  EXPECT_GT(timer.sample().time_us, 0);
}

TEST_F(Timers, ColdIsTheDeviceTimeOfTheRun) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  HotTimer hot(stream_, [this] { fill(); });
  ColdTimer cold(stream_, allocator_, 2 * gpu::last_cache_bytes());
  const double hot_us = hot.sample().time_us;
  for (int i = 0; i < 3; ++i) {
    const auto sample = cold.sample([this] { fill(); });
    ASSERT_TRUE(sample);
    // Far beyond the cache both write to memory; launch and clock resolution come on top.
    EXPECT_GT(sample->time_us, 0.8 * hot_us);
    EXPECT_LT(sample->time_us, 1.5 * hot_us + 20);
  }
}

TEST_F(Timers, RunThatWaitsIsReleasedAndNotTimed) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  ColdTimer cold(stream_, allocator_, 2 * gpu::last_cache_bytes(), 0.2);
  EXPECT_FALSE(cold.sample([this] {
    fill();
    stream_.synchronize();
  }));
  EXPECT_TRUE(cold.sample([this] { fill(); }));
}

TEST_F(Timers, AChainIsTheDeviceTimeOfItsStretches) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  constexpr double kSpinUs = 500;
  queue_spin(1, stream_);  // loads the kernel
  ChainTimer timer(stream_);
  const auto sample = timer.sample([this] {
    queue_spin(kSpinUs, stream_);
    stream_.synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the host's part
    queue_spin(kSpinUs, stream_);
    queue_spin(kSpinUs, stream_);
  });
  ASSERT_TRUE(sample);
  EXPECT_NEAR(sample->time_us, 3 * kSpinUs, 50);
}

TEST_F(Timers, AChainThatWaitsPastItsStreamIsNotTimed) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  ChainTimer timer(stream_, 0.2);
  EXPECT_FALSE(timer.sample([this] {
    fill();
    gpu::check(gpuStreamSynchronize(gpu::handle_of(stream_)), "wait");
  }));
  EXPECT_TRUE(timer.sample([this] { fill(); }));
  EXPECT_THROW(timer.sample([] { throw Error(ExitCode::runtime, "refused"); }), Error);
  EXPECT_TRUE(timer.sample([this] { fill(); }));
}

// More than an outbox holds, of samples of which none waits: a step's plans post what their kernels
// read, beside the stream that is held back.
TEST_F(Timers, ChainsMayPostAsMuchAsTheyLike) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  const std::string text(gpu::Outbox::kBytes / 8, 'x');
  const auto bytes = static_cast<int64_t>(text.size());
  const auto post_and_send = [&] {
    gpu::Fork beside(stream_);
    gpu::transfer(data_.data(), beside.stream().post(text.data(), bytes), bytes, beside.stream());
    beside.join();
    stream_.send(data_.data() + bytes, text.data(), bytes);
  };
  post_and_send();  // loads the kernel
  stream_.synchronize();
  ChainTimer timer(stream_, 0.2);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(timer.sample(post_and_send)) << i;
}

TEST_F(Timers, ErrorInsideABlockedRunReleasesTheStream) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  ColdTimer cold(stream_, allocator_, 2 * gpu::last_cache_bytes());
  EXPECT_THROW(cold.sample([] { throw Error(ExitCode::runtime, "refused"); }), Error);
  EXPECT_TRUE(cold.sample([this] { fill(); }));
}

TEST_F(Timers, ASpinTakesItsTime) {
  ClockMeter clock;
  gpu::Event begin, end;
  for (int i = 0; i < 2; ++i) {  // the first loads kernels
    clock.stamp_before(stream_);
    begin.record(stream_);
    queue_spin(2000, stream_);
    end.record(stream_);
    clock.stamp_after(stream_);
    stream_.synchronize();
  }
  EXPECT_GE(end.microseconds_since(begin), 1990);
  if (!gpu::on_host()) {
    EXPECT_LT(end.microseconds_since(begin), 2040);
  }
  const double mhz = clock.mhz();
  if (gpu::on_host()) {
    EXPECT_NEAR(mhz, 1000, 1) << "the host's clock of cycles ticks once a nanosecond";
  } else {
    EXPECT_GT(mhz, 100);
    EXPECT_LT(mhz, 5000);
  }
}

TEST_F(Timers, TheFloorIsBelowEveryRun) {
  if (gpu::on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  const double floor_us = timer_floor_us(stream_, allocator_);
  EXPECT_GT(floor_us, 0);
  EXPECT_LT(floor_us, 20);
}

}  // namespace
}  // namespace spb::bench
