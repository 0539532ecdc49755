// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QWidget>

#include "app/window/document/experiment_document.h"
#include "app/window/experiment/mesh_picture.h"

namespace shardscope::inline window {

// Axes in a table (name, size, wrap: the chip's rule unless somebody says otherwise), the device order as a
// list, and a picture of the mesh that answers at once and sets the speed of single chips and links. What is
// impossible stays in the field, marked, with the reason under the table; the document keeps its last good
// mesh.
class MeshEditor : public QWidget {
  Q_OBJECT
 public:
  explicit MeshEditor(ExperimentDocument& document, QWidget* parent = nullptr);
  QTableWidget* table() { return table_; }
  MeshPicture* picture() { return picture_; }
  QCheckBox* chipWraps() { return chip_wraps_; }
  QString error() const { return error_->text(); }
  void setTheme(const Theme& theme);

 private:
  void dressTable();
  void layOut();
  void connectParts();
  void fitRows();
  void readDocument();
  void writeDocument();
  void addAxis();
  void removeAxis();
  void swapDevices(int a, int b);
  void refuse(const QString& reason);
  void checkTyped(int row, const QString& size);
  void setChipWraps(bool on);
  void chooseChipSpeed(int64_t chip, QPoint global);
  void chooseLinkSpeed(int64_t a, int64_t b, QPoint global);
  void setOverrides(const HardwareOverrides& overrides, const QString& text);
  void fillWrap(int row, const MeshAxis& axis, bool chips_rule);
  Mesh resolvedMesh() const;  // with the wraps that a run would have

  ExperimentDocument& document_;
  QTableWidget* table_;
  QLineEdit* order_;
  QLabel *error_, *slow_;
  MeshPicture* picture_;
  QPushButton *add_, *remove_, *normal_;
  QCheckBox* chip_wraps_;
  bool reading_ = false;
};

}  // namespace shardscope::inline window
