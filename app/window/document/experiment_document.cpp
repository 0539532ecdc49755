// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/experiment_document.h"

#include <utility>

#include "app/window/settings/save_text.h"
#include "engine/request/experiment_file.h"
#include "engine/request/setting.h"

namespace shardscope::inline window {

namespace {

void copy_texts(const Experiment& from, Experiment& to) {
  to.title = from.title;
  to.source = from.source;
  to.notes = from.notes;
  to.warnings = from.warnings;
}

bool same_texts(const Experiment& a, const Experiment& b) {
  return a.title == b.title && a.source == b.source && a.notes == b.notes && a.warnings == b.warnings;
}

// `next` with what may be said of it, where the change from `now` says nothing itself.
Experiment with_texts(Experiment next, const Experiment& now, const Experiment& opened) {
  if (!same_texts(next, now) || same_setting(next, now)) return next;
  if (same_setting(next, opened)) {
    copy_texts(opened, next);
  } else {
    const bool named = !next.title.empty();
    copy_texts({}, next);
    if (named) next.title = setting_words(next);
  }
  return next;
}

}  // namespace

ExperimentDocument::ExperimentDocument(QObject* parent) : QObject(parent) {}

void ExperimentDocument::change(const Experiment& to, const QString& text, const QString& field) {
  const Experiment next = with_texts(to, experiment_, saved_);
  if (next == experiment_) return;
  undo_.push(new DocumentChange(*this, experiment_, next, text, field));
}

void ExperimentDocument::open(const Experiment& experiment, const QString& file) {
  undo_.clear();
  set(experiment);
  setSaved(file);
}

void ExperimentDocument::setSaved(const QString& file, const Experiment& saved) {
  file_ = file;
  saved_ = saved;
  Q_EMIT fileChanged();
}

Result<void> write_experiment(const Experiment& experiment, const QString& path) {
  return save_text(path, experiment_toml(experiment));
}

void ExperimentDocument::set(const Experiment& experiment) {
  experiment_ = experiment;
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
