// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QImage>
#include <QObject>
#include <QStringList>

#include "app/window/document/background.h"
#include "app/window/document/shown_run.h"
#include "engine/request/experiment.h"

namespace shardscope::inline window {

// The first strategy of an experiment that can run, without its numbers; the story of it when it is small.
// Null: none can, or it was stopped.
ShownRunPtr sample_run(const Experiment& experiment, std::stop_token stop);
// Who holds which block in the middle of that run, as the Sharding view draws it.
QImage picture_of(const ShownRun& shown, const Theme& theme, QSize size);

// Pictures and told notes of the built-in presets, made one after another beside this thread when they are
// asked for, and kept in memory.
class PresetPictures : public QObject {
  Q_OBJECT
 public:
  explicit PresetPictures(QObject* parent = nullptr) : QObject(parent) {}
  void setLook(const Theme& theme, QSize size);
  void want(const QStringList& names);  // these next, in this order, instead of those not yet made
  QImage picture(const QString& name) const { return made_.value(name).picture; }  // null: not yet
  QString notes(const QString& name) const { return made_.value(name).notes; }
  bool has(const QString& name) const { return made_.contains(name); }

 Q_SIGNALS:
  void made(const QString& name);

 private:
  struct Made {
    QImage picture;
    QString notes;
  };
  void makeNext();

  Theme theme_;
  QSize size_;
  QStringList wanted_;
  QHash<QString, Made> made_;
  Background making_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
