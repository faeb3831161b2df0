// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph.h"

#include "core/error.h"
#include "gpu/check.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {

std::unique_ptr<Graph> Graph::capture(const Stream& stream, const std::function<void()>& queue) {
  const auto failed = [] {
    static_cast<void>(gpuGetLastError());  // or the next launch would report it again
    return std::unique_ptr<Graph>();
  };
  if (gpuStreamBeginCapture(handle_of(stream), gpuStreamCaptureModeThreadLocal) != gpuSuccess)
    return failed();
  bool queued = true;
  try {
    queue();
  } catch (const Error&) {
    queued = false;  // a call that no capture allows; without one the caller sees the same error
  }
  gpuGraph_t graph = {};
  if (gpuStreamEndCapture(handle_of(stream), &graph) != gpuSuccess || !queued) {
    if (graph) static_cast<void>(gpuGraphDestroy(graph));
    return failed();
  }
  std::unique_ptr<Graph> result(new Graph);
  gpuError_t error = gpuGraphGetNodes(graph, nullptr, &result->operations_);
  gpuGraphExec_t executable = {};
  if (error == gpuSuccess) error = gpuGraphInstantiate(&executable, graph);
  result->executable_ = executable;
  static_cast<void>(gpuGraphDestroy(graph));
  return error == gpuSuccess ? std::move(result) : failed();
}

Graph::~Graph() {
  if (executable_) static_cast<void>(gpuGraphExecDestroy(static_cast<gpuGraphExec_t>(executable_)));
}

void Graph::launch(const Stream& stream) const {
  check(gpuGraphLaunch(static_cast<gpuGraphExec_t>(executable_), handle_of(stream)),
        "launch a graph");
}

}  // namespace spb::gpu
