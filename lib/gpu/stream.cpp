#include "gpu/stream.h"

#include "gpu/check.h"

namespace spb::gpu {

Stream::Stream() {
  check(gpuStreamCreateWithFlags(&handle_, gpuStreamNonBlocking), "create a stream");
}

Stream::~Stream() { static_cast<void>(gpuStreamDestroy(handle_)); }

void Stream::synchronize() const { check(gpuStreamSynchronize(handle_), "wait for a stream"); }

}  // namespace spb::gpu
