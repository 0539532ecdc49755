// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QUndoStack>

#include "engine/request/experiment.h"

namespace shardscope {

// The experiment that is being edited: a value, and the stack of values it was. Every change goes through
// change(), so everything can be undone.
class ExperimentDocument : public QObject {
  Q_OBJECT
 public:
  explicit ExperimentDocument(QObject* parent = nullptr);

  const Experiment& experiment() const { return experiment_; }
  QUndoStack& undoStack() { return undo_; }
  // Changes of the same `field` in a row are one step of undo (typing); empty: never merged.
  void change(const Experiment& to, const QString& text, const QString& field = "");
  void open(const Experiment& experiment);       // another one; forgets the stack
  Result<void> save(const QString& path) const;  // as an experiment file

 Q_SIGNALS:
  void changed();

 private:
  friend class ExperimentChange;
  void set(const Experiment& experiment);

  Experiment experiment_;
  QUndoStack undo_;
};

}  // namespace shardscope
