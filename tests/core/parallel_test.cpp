// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace spb {
namespace {

TEST(ParallelFor, ComesToEveryItemOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 7u})
    for (const int64_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
      parallel_for(
          count, [&](int64_t i) { ++visits[static_cast<size_t>(i)]; }, threads);
      for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
}

TEST(ParallelFor, UsesAtMostTheThreadsItIsGiven) {
  const auto threads_of = [](unsigned max_threads) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<unsigned> inside = 0;
    parallel_for(
        3,
        [&](int64_t) {
          ++inside;
          // With three threads each holds one item until all have come.
          if (max_threads == 3)
            while (inside < 3) std::this_thread::yield();
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        },
        max_threads);
    return seen;
  };
  EXPECT_EQ(threads_of(1), std::set{std::this_thread::get_id()});
  EXPECT_EQ(threads_of(3).size(), 3u);
  set_most_threads(1);
  EXPECT_EQ(threads_of(0), std::set{std::this_thread::get_id()});
  set_most_threads(0);
}

TEST(ParallelFor, BodiesMayCallItAgain) {
  std::atomic<int64_t> sum = 0;
  parallel_for(
      20,
      [&](int64_t i) {
        parallel_for(
            20, [&](int64_t j) { sum += i * j; }, 4);
      },
      4);
  EXPECT_EQ(sum, 190 * 190);
}

TEST(ParallelFor, ManyCallersShareTheThreads) {
  std::atomic<int> visits = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int loop = 0; loop < 500; ++loop)
        parallel_for(
            8, [&](int64_t) { ++visits; }, 4);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(visits, 4 * 500 * 8);
}

TEST(ParallelFor, FirstExceptionEndsIt) {
  std::atomic<int> visits = 0;
  const auto body = [&](int64_t i) {
    if (i == 3) throw std::runtime_error("third");
    ++visits;
  };
  for (const unsigned threads : {1u, 3u})
    EXPECT_THROW(parallel_for(1'000'000, body, threads), std::runtime_error);
  EXPECT_LT(visits, 1'000'000);
}

}  // namespace
}  // namespace spb
