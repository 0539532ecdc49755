// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>
#include <QWidget>

#include "app/window/experiment/field_rows.h"

namespace shardscope::inline window {

// m, k, n, types, fill and seed.
class ProblemForm : public QWidget {
  Q_OBJECT
 public:
  explicit ProblemForm(ExperimentDocument& document, QWidget* parent = nullptr);
  FieldRows* rows() { return rows_; }
  QLineEdit* size(int which);  // 0 m, 1 k, 2 n
  QString error() const { return rows_->error(); }

 private:
  void offerSums();

  ExperimentDocument& document_;
  FieldRows* rows_;
};

}  // namespace shardscope::inline window
