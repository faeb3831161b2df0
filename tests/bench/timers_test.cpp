// Cold and hot device timing. On host only what needs no second clock.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "bench/blocker.h"
#include "bench/cold_timer.h"
#include "bench/hot_timer.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"

namespace spb::bench {
namespace {

bool on_host() { return std::string_view(gpu::backend_name()) == "host"; }

class Timers : public testing::Test {
 protected:
  void fill() { gpu::fill_bytes(data_.data(), 1, data_.bytes(), stream_); }

  gpu::Stream stream_;
  gpu::Allocator allocator_;
  gpu::Buffer<char> data_{allocator_, 256 << 20, gpu::Tag::output};
};

TEST_F(Timers, HotRunsLastTheAskedTime) {
  HotTimer timer(
      stream_, [this] { fill(); }, on_host() ? 1 : 5000);
  EXPECT_STREQ(timer.method(), on_host() ? "batch" : "graph");
  const double run_us = timer.sample_us();
  // Nothing writes faster than 20 TB/s.
  EXPECT_GT(run_us, static_cast<double>(data_.bytes()) / 20e6);
  if (!on_host()) {
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
  EXPECT_GT(timer.sample_us(), 0);
}

TEST_F(Timers, ColdIsTheDeviceTimeOfTheRun) {
  if (on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  HotTimer hot(stream_, [this] { fill(); });
  ColdTimer cold(stream_, allocator_, gpu::last_cache_bytes());
  const double hot_us = hot.sample_us();
  for (int i = 0; i < 3; ++i) {
    const auto cold_us = cold.sample_us([this] { fill(); });
    ASSERT_TRUE(cold_us);
    // Far beyond the cache both write to memory; launch and clock resolution come on top.
    EXPECT_GT(*cold_us, 0.8 * hot_us);
    EXPECT_LT(*cold_us, 1.5 * hot_us + 20);
  }
}

TEST_F(Timers, RunThatWaitsIsReleasedAndNotTimed) {
  if (on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  ColdTimer cold(stream_, allocator_, gpu::last_cache_bytes(), 0.2);
  EXPECT_FALSE(cold.sample_us([this] {
    fill();
    stream_.synchronize();
  }));
  EXPECT_TRUE(cold.sample_us([this] { fill(); }));
}

TEST_F(Timers, ErrorInsideABlockedRunReleasesTheStream) {
  if (on_host()) GTEST_SKIP() << "on host work runs at once: nothing can be held back";
  ColdTimer cold(stream_, allocator_, gpu::last_cache_bytes());
  EXPECT_THROW(cold.sample_us([] { throw Error(ExitCode::runtime, "refused"); }), Error);
  EXPECT_TRUE(cold.sample_us([this] { fill(); }));
}

}  // namespace
}  // namespace spb::bench
