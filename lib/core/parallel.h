// One loop over the processors of this machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spb {

/// Calls body(i) for every i in [0, count), items handed out one by one to `max_threads` threads
/// (0: one per processor). The first exception stops the hand-out and is thrown again here.
template <typename Body>
void parallel_for(int64_t count, const Body& body, unsigned max_threads = 0) {
  std::atomic<int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (int64_t i; (i = next.fetch_add(1)) < count;) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const unsigned processors =
      max_threads != 0 ? max_threads : std::max(1u, std::thread::hardware_concurrency());
  const int64_t helpers = std::min<int64_t>(processors, count) - 1;
  {
    std::vector<std::jthread> threads;
    for (int64_t t = 0; t < helpers; ++t) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace spb
