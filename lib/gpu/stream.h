// SPDX-License-Identifier: Apache-2.0
// An ordered queue of device work. On host, work runs at once and a stream is only a token. Every
// device file includes this one, so it does without <memory> and <functional>, which take the
// compiler two seconds each time.
#pragma once

#include <cstdint>
namespace spb::gpu {

class Outbox;

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;  // owns a device handle
  Stream& operator=(const Stream&) = delete;

  void* handle() const { return handle_; }  ///< the vendor's: see gpu/stream_handle.h
  /// Waits for all work; throws Error (runtime) when a kernel failed.
  void synchronize() const;
  /// Marks what is queued so far, for wait_for_mark().
  void mark() const;
  /// Waits for the work up to the last mark() alone: what was queued behind it goes on while the
  /// host reads what came before.
  void wait_for_mark() const;
  /// How often the host has waited here.
  int64_t waits() const { return waits_; }
  /// Called around each wait of the host; null: nothing. A timer that holds the stream back must
  /// let it go there.
  class WaitHook {
   public:
    virtual ~WaitHook() = default;
    virtual void before() = 0;
    virtual void after() = 0;
  };
  void set_wait_hook(WaitHook* hook) const { wait_hook_ = hook; }
  /// Copies to the device without waiting; `host` may change or go away at once.
  void send(void* device, const void* host, int64_t bytes) const;
  /// A copy that kernels may read which are launched on this stream before the next send() or
  /// post(): up to Outbox::kBytes.
  const void* post(const void* host, int64_t bytes) const;

 private:
  friend class Fork;

  template <class Wait>
  void wait(Wait wait) const;
  Outbox& outbox() const;

  void* handle_ = nullptr;
  mutable void* mark_ = nullptr;  // an event, made by the first mark()
  mutable int64_t waits_ = 0;
  mutable WaitHook* wait_hook_ = nullptr;
  mutable Outbox* outbox_ = nullptr;  // owned; made by the first send() or post()
  mutable Stream* beside_ = nullptr;  // owned; made by the first Fork, as its events
  mutable void *forked_ = nullptr, *joined_ = nullptr;
};

/// Work beside a stream's own: it begins behind what is queued there so far, and what is queued
/// there behind a join() begins behind it. One at a time for each stream. Buffers that its work
/// uses are to be allocated before the stream's own work releases any, and none is to be allocated
/// for that work between their release and a join(). The host is not to wait for it: a stream's
/// WaitHook hears nothing of that.
class Fork {
 public:
  explicit Fork(const Stream& stream);
  ~Fork();                     ///< joins what was not, as an exception may leave it
  Fork(const Fork&) = delete;  // the stream waits for it
  Fork& operator=(const Fork&) = delete;

  /// To queue work in: to be asked for again behind a join().
  const Stream& stream() const {
    joined_ = false;
    return *stream_.beside_;
  }
  /// What was queued so far; more may follow, and be joined.
  void join();

 private:
  const Stream& stream_;
  mutable bool joined_ = true;
};

}  // namespace spb::gpu
