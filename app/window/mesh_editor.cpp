// SPDX-License-Identifier: Apache-2.0
#include "app/window/mesh_editor.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope {
namespace {

enum Column { kAxisName, kAxisSize, kAxisWrap };

QString order_text(const std::vector<int32_t>& order) {
  QStringList parts;
  for (const int32_t device : order) parts << QString::number(device);
  return parts.join(", ");
}

Result<std::vector<int32_t>> parse_order(const QString& text) {
  std::vector<int32_t> order;
  for (const std::string& part : split(text.toStdString(), ',')) {
    if (trim(part).empty()) continue;
    const auto value = parse_int(trim(part));
    if (!value) return invalid("device order: got '" + part + "', expected numbers", "", "write 0, 2, 1, 3");
    order.push_back(static_cast<int32_t>(*value));
  }
  return order;
}

}  // namespace

MeshEditor::MeshEditor(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      table_(new QTableWidget(0, 3, this)),
      order_(new QLineEdit(this)),
      error_(new QLabel(this)),
      picture_(new MeshPicture(this)),
      add_(new QPushButton("Add axis", this)),
      remove_(new QPushButton("Remove axis", this)) {
  table_->setObjectName("meshTable");
  table_->setHorizontalHeaderLabels({"axis", "size", "wrap"});
  table_->verticalHeader()->hide();
  table_->horizontalHeaderItem(kAxisName)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeaderItem(kAxisSize)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->horizontalHeaderItem(kAxisWrap)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setAccessibleName("Mesh axes");
  order_->setPlaceholderText("device order: 0, 1, 2, …");
  order_->setToolTip(
      "The chip that each logical device runs on; empty: in order. Or drag devices in the picture.");
  error_->setProperty("role", "warning");
  error_->setWordWrap(true);
  error_->hide();
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add_);
  buttons->addWidget(remove_);
  buttons->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  layout->addWidget(error_);
  layout->addLayout(buttons);
  layout->addWidget(picture_);
  layout->addWidget(order_);
  // Later: writing reads the table anew, and the changed cell is still in use then.
  connect(table_, &QTableWidget::cellChanged, this, [this] {
    if (!reading_) QMetaObject::invokeMethod(this, &MeshEditor::writeDocument, Qt::QueuedConnection);
  });
  connect(order_, &QLineEdit::editingFinished, this, &MeshEditor::writeDocument);
  connect(add_, &QPushButton::clicked, this, &MeshEditor::addAxis);
  connect(remove_, &QPushButton::clicked, this, &MeshEditor::removeAxis);
  connect(picture_, &MeshPicture::devicesSwapped, this, &MeshEditor::swapDevices);
  connect(&document_, &ExperimentDocument::changed, this, &MeshEditor::readDocument);
  readDocument();
}

// Rows follow the size of the text.
void MeshEditor::setTheme(const Theme& theme) {
  picture_->setTheme(theme);
  fitRows();
}

void MeshEditor::fitRows() {
  const int row = fontMetrics().height() + fontMetrics().height() / 2;
  for (int i = 0; i < table_->rowCount(); ++i) table_->setRowHeight(i, row);
  const int shown = std::clamp(table_->rowCount(), 1, 4);
  table_->setFixedHeight(shown * row + table_->horizontalHeader()->sizeHint().height() + 4);
}

void MeshEditor::readDocument() {
  reading_ = true;
  const Mesh& mesh = document_.experiment().mesh;
  table_->setRowCount(mesh.rank());
  for (int i = 0; i < mesh.rank(); ++i) {
    const MeshAxis& axis = mesh.axes()[static_cast<size_t>(i)];
    table_->setItem(i, kAxisName, new QTableWidgetItem(QString::fromStdString(axis.name)));
    auto* size = new QTableWidgetItem(QString::number(axis.size));
    size->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItem(i, kAxisSize, size);
    auto* wrap = new QTableWidgetItem(axis.size > 2 ? "ring" : "");
    wrap->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
    wrap->setCheckState(axis.wrap ? Qt::Checked : Qt::Unchecked);
    wrap->setToolTip("The last device of this axis is linked to the first");
    table_->setItem(i, kAxisWrap, wrap);
  }
  fitRows();
  order_->setText(order_text(mesh.device_order()));
  remove_->setEnabled(mesh.rank() > 1);
  picture_->setMesh(mesh);
  error_->hide();
  error_->clear();
  reading_ = false;
}

void MeshEditor::writeDocument() {
  if (reading_) return;
  std::vector<MeshAxis> axes;
  QString reason;
  for (int i = 0; i < table_->rowCount(); ++i) {
    const std::string size = table_->item(i, kAxisSize)->text().trimmed().toStdString();
    const auto value = parse_int(size);
    if (!value) reason = QString("size: got '%1', expected a whole number").arg(QString::fromStdString(size));
    axes.push_back({table_->item(i, kAxisName)->text().trimmed().toStdString(), value.value_or(1),
                    table_->item(i, kAxisWrap)->checkState() == Qt::Checked});
  }
  const auto order = parse_order(order_->text());
  if (!order.ok()) reason = QString::fromStdString(order.error().text());
  if (reason.isEmpty()) {
    // A mesh of another size has another order: the old one would be refused for a reason nobody asked about.
    int64_t devices = 1;
    for (const MeshAxis& axis : axes) devices = checked_multiply(devices, axis.size).value_or(0);
    const bool resized = devices != document_.experiment().mesh.device_count();
    const auto mesh = Mesh::make(axes, resized ? std::vector<int32_t>() : *order);
    if (mesh.ok()) {
      Experiment experiment = document_.experiment();
      experiment.mesh = *mesh;
      document_.change(experiment, "mesh");
      readDocument();
      return;
    }
    reason = QString::fromStdString(mesh.error().text());
  }
  error_->setText(reason);
  error_->show();
}

void MeshEditor::addAxis() {
  const Mesh& mesh = document_.experiment().mesh;
  auto axes = mesh.axes();
  std::string name = "depth";
  for (int i = 2; mesh.axis_index(name); ++i) name = "axis" + std::to_string(i);
  axes.push_back({name, 2, true});
  const auto made = Mesh::make(axes);
  if (!made.ok()) {
    error_->setText(QString::fromStdString(made.error().text()));
    error_->show();
    return;
  }
  Experiment experiment = document_.experiment();
  experiment.mesh = *made;
  document_.change(experiment, "add mesh axis");
}

void MeshEditor::removeAxis() {
  auto axes = document_.experiment().mesh.axes();
  if (axes.size() < 2) return;
  const int row = table_->currentRow() >= 0 ? table_->currentRow() : table_->rowCount() - 1;
  axes.erase(axes.begin() + row);
  Experiment experiment = document_.experiment();
  experiment.mesh = Mesh::make(axes).value();
  document_.change(experiment, "remove mesh axis");
}

void MeshEditor::swapDevices(int a, int b) {
  const Mesh& mesh = document_.experiment().mesh;
  auto order = mesh.device_order();
  if (order.empty()) {
    order.resize(static_cast<size_t>(mesh.device_count()));
    std::iota(order.begin(), order.end(), 0);
  }
  std::swap(order[static_cast<size_t>(a)], order[static_cast<size_t>(b)]);
  Experiment experiment = document_.experiment();
  experiment.mesh = Mesh::make(mesh.axes(), order).value();
  document_.change(experiment, "device order");
}

}  // namespace shardscope
