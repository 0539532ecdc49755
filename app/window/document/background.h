// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QObject>
#include <concepts>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/base/free_memory.h"
#include "engine/base/machine/memory_door.h"

namespace shardscope::inline window {

// What a piece of work that failed delivers: its Result's error, in a value with such parts an error in each
// of the first; any other is what it is without work.
template <class Value>
Value failed_with(const Error& error) {
  if constexpr (std::convertible_to<const Error&, Value>)
    return Value(error);
  else if constexpr (std::default_initializable<Value>)
    return Value{};
  else if constexpr (requires { Value{error, error}; })
    return Value{error, error};
  else
    return Value{error, {}};
}

// Runs one piece of work at a time beside the GUI thread and delivers its result there by a queued call. A
// newer piece makes the older one stale: it is asked to stop and its result is dropped; the newer one begins
// when it has ended, and nobody but that thread waits. Memory that the machine refuses to the work is what
// failed_with() makes of that. Lives on the GUI thread.
class Background : public QObject {
 public:
  explicit Background(QObject* parent = nullptr) : QObject(parent) {}
  ~Background() override { cancel(); }

  // work(stop_token) -> value, on another thread; done(value), on this one.
  template <class Work, class Done>
  void start(Work work, Done done) {
    run([work = std::move(work)](std::stop_token stop, const auto&) mutable { return work(stop); },
        std::move(done), true);
  }
  // The same for work(stop_token, post): post(call) runs `call` on this thread meanwhile, unless the work has
  // become stale.
  template <class Work, class Done>
  void startReporting(Work work, Done done) {
    run(std::move(work), std::move(done), false);
  }
  void stop() { thread_.request_stop(); }  // the result of what was done so far is still delivered
  void cancel() {
    ++job_;
    setBusy(false);
    thread_.request_stop();
  }
  // How many of the window's have work whose result is still to come; on the GUI thread.
  static int underWay() { return busyOnes(); }

 private:
  static int& busyOnes() {
    static int count = 0;
    return count;
  }
  void setBusy(bool busy) {
    if (busy != std::exchange(busy_, busy)) busyOnes() += busy ? 1 : -1;
  }

  template <class Work, class Done>
  void run(Work work, Done done, bool skip_stopped) {
    const int64_t job = ++job_;
    setBusy(false);  // as it stays where no thread can be had
    thread_.request_stop();
    thread_ = std::jthread([this, job, skip_stopped, before = std::move(thread_), work = std::move(work),
                            done = std::move(done)](std::stop_token stop) mutable {
      if (before.joinable()) before.join();
      const auto post = [this, job](auto call) {
        QMetaObject::invokeMethod(
            this,
            [this, job, call = std::move(call)]() mutable {
              if (job == job_) call();
            },
            Qt::QueuedConnection);
      };
      if (skip_stopped && stop.stop_requested()) return post([this] { setBusy(false); });
      const auto value_of = [&] {
        try {
          return work(stop, post);
        } catch (...) {
          return failed_with<decltype(work(stop, post))>(refused_by_machine(""));
        }
      };
      post([this, done = std::move(done), value = value_of()]() mutable {
        setBusy(false);
        done(std::move(value));
      });
      return_free_memory();
    });
    setBusy(true);
  }

  int64_t job_ = 0;
  bool busy_ = false;
  std::jthread thread_;
};

}  // namespace shardscope::inline window
