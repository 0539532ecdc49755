// SPDX-License-Identifier: Apache-2.0
// The HLO dock's two pieces of work beside the GUI thread: reading a module, and executing it.
#pragma once

#include <QTimer>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/module/hlo_alternative.h"
#include "engine/session/hlo_numbers.h"
#include "engine/session/hlo_run.h"

namespace shardscope::inline window {

// Partitions a module and explains it; what is read later makes the earlier stale.
class HloReader : public QObject {
  Q_OBJECT
 public:
  explicit HloReader(QObject* parent = nullptr);
  void read(IndexedTextPtr text, const QString& name, const ExplainOptions& options);
  void cancel();
  bool busy() const { return busy_; }
  // Frees it beside the GUI thread, once nobody else holds it: of a big module that takes seconds.
  void letGo(HloReadingPtr reading);

 Q_SIGNALS:
  void takesLong();
  void progress(const QString& what, double fraction);
  void finished(const shardscope::Result<shardscope::HloReadingPtr>& reading);

 private:
  QTimer patience_;
  bool busy_ = false;
  Background gone_;
  Background work_;  // last: its thread ends first
};

struct HloProved {
  HloReadingPtr of;
  std::shared_ptr<Workspace> recorded_in;
  Result<ModuleRun> ran;
};

// Executes a module on one device and partitioned on all of them, and compares.
class HloProof : public QObject {
  Q_OBJECT
 public:
  explicit HloProof(QObject* parent = nullptr) : QObject(parent) {}
  void start(HloReadingPtr reading, ModuleRunOptions options);
  void cancel();
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progress(const QString& what, double fraction);
  void finished(const shardscope::HloProved& proved);

 private:
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

// Proves how a module was partitioned, behind the answer: the whole, a smaller form of it, or nothing.
class HloCheck : public QObject {
  Q_OBJECT
 public:
  explicit HloCheck(QObject* parent = nullptr) : QObject(parent) {}
  // A module that came partitioned has nothing to be compared with: nothing happens.
  void start(const HloReadingPtr& reading);
  void cancel();
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void finished(const shardscope::HloReadingPtr& of,
                const shardscope::Result<shardscope::ModuleNumbers>& proof);

 private:
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
