// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <string>
#include <utility>

#include "app/window/document/background.h"

namespace shardscope::inline window {

// The one job that holds the window's progress bar and its Cancel: an experiment that runs, a workspace that
// is saved. A newer job takes the older one's place, whose results are dropped.
class JobRunner : public QObject {
  Q_OBJECT
 public:
  using Report = std::function<void(const std::string& what, double fraction)>;

  explicit JobRunner(QObject* parent = nullptr) : QObject(parent) {}

  // work(stop, report, post) -> value, on another thread; post(call) runs `call` on this one meanwhile.
  // done(value) -> QString, on this thread: the job's last word.
  template <class Work, class Done>
  void start(Work work, Done done) {
    running_ = true;
    Q_EMIT started();
    work_.startReporting(
        [this, work = std::move(work)](std::stop_token stop, auto post) mutable {
          const Report report = [this, post](const std::string& what, double fraction) {
            post([this, what, fraction] { Q_EMIT progress(QString::fromStdString(what), fraction); });
          };
          return work(stop, report, post);
        },
        [this, done = std::move(done)](auto value) mutable {
          running_ = false;
          const QString last_word = done(std::move(value));
          Q_EMIT ended(last_word);
        });
  }
  void cancel() { work_.stop(); }  // its value still arrives: what was done so far
  void drop() {                    // nothing of it arrives any more
    if (!running_) return;
    work_.cancel();
    running_ = false;
    Q_EMIT ended("Cancelled.");
  }
  bool running() const { return running_; }

 Q_SIGNALS:
  void started();
  void progress(const QString& what, double fraction);
  void ended(const QString& last_word);

 private:
  bool running_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
