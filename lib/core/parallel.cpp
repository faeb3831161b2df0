// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>

namespace spb {
namespace {

std::atomic<unsigned> most_threads = 0;

/// One loop. It lies on the stack of its caller, who leaves when no helper is in it.
struct Loop {
  int64_t count;
  void (*call)(const void*, int64_t);
  const void* body;
  int64_t wanted;       ///< helpers that may still join
  int64_t helpers = 0;  ///< that have joined and not left
  std::atomic<int64_t> next = 0;
  std::mutex failure_mutex{};
  std::exception_ptr failure{};

  void work() {
    try {
      for (int64_t i; (i = next.fetch_add(1)) < count;) call(body, i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  }
};

/// Threads are made once: making 30 of them takes longer than most loops.
class Pool {
 public:
  void run(Loop& loop) {
    const int64_t wanted = loop.wanted;
    {
      const std::lock_guard lock(mutex_);
      for (; threads_ < wanted; ++threads_) std::thread([this] { help(); }).detach();
      loops_.push_back(&loop);
    }
    for (int64_t i = 0; i < wanted; ++i) wake_.notify_one();
    loop.work();
    std::unique_lock lock(mutex_);
    loops_.remove(&loop);
    left_.wait(lock, [&] { return loop.helpers == 0; });
  }

 private:
  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return !loops_.empty(); });
      Loop& loop = *loops_.front();
      ++loop.helpers;
      if (--loop.wanted == 0) loops_.pop_front();
      lock.unlock();
      loop.work();
      lock.lock();
      // No item is left: nobody else need come.
      loops_.remove(&loop);
      if (--loop.helpers == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  std::list<Loop*> loops_;  // that want helpers
  int64_t threads_ = 0;
};

/// Never destroyed: its threads wait in it until the program ends.
Pool& pool() {
  static Pool& only = *new Pool;
  return only;
}

}  // namespace

void set_most_threads(unsigned threads) { most_threads = threads; }

void run_parallel(int64_t count, void (*call)(const void*, int64_t), const void* body,
                  unsigned max_threads) {
  if (max_threads == 0) max_threads = most_threads;
  if (max_threads == 0) max_threads = std::max(1u, std::thread::hardware_concurrency());
  Loop loop{.count = count,
            .call = call,
            .body = body,
            .wanted = std::min<int64_t>(max_threads, count) - 1};
  if (loop.wanted > 0)
    pool().run(loop);
  else
    loop.work();
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace spb
