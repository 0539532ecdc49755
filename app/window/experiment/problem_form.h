// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <array>

#include "app/window/document/experiment_document.h"

namespace shardscope {

// m, k, n, types, fill and seed. An impossible value stays in its field, marked, with the reason below.
class ProblemForm : public QWidget {
  Q_OBJECT
 public:
  explicit ProblemForm(ExperimentDocument& document, QWidget* parent = nullptr);
  QLineEdit* size(int which) { return sizes_[static_cast<size_t>(which)]; }  // 0 m, 1 k, 2 n
  QString error() const { return error_->text(); }

 private:
  void readDocument();
  void writeDocument();

  ExperimentDocument& document_;
  std::array<QLineEdit*, 3> sizes_;
  QComboBox *dtype_, *accumulate_, *fill_;
  QLineEdit* seed_;
  QLabel* error_;
  bool reading_ = false;
};

}  // namespace shardscope
