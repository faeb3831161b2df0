// SPDX-License-Identifier: Apache-2.0
// Work of a stream, recorded once and replayed with one call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "gpu/stream.h"

namespace spb::gpu {

class Graph {
 public:
  /// Records what `queue` puts into `stream`, running nothing. Null when the work cannot be
  /// captured (a synchronization, an allocation; always on host): the stream is usable all the
  /// same.
  static std::unique_ptr<Graph> capture(const Stream& stream, const std::function<void()>& queue);
  ~Graph();
  Graph(const Graph&) = delete;  // owns a device handle
  Graph& operator=(const Graph&) = delete;

  void launch(const Stream& stream) const;
  /// What one launch puts into the stream: kernels, copies, fills.
  int64_t operations() const { return static_cast<int64_t>(operations_); }

 private:
  Graph() = default;
  void* executable_ = nullptr;  // the vendor's
  size_t operations_ = 0;
};

}  // namespace spb::gpu
