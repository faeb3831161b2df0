// SPDX-License-Identifier: Apache-2.0
#include "gpu/vendor/host_fiber.h"

#include <utility>

#if defined(__has_feature)  // Clang's word for what GCC defines
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace spb::gpu::vendor {

using boost::context::detail::transfer_t;

// boost::context::fiber enters a new fiber once before anybody resumes it, and throws into one that
// is dropped: neither can be told to a sanitizer. The switch below it is the same.
Fiber::Fiber(char* stack, size_t bytes, std::function<void()> work) : work_(std::move(work)) {
  fiber_.stack = stack;
  fiber_.stack_bytes = bytes;
  fiber_.context = boost::context::detail::make_fcontext(stack + bytes, bytes, begin);
#if defined(__SANITIZE_THREAD__)
  thread_.tsan = __tsan_get_current_fiber();
  fiber_.tsan = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(fiber_.tsan);
#endif
}

/// Right before a switch. TSan counts calls and returns by flow: whoever tells it must not return
/// in another flow than it was called in, so that this is inlined into who switches.
__attribute__((always_inline)) inline void Fiber::depart([[maybe_unused]] Flow& from,
                                                         [[maybe_unused]] const Flow& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
#elif defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.tsan, 0);
#endif
}

/// Right after it, in `to`.
__attribute__((always_inline)) inline void Fiber::arrive([[maybe_unused]] Flow& from,
                                                         [[maybe_unused]] const Flow& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(to.fake_stack, &from.stack, &from.stack_bytes);
#endif
}

void Fiber::go_on(Flow& from, Flow& to) {
  depart(from, to);
  const transfer_t back = boost::context::detail::jump_fcontext(to.context, this);
  arrive(to, from);
  to.context = back.fctx;
}

void Fiber::resume() { go_on(thread_, fiber_); }

void Fiber::leave() { go_on(fiber_, thread_); }

void Fiber::begin(transfer_t from) noexcept {
  Fiber& self = *static_cast<Fiber*>(from.data);
  arrive(self.thread_, self.fiber_);
  self.thread_.context = from.fctx;
  for (;;) {
    self.work_();
    self.leave();
  }
}

}  // namespace spb::gpu::vendor
