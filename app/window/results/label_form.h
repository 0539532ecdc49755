// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QPlainTextEdit>

#include "engine/run/run_summary.h"

namespace shardscope::inline window {

// Name, tags and note of one run.
class LabelForm : public QDialog {
  Q_OBJECT
 public:
  explicit LabelForm(const RunSummary& run, QWidget* parent = nullptr);
  QLineEdit* name() { return name_; }
  QLineEdit* tags() { return tags_; }
  QPlainTextEdit* note() { return note_; }
  void accept() override;

 Q_SIGNALS:
  void wanted(const shardscope::RunLabel& label);

 private:
  RunLabel label_;
  QLineEdit *name_, *tags_;
  QPlainTextEdit* note_;
};

}  // namespace shardscope::inline window
