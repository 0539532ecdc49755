// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/mesh_editor.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <numeric>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/chip_speeds.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/speed_popup.h"
#include "app/window/widgets/table_columns.h"
#include "engine/base/text.h"
#include "engine/hardware/hardware.h"
#include "engine/session/mesh_limit.h"

namespace shardscope::inline window {
namespace {

enum AxisColumn { kAxisName, kAxisSize, kAxisWrap };

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
    if (!value)
      return invalid(say("device order: got '{}', expected numbers", part), "", said("write 0, 2, 1, 3"));
    order.push_back(static_cast<int32_t>(*value));
  }
  return order;
}

// When an axis closes to a ring on this chip, in words.
QString wrap_rule(const std::string& name) {
  const auto hardware = find_hardware(name);
  if (!hardware.ok() || !hardware->torus_wrap_multiple_of)
    return "This chip states no rule: every axis closes to a ring"_tr;
  const int64_t multiple = hardware->torus_wrap_multiple_of.value_or(1);
  return "On %1 an axis closes to a ring at multiples of %2 only; tick a box above to say otherwise"_tr
      .arg(QString::fromStdString(hardware->name))
      .arg(multiple);
}

// Says every letter that is typed into a cell of its column.
class TypedDelegate : public QStyledItemDelegate {
 public:
  using Typed = std::function<void(int row, const QString& text)>;
  TypedDelegate(Typed typed, QObject* parent) : QStyledItemDelegate(parent), typed_(std::move(typed)) {}
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override {
    QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
    if (const auto* line = qobject_cast<QLineEdit*>(editor))
      connect(line, &QLineEdit::textEdited, this,
              [this, row = index.row()](const QString& text) { typed_(row, text); });
    return editor;
  }

 private:
  Typed typed_;
};

}  // namespace

MeshEditor::MeshEditor(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      table_(new QTableWidget(0, 3, this)),
      order_(new QLineEdit(this)),
      error_(refusal_label(this)),
      slow_(new QLabel(this)),
      picture_(new MeshPicture(this)),
      add_(new QPushButton("Add axis"_tr, this)),
      remove_(new QPushButton("Remove axis"_tr, this)),
      normal_(new QPushButton("All normal"_tr, this)),
      chip_wraps_(new QCheckBox("wraps as the chip does"_tr, this)) {
  dressTable();
  order_->setPlaceholderText("device order: 0, 1, 2, …"_tr);
  order_->setAccessibleName("Device order"_tr);
  explained_by(order_, "field.device-order");
  order_->setToolTip(
      "The chip that each logical device runs on; empty: in order. Or drag devices in the picture."_tr);
  slow_->setWordWrap(true);
  slow_->setProperty("role", "warning");
  normal_->setToolTip("Every chip and link at full speed again"_tr);
  layOut();
  connectParts();
  readDocument();
}

void MeshEditor::dressTable() {
  table_->setObjectName("meshTable");
  set_columns(*table_, {{"axis", "Name of the mesh axis, as strategies and shardings use it"_tr},
                        {"size"_tr, "Devices along the axis"_tr},
                        {"wrap"_tr, "Whether its last device is linked to its first: a ring"_tr}});
  table_->verticalHeader()->hide();
  table_->horizontalHeaderItem(kAxisName)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeaderItem(kAxisSize)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->horizontalHeaderItem(kAxisWrap)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setAccessibleName("Mesh axes"_tr);
  explained_by(table_, "field.mesh");
  table_->setItemDelegateForColumn(
      kAxisSize, new TypedDelegate([this](int row, const QString& size) { checkTyped(row, size); }, this));
}

void MeshEditor::layOut() {
  auto* slow_line = new QHBoxLayout;
  slow_line->addWidget(slow_, 1);
  slow_line->addWidget(normal_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add_);
  buttons->addWidget(remove_);
  buttons->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  layout->addWidget(error_);
  layout->addWidget(chip_wraps_);
  layout->addLayout(buttons);
  layout->addWidget(picture_);
  layout->addLayout(slow_line);
  layout->addWidget(order_);
}

void MeshEditor::connectParts() {
  // Later: writing reads the table anew, and the changed cell is still in use then.
  connect(table_, &QTableWidget::cellChanged, this, [this] {
    if (!reading_) QMetaObject::invokeMethod(this, &MeshEditor::writeDocument, Qt::QueuedConnection);
  });
  connect(order_, &QLineEdit::editingFinished, this, &MeshEditor::writeDocument);
  connect(add_, &QPushButton::clicked, this, &MeshEditor::addAxis);
  connect(remove_, &QPushButton::clicked, this, &MeshEditor::removeAxis);
  connect(picture_, &MeshPicture::devicesSwapped, this, &MeshEditor::swapDevices);
  connect(picture_, &MeshPicture::chipChosen, this, &MeshEditor::chooseChipSpeed);
  connect(picture_, &MeshPicture::linkChosen, this, &MeshEditor::chooseLinkSpeed);
  connect(normal_, &QPushButton::clicked, this,
          [this] { setOverrides({}, "all chips and links normal"_tr); });
  connect(chip_wraps_, &QCheckBox::clicked, this, &MeshEditor::setChipWraps);
  connect(&document_, &ExperimentDocument::changed, this, &MeshEditor::readDocument);
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

// A box with the rule in words: who decided it stands beside it.
void MeshEditor::fillWrap(int row, const MeshAxis& axis, bool chips_rule) {
  QString text = axis.size > 2 && axis.wrap ? "ring" : "";
  if (chips_rule) text = axis.wrap ? "as the chip: ring"_tr : "as the chip: no"_tr;
  auto* wrap = new QTableWidgetItem(text);
  wrap->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
  wrap->setCheckState(axis.wrap ? Qt::Checked : Qt::Unchecked);
  wrap->setToolTip("Ticked: the last device of this axis is linked to the first"_tr);
  table_->setItem(row, kAxisWrap, wrap);
}

Mesh MeshEditor::resolvedMesh() const {
  const Experiment& e = document_.experiment();
  if (!e.chip_wraps) return e.mesh;
  const auto hardware = find_hardware(e.hardware);
  return hardware.ok() ? with_chip_wraps(e.mesh, *hardware) : e.mesh;
}

void MeshEditor::readDocument() {
  reading_ = true;
  const Experiment& e = document_.experiment();
  const Mesh mesh = resolvedMesh();
  table_->setRowCount(mesh.rank());
  for (int i = 0; i < mesh.rank(); ++i) {
    const MeshAxis& axis = mesh.axes()[static_cast<size_t>(i)];
    table_->setItem(i, kAxisName, new QTableWidgetItem(QString::fromStdString(axis.name)));
    auto* size = new QTableWidgetItem(QString::number(axis.size));
    size->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItem(i, kAxisSize, size);
    fillWrap(i, axis, e.chip_wraps);
  }
  fitRows();
  chip_wraps_->setChecked(e.chip_wraps);
  chip_wraps_->setToolTip(wrap_rule(e.hardware));
  order_->setText(order_text(mesh.device_order()));
  remove_->setEnabled(mesh.rank() > 1);
  picture_->setMesh(mesh, e.overrides);
  slow_->setText(overrides_text(e.overrides));
  slow_->setVisible(!e.overrides.empty());
  normal_->setVisible(!e.overrides.empty());
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
    if (!value) reason = "size: got '%1', expected a whole number"_tr.arg(QString::fromStdString(size));
    axes.push_back({table_->item(i, kAxisName)->text().trimmed().toStdString(), value.value_or(1),
                    table_->item(i, kAxisWrap)->checkState() == Qt::Checked});
  }
  const auto order = parse_order(order_->text());
  if (!order.ok()) reason = in_window(order.error());
  if (!reason.isEmpty()) return refuse(reason);
  Experiment experiment = document_.experiment();
  const Mesh shown = resolvedMesh();
  const auto same = [&](auto member) { return std::ranges::equal(axes, shown.axes(), {}, member, member); };
  // A mesh of another size has other chips: its order and slow chips would be refused for a reason nobody
  // asked about.
  const bool resized = !same(&MeshAxis::size);
  if (resized) experiment.overrides = {};
  if (!same(&MeshAxis::wrap)) experiment.chip_wraps = false;
  const auto mesh = Mesh::make(axes, resized ? std::vector<int32_t>() : *order);
  if (!mesh.ok()) return refuse(in_window(mesh.error()));
  if (const auto fits = check_size_of(*mesh); !fits.ok()) return refuse(in_window(fits.error()));
  experiment.mesh = *mesh;
  document_.change(experiment, "mesh"_tr);
  readDocument();
}

void MeshEditor::refuse(const QString& reason) {
  error_->setText(reason);
  error_->show();
}

// Before the field is left: what cannot be is said at once.
void MeshEditor::checkTyped(int row, const QString& size) {
  std::vector<MeshAxis> axes = resolvedMesh().axes();
  const auto value = parse_int(size.trimmed().toStdString());
  if (!value || row >= std::ssize(axes)) return;
  axes[static_cast<size_t>(row)].size = *value;
  const auto mesh = Mesh::make(axes);
  const Result<void> fits = mesh.ok() ? check_size_of(*mesh) : Result<void>(mesh.error());
  if (!fits.ok()) return refuse(in_window(fits.error()));
  error_->hide();
  error_->clear();
}

void MeshEditor::addAxis() {
  const Mesh& mesh = document_.experiment().mesh;
  auto axes = mesh.axes();
  std::string name = "depth";
  for (int i = 2; mesh.axis_index(name); ++i) name = "axis" + std::to_string(i);
  axes.push_back({name, 2, true});
  const auto made = Mesh::make(axes);
  if (!made.ok()) return refuse(in_window(made.error()));
  Experiment experiment = document_.experiment();
  experiment.mesh = *made;
  experiment.overrides = {};
  document_.change(experiment, "add mesh axis"_tr);
}

void MeshEditor::removeAxis() {
  auto axes = document_.experiment().mesh.axes();
  if (axes.size() < 2) return;
  const int row = table_->currentRow() >= 0 ? table_->currentRow() : table_->rowCount() - 1;
  axes.erase(axes.begin() + row);
  Experiment experiment = document_.experiment();
  experiment.mesh = Mesh::make(axes).value();
  experiment.overrides = {};
  document_.change(experiment, "remove mesh axis"_tr);
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
  document_.change(experiment, "device order"_tr);
}

void MeshEditor::setChipWraps(bool on) {
  Experiment experiment = document_.experiment();
  experiment.mesh = resolvedMesh();  // from now on these are somebody's choice
  experiment.chip_wraps = on;
  document_.change(experiment, "wraps"_tr);
}

void MeshEditor::setOverrides(const HardwareOverrides& overrides, const QString& text) {
  Experiment experiment = document_.experiment();
  experiment.overrides = overrides;
  document_.change(experiment, text, text);  // one slide of a slider is one step of undo
}

void MeshEditor::chooseChipSpeed(int64_t chip, QPoint global) {
  const QString what = "Speed of chip %1"_tr.arg(chip);
  auto* popup = new SpeedPopup(what, chip_speed(document_.experiment().overrides, chip), false, this);
  connect(popup, &SpeedPopup::speedChanged, this, [this, chip, what](double speed) {
    setOverrides(with_chip_speed(document_.experiment().overrides, chip, speed), what);
  });
  popup->move(global);
  popup->show();
}

void MeshEditor::chooseLinkSpeed(int64_t a, int64_t b, QPoint global) {
  const QString what = "Bandwidth of link %1–%2"_tr.arg(std::min(a, b)).arg(std::max(a, b));
  auto* popup = new SpeedPopup(what, link_speed(document_.experiment().overrides, a, b), true, this);
  connect(popup, &SpeedPopup::speedChanged, this, [this, a, b, what](double speed) {
    setOverrides(with_link_speed(document_.experiment().overrides, a, b, speed), what);
  });
  popup->move(global);
  popup->show();
}

}  // namespace shardscope::inline window
