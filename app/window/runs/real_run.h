// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <string>

#include "app/window/document/background.h"
#include "engine/run/run.h"

namespace shardscope::inline window {

// Runs a shown run by MPI on this machine: this program, started by mpirun in processes of its own. What they
// measured is put into the workspace when all is done; one that was cancelled leaves nothing.
class RealRun : public QObject {
  Q_OBJECT
 public:
  explicit RealRun(QObject* parent = nullptr);
  ~RealRun() override;
  void start(const RunPtr& run, const std::string& workspace);
  void cancel();
  void setProgram(const QString& path) { program_ = path; }  // instead of this one
  bool running() const { return process_ != nullptr || keeping_; }

 Q_SIGNALS:
  void changed();  // it began or ended
  void progressed(const QString& what, int percent);
  void measured(qlonglong trace);  // its number in the workspace
  void refused(const QString& reason);

 private:
  void read();
  void finish(bool well);
  void keep();

  QString program_;
  std::string workspace_;
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<QProcess> process_;
  QByteArray said_;  // on stderr, but for progress
  bool cancelled_ = false, keeping_ = false;
  Background keeping_work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
