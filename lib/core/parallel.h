// SPDX-License-Identifier: Apache-2.0
// One loop over the processors of this machine.
#pragma once

#include <cstdint>

namespace spb {

/// Threads of every parallel_for that names no number of its own; 0, the default: one per
/// processor.
void set_most_threads(unsigned threads);

/// Calls call(body, i) for every i in [0, count); see parallel_for.
void run_parallel(int64_t count, void (*call)(const void* body, int64_t i), const void* body,
                  unsigned max_threads);

/// Calls body(i) for every i in [0, count), items handed out one by one to `max_threads` threads
/// (0: see set_most_threads), which live as long as the program. A body may call it again. The
/// first exception stops the hand-out and is thrown again here.
template <typename Body>
void parallel_for(int64_t count, const Body& body, unsigned max_threads = 0) {
  run_parallel(
      count, [](const void* self, int64_t i) { (*static_cast<const Body*>(self))(i); }, &body,
      max_threads);
}

}  // namespace spb
