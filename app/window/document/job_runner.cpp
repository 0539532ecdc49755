// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/job_runner.h"

#include <QMetaObject>

namespace shardscope {

JobRunner::JobRunner(QObject* parent) : QObject(parent) {}

JobRunner::~JobRunner() {
  ++job_;
  thread_.request_stop();
}

template <class Call>
void JobRunner::post(int64_t job, Call call) {
  QMetaObject::invokeMethod(
      this,
      [this, job, call = std::move(call)] {
        if (job == job_) call();
      },
      Qt::QueuedConnection);
}

void JobRunner::start(const Experiment& experiment, std::shared_ptr<Workspace> workspace, bool numerics,
                      std::optional<RunRequest> only) {
  const int64_t job = ++job_;
  running_ = true;
  Q_EMIT started();
  thread_.request_stop();
  thread_ =
      std::jthread([this, job, before = std::move(thread_), experiment, workspace = std::move(workspace),
                    numerics, only = std::move(only)](std::stop_token stop) mutable {
        if (before.joinable()) before.join();
        ExecutionOptions options;
        options.numerics = numerics;
        options.only = only;
        options.workspace = workspace;
        options.progress = [this, job](const Progress& p) {
          post(job, [this, p] { Q_EMIT progress(QString::fromStdString(p.what), p.fraction); });
        };
        options.finished = [this, job](const RunPtr& run) {
          post(job, [this, run] { Q_EMIT runFinished(run); });
        };
        options.skipped = [this, job](const SkippedRun& skipped) {
          post(job, [this, skipped] { Q_EMIT runSkipped(skipped); });
        };
        const auto result = sweep(experiment, options, stop);
        std::optional<Error> error;
        if (!result.ok()) error = result.error();
        if (workspace && !error) {
          if (const auto written = workspace->wait(); !written.ok()) error = written.error();
        }
        post(job, [this, error] {
          running_ = false;
          if (!error) {
            Q_EMIT finished();
          } else if (error->kind == ErrorKind::cancelled) {
            Q_EMIT cancelled();
          } else {
            Q_EMIT failed(QString::fromStdString(error->text()));
          }
        });
      });
}

void JobRunner::cancel() {
  if (running_) thread_.request_stop();
}

}  // namespace shardscope
