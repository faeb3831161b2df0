// SPDX-License-Identifier: Apache-2.0
// A flow of control beside that of its OS thread, on a stack of its own. Sanitizers are told of
// every switch: they keep bounds of stacks (ASan) and clocks and call stacks (TSan) of each flow.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <functional>

namespace spb::gpu::vendor {

/// Belongs to the OS thread that made it.
class Fiber {
 public:
  /// On the stack [stack, stack + bytes). `work` begins with the first resume(), and with each that
  /// follows its return; it must not throw. What its stack holds is not destroyed with the fiber.
  Fiber(char* stack, size_t bytes, std::function<void()> work);
  ~Fiber();
  Fiber(const Fiber&) = delete;  // its stack points to it
  Fiber& operator=(const Fiber&) = delete;

  /// Of the OS thread: returns when the fiber leaves, or its work returns.
  void resume();
  /// Of the fiber: back to who resumed it.
  void leave();

 private:
  /// What stands still while the other runs.
  struct Flow {
    boost::context::detail::fcontext_t context = nullptr;
    const void* stack = nullptr;  // the lowest address
    size_t stack_bytes = 0;
    void* fake_stack = nullptr;  // of ASan
    void* tsan = nullptr;
  };

  [[noreturn]] static void begin(boost::context::detail::transfer_t from) noexcept;
  void go_on(Flow& from, Flow& to);
  static void depart(Flow& from, const Flow& to);
  static void arrive(Flow& from, const Flow& to);

  Flow thread_, fiber_;
  std::function<void()> work_;
};

}  // namespace spb::gpu::vendor
