// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QUndoStack>

#include "app/window/document/document_change.h"
#include "engine/request/experiment.h"

namespace shardscope::inline window {

// As an experiment file, whole or not at all: a process that ends in the middle leaves the one that was
// there. On any thread. Errors: it cannot be written.
Result<void> write_experiment(const Experiment& experiment, const QString& path);

// The experiment that is being edited: a value, the stack of values it was, and the file that it is of. Every
// change goes through change(), so everything can be undone.
class ExperimentDocument : public QObject {
  Q_OBJECT
 public:
  explicit ExperimentDocument(QObject* parent = nullptr);

  const Experiment& experiment() const { return experiment_; }
  QUndoStack& undoStack() { return undo_; }
  // What was said of the experiment that was opened (title, source, notes) is said of no other: it goes with
  // a change of the setting, and is there again when that is. Changes of the same `field` in a row are one
  // step of undo (typing); empty: never merged.
  void change(const Experiment& to, const QString& text, const QString& field = "");
  // Another one; forgets the stack. `file`: an experiment or a workspace, or empty.
  void open(const Experiment& experiment, const QString& file = "");
  Result<void> save(const QString& path) const { return write_experiment(experiment_, path); }

  const QString& file() const { return file_; }
  const Experiment& saved() const { return saved_; }  // what the file holds, or what was opened
  bool modified() const { return experiment_ != saved_; }
  void setSaved(const QString& file) { setSaved(file, experiment_); }  // the file holds it as it is
  void setSaved(const QString& file, const Experiment& saved);

 Q_SIGNALS:
  void changed();
  void fileChanged();  // another one, or what it holds

 private:
  friend class DocumentChange<ExperimentDocument, Experiment>;
  void set(const Experiment& experiment);

  Experiment experiment_, saved_;
  QString file_;
  QUndoStack undo_;
};

}  // namespace shardscope::inline window
