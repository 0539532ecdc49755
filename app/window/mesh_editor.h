// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QWidget>

#include "app/window/experiment_document.h"
#include "app/window/mesh_picture.h"

namespace shardscope {

// Axes in a table (name, size, wrap), the device order as a list, and a picture of the mesh that answers at
// once. What is impossible stays in the field, marked, with the reason under the table; the document keeps
// its last good mesh.
class MeshEditor : public QWidget {
  Q_OBJECT
 public:
  explicit MeshEditor(ExperimentDocument& document, QWidget* parent = nullptr);
  QTableWidget* table() { return table_; }
  QString error() const { return error_->text(); }
  void setTheme(const Theme& theme);

 private:
  void fitRows();
  void readDocument();
  void writeDocument();
  void addAxis();
  void removeAxis();
  void swapDevices(int a, int b);

  ExperimentDocument& document_;
  QTableWidget* table_;
  QLineEdit* order_;
  QLabel* error_;
  MeshPicture* picture_;
  QPushButton *add_, *remove_;
  bool reading_ = false;
};

}  // namespace shardscope
