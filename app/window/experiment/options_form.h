// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>

#include "app/window/document/shown_run.h"
#include "app/window/experiment/field_rows.h"

namespace shardscope::inline window {

// What a run may be told beside mesh and problem: how it is timed, what its numbers are compared with, and
// the options that strategies read.
class OptionsForm : public QWidget {
  Q_OBJECT
 public:
  explicit OptionsForm(ExperimentDocument& document, QWidget* parent = nullptr);
  void showRun(const ShownRunPtr& shown);  // whose choices of algorithms are told
  FieldRows* rows() { return rows_; }
  QComboBox* collective() { return rows_->list("collective"); }
  QComboBox* reference() { return rows_->list("reference"); }
  QLineEdit* option(const QString& name) const { return rows_->line(name.toStdString()); }
  QLineEdit* roles() { return rows_->line("axes"); }
  QString chosen() const { return chosen_->text(); }
  QString error() const { return rows_->error(); }

 private:
  FieldRows* rows_;
  QLabel* chosen_;
};

}  // namespace shardscope::inline window
