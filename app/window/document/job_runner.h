// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <thread>

#include "engine/session/session.h"

namespace shardscope {

// Carries out experiments beside the GUI thread, one at a time. Results arrive here by queued calls that
// carry their job's number; those of a cancelled or replaced job are dropped.
class JobRunner : public QObject {
  Q_OBJECT
 public:
  explicit JobRunner(QObject* parent = nullptr);
  ~JobRunner() override;

  // Asks what is running to stop and starts when it has, without waiting here.
  // `only`: of its runs this one alone.
  void start(const Experiment& experiment, std::shared_ptr<Workspace> workspace, bool numerics,
             std::optional<RunRequest> only = {});
  void cancel();
  bool running() const { return running_; }

 Q_SIGNALS:
  void started();
  void progress(const QString& what, double fraction);
  void runFinished(const shardscope::RunPtr& run);
  void runSkipped(const shardscope::SkippedRun& skipped);
  void finished();                     // all there; the workspace holds them
  void failed(const QString& reason);  // nothing could run
  void cancelled();

 private:
  template <class Call>
  void post(int64_t job, Call call);

  int64_t job_ = 0;
  bool running_ = false;
  std::jthread thread_;
};

}  // namespace shardscope
