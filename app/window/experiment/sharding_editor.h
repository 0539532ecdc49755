// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <array>
#include <optional>

#include "app/window/document/experiment_document.h"
#include "app/window/document/shown_run.h"

class QHBoxLayout;

namespace shardscope::inline window {

// The shardings of X, W and Y as P(...) and as XLA's text, and the mesh axes to drag onto a dimension. Empty
// means the strategy's own, which is shown faintly. Only strategies that plan for given shardings read them.
class ShardingEditor : public QWidget {
  Q_OBJECT
 public:
  explicit ShardingEditor(ExperimentDocument& document, QWidget* parent = nullptr);
  void showRun(const ShownRunPtr& shown);  // whose shardings stand in empty fields
  QLineEdit* spec(int array) { return rows_[static_cast<size_t>(array)].spec; }  // 0 X, 1 W, 2 Y
  QString error() const { return error_->text(); }
  // As if `axis` had been dropped on dimension `dim`.
  void dropAxis(int array, int dim, const QString& axis);

 private:
  struct ArrayRow {
    QLineEdit* spec;
    QLineEdit* xla;
    std::array<QLabel*, 2> dims;
  };
  void readDocument();
  void writeSpec(int array);
  void writeXla(int array);
  void set(int array, const std::optional<PartitionSpec>& spec);
  void refuse(QLineEdit* field, const QString& reason);
  std::optional<PartitionSpec> given(int array) const;
  PartitionSpec shownSpec(int array) const;

  ExperimentDocument& document_;
  std::array<ArrayRow, 3> rows_;
  QHBoxLayout* chips_;
  QLabel *error_, *readers_;
  ShownRunPtr shown_;
};

}  // namespace shardscope::inline window
