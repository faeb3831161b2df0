// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph.h"

#include "core/error.h"
#include "gpu/check.h"

namespace spb::gpu {

std::unique_ptr<Graph> Graph::capture(const Stream& stream, const std::function<void()>& queue) {
  const auto failed = [] {
    static_cast<void>(gpuGetLastError());  // or the next launch would report it again
    return std::unique_ptr<Graph>();
  };
  if (gpuStreamBeginCapture(stream.handle(), gpuStreamCaptureModeThreadLocal) != gpuSuccess)
    return failed();
  bool queued = true;
  try {
    queue();
  } catch (const Error&) {
    queued = false;  // a call that no capture allows; without one the caller sees the same error
  }
  gpuGraph_t graph = {};
  if (gpuStreamEndCapture(stream.handle(), &graph) != gpuSuccess || !queued) {
    if (graph) static_cast<void>(gpuGraphDestroy(graph));
    return failed();
  }
  std::unique_ptr<Graph> result(new Graph);
  gpuError_t error = gpuGraphGetNodes(graph, nullptr, &result->operations_);
  if (error == gpuSuccess) error = gpuGraphInstantiate(&result->executable_, graph);
  static_cast<void>(gpuGraphDestroy(graph));
  return error == gpuSuccess ? std::move(result) : failed();
}

Graph::~Graph() {
  if (executable_) static_cast<void>(gpuGraphExecDestroy(executable_));
}

void Graph::launch(const Stream& stream) const {
  check(gpuGraphLaunch(executable_, stream.handle()), "launch a graph");
}

}  // namespace spb::gpu
