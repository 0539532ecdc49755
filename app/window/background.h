// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QObject>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <utility>

namespace shardscope {

// Runs one piece of work at a time beside the GUI thread and delivers its result there by a queued call. A
// newer piece makes the older one stale: it is asked to stop and its result is dropped; the newer one begins
// when it has ended, and nobody but that thread waits. Lives on the GUI thread.
class Background : public QObject {
 public:
  explicit Background(QObject* parent = nullptr) : QObject(parent) {}
  ~Background() override { cancel(); }

  // work(stop_token) -> value, on another thread; done(value), on this one.
  template <class Work, class Done>
  void start(Work work, Done done) {
    const int64_t job = ++job_;
    thread_.request_stop();
    thread_ = std::jthread([this, job, before = std::move(thread_), work = std::move(work),
                            done = std::move(done)](std::stop_token stop) mutable {
      if (before.joinable()) before.join();
      if (stop.stop_requested()) return;
      auto value = work(stop);
      QMetaObject::invokeMethod(
          this,
          [this, job, done = std::move(done), value = std::move(value)]() mutable {
            if (job == job_) done(std::move(value));
          },
          Qt::QueuedConnection);
    });
  }
  void cancel() {
    ++job_;
    thread_.request_stop();
  }

 private:
  int64_t job_ = 0;
  std::jthread thread_;
};

}  // namespace shardscope
