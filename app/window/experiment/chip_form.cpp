// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/chip_form.h"

#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStandardPaths>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/export.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/written_bar.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kByHand = "set by hand";
constexpr std::array kTopologies{Topology::torus, Topology::line, Topology::full, Topology::switch_,
                                 Topology::two_level};

bool is_preset(const std::string& name) {
  return std::ranges::count(hardware_preset_names(), name) > 0;
}

// A name as a file's: letters, digits, dot, dash.
QString file_stem(const std::string& name) {
  QString stem = QString::fromStdString(name);
  for (QChar& c : stem) {
    if (!c.isLetterOrNumber() && c != '.' && c != '-') c = '-';
  }
  return stem;
}

}  // namespace

Result<QString> write_chip(const Hardware& chip, const QString& folder) {
  if (!QDir().mkpath(folder)) return io_error(said("cannot make the folder"), folder.toStdString());
  const QString text = QString::fromStdString(hardware_toml(chip));
  for (int number = 1;; ++number) {
    const QString suffix = number == 1 ? QString() : QString("-%1").arg(number);
    const QString path = QDir(folder).filePath(file_stem(chip.name) + suffix + ".toml");
    QFile file(path);
    if (file.open(QIODevice::ReadOnly)) {
      if (QString::fromUtf8(file.readAll()) == text) return path;
      continue;
    }
    TRY_VOID(export_text(text, path));
    return path;
  }
}

Result<QString> keep_chip(const Hardware& chip) {
  return write_chip(chip, QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/chips");
}

ChipForm::ChipForm(ExperimentDocument& document, QWidget* parent)
    : QDialog(parent),
      document_(document),
      name_(new QLineEdit(this)),
      title_(new QLineEdit(this)),
      topology_(new QComboBox(this)),
      status_(new QLabel(this)),
      use_(new QPushButton("Use this chip"_tr, this)),
      save_(new QPushButton("Save as…"_tr, this)),
      revert_(new QPushButton("Revert"_tr, this)) {
  setObjectName("chipForm");
  setWindowTitle("Chip and links"_tr);
  explained_by(this, "chip");
  auto* content = new QWidget;
  content->setObjectName("formContent");
  grid_ = new QGridLayout(content);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(3, 1);
  addHeader(*grid_);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  status_->setProperty("role", "muted");
  status_->setWordWrap(true);
  use_->setToolTip(
      "Written beside this program's settings; the experiment runs on it, undo takes it back"_tr);
  save_->setToolTip("Write a hardware file where you want it, and run on it"_tr);
  auto* close_button = new QPushButton("Close"_tr, this);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(revert_);
  buttons->addStretch();
  for (QPushButton* button : {save_, use_, close_button}) buttons->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(scroll, 1);
  layout->addWidget(status_);
  layout->addLayout(buttons);
  for (QPushButton* button : {use_, save_, revert_, close_button}) button->setAutoDefault(false);
  const auto say = [this](const Result<void>& result) {
    if (!result.ok()) status_->setText(in_window(result.error()));
  };
  connect(use_, &QPushButton::clicked, this, [this, say] { say(useIt()); });
  connect(save_, &QPushButton::clicked, this, [this, say] {
    say(write_new_file(this, {"Save chip"_tr, file_stem(chip_.name) + ".toml", "Hardware files (*.toml)"_tr,
                              [this](const QString& path) { return saveAs(path); }}));
  });
  connect(revert_, &QPushButton::clicked, this, [this] {
    chip_ = original_;
    fill();
  });
  connect(close_button, &QPushButton::clicked, this, &QDialog::close);
  connect(&document_, &ExperimentDocument::changed, this, &ChipForm::readDocument);
  resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 44);
  readDocument();
}

void ChipForm::addHeader(QGridLayout& grid) {
  for (const Topology topology : kTopologies) topology_->addItem(shardscope::name(topology));
  name_->setAccessibleName("Name of the chip"_tr);
  title_->setAccessibleName("Display name of the chip"_tr);
  title_->setPlaceholderText("display name"_tr);
  topology_->setAccessibleName("Topology"_tr);
  topology_->setToolTip(
      "torus and line: neighbours along each mesh axis; full: a link for each pair; switch: one "
      "port each; two-level: nodes joined by a network"_tr);
  grid.addWidget(new QLabel("name"_tr), 0, 0);
  grid.addWidget(name_, 0, 1);
  grid.addWidget(title_, 0, 2, 1, 2);
  grid.addWidget(new QLabel("topology"_tr), 1, 0);
  grid.addWidget(topology_, 1, 1);
  connect(topology_, &QComboBox::activated, this, &ChipForm::editTopology);
  connect(name_, &QLineEdit::editingFinished, this, [this] {
    const std::string typed = name_->text().trimmed().toStdString();
    mark_invalid(name_, typed.empty());
    if (!typed.empty()) chip_.name = typed;
    refreshButtons();
  });
  connect(title_, &QLineEdit::editingFinished, this, [this] {
    chip_.title = title_->text().trimmed().toStdString();
    refreshButtons();
  });
}

// Those of the chip that is read; fields of another one go.
void ChipForm::addFields() {
  for (QWidget* old : made_) {
    grid_->removeWidget(old);
    old->hide();
    old->deleteLater();
  }
  made_.clear();
  rows_.clear();
  sources_.clear();
  grid_->setRowStretch(grid_->rowCount() - 1, 0);
  const auto add = [this](QWidget* widget, int line, int column, int columns = 1) {
    made_.push_back(widget);
    grid_->addWidget(widget, line, column, 1, columns);
  };
  int line = 2;
  QString section;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const ChipField& field = fields_[i];
    if (field.section != section) {
      section = field.section;
      add(heading_label(section), line, 0);
      if (i == 0) add(form_label("where the number comes from"_tr), line, 3);
      ++line;
    }
    Row row{new QLineEdit, refusal_label()};
    row.value->setAlignment(Qt::AlignRight);
    row.value->setPlaceholderText(field.empty);
    row.value->setMinimumWidth(fontMetrics().averageCharWidth() * 16);
    row.value->setAccessibleName(QString("%1: %2, %3").arg(section, field.label, field.unit));
    row.value->setToolTip(QString::fromStdString(field.key));
    add(new QLabel(field.label), line, 0);
    add(row.value, line, 1);
    add(form_label(field.unit), line, 2);
    if (sources_.count(field.key) == 0) {
      auto* source = new QLineEdit;
      source->setAccessibleName("Source of %1"_tr.arg(field.label));
      source->setPlaceholderText("no source given"_tr);
      add(source, line, 3);
      sources_[field.key] = source;
      connect(source, &QLineEdit::editingFinished, this, [this, key = field.key] { editSource(key); });
    }
    add(row.reason, line + 1, 1, 3);
    connect(row.value, &QLineEdit::editingFinished, this, [this, i] { editNumber(i); });
    rows_.push_back(row);
    line += 2;
  }
  grid_->setRowStretch(line, 1);
}

// The form follows the experiment's choice; what was typed stays as long as that does not change.
void ChipForm::readDocument() {
  const std::string& named = document_.experiment().hardware;
  if (named == shown_) return;
  const auto found = find_hardware(named);
  if (!found.ok()) {
    status_->setText(in_window(found.error()));
    return;
  }
  shown_ = named;
  original_ = chip_ = *found;
  std::vector<ChipField> fields = chip_fields(chip_);
  if (!std::ranges::equal(fields, fields_, {}, &ChipField::key, &ChipField::key)) {
    fields_ = std::move(fields);
    addFields();
  }
  fill();
}

void ChipForm::fill() {
  name_->setText(QString::fromStdString(chip_.name));
  title_->setText(QString::fromStdString(chip_.title));
  topology_->setCurrentText(shardscope::name(chip_.topology));
  for (size_t i = 0; i < fields_.size(); ++i) {
    rows_[i].value->setText(fields_[i].text(chip_));
    rows_[i].value->setCursorPosition(0);
    mark_invalid(rows_[i].value, rows_[i].reason, {});
  }
  for (const auto& [key, edit] : sources_) {
    const auto found = chip_.sources.find(key);
    const QString text = found == chip_.sources.end() ? QString() : QString::fromStdString(found->second);
    edit->setText(text);
    edit->setCursorPosition(0);
    edit->setToolTip(Qt::convertFromPlainText(text));
  }
  refreshButtons();
}

// Under its old name an edited preset would pass for the published chip.
void ChipForm::markEdited() {
  if (!is_preset(chip_.name)) return;
  if (!chip_.title.empty()) chip_.title += ", edited";
  chip_.name += "-edited";
  name_->setText(QString::fromStdString(chip_.name));
  title_->setText(QString::fromStdString(chip_.title));
}

void ChipForm::editNumber(size_t i) {
  const ChipField& field = fields_[i];
  const Row& row = rows_[i];
  if (!row.value->isModified()) return;
  row.value->setModified(false);
  const auto with = field.with(chip_, row.value->text());
  mark_invalid(row.value, row.reason, with.ok() ? QString() : in_window(with.error()));
  if (!with.ok() || *with == chip_) return refreshButtons();
  chip_ = *with;
  const auto known = original_.sources.find(field.key);
  std::string& source = chip_.sources[field.key];
  if (known == original_.sources.end() || source == known->second) source = kByHand;
  sources_[field.key]->setText(QString::fromStdString(source));
  markEdited();
  refreshButtons();
}

void ChipForm::editSource(const std::string& key) {
  const std::string typed = sources_[key]->text().trimmed().toStdString();
  const auto found = chip_.sources.find(key);
  if ((found == chip_.sources.end() ? std::string() : found->second) == typed) return;
  chip_.sources[key] = typed;
  if (typed.empty()) chip_.sources.erase(key);
  markEdited();
  refreshButtons();
}

// Nodes and their network belong to two levels, or to the switch of a node.
void ChipForm::editTopology() {
  const Topology to = kTopologies[static_cast<size_t>(topology_->currentIndex())];
  if (to == chip_.topology) return;
  chip_.topology = to;
  if (to != Topology::two_level && to != Topology::switch_) {
    chip_.node_devices.reset();
    chip_.network_bytes_per_s.reset();
    chip_.network_latency_s.reset();
    chip_.network_efficiency.reset();
  }
  markEdited();
  fill();
}

void ChipForm::refreshButtons() {
  const bool refused =
      std::ranges::any_of(rows_, [](const Row& row) { return !row.reason->text().isEmpty(); });
  const bool changed = chip_ != original_;
  use_->setEnabled(changed && !refused);
  save_->setEnabled(!refused);
  revert_->setEnabled(changed || refused);
  status_->setText(
      refused   ? "A number that is marked cannot be used."_tr
      : changed ? "Edited, not used yet: runs go on with %1."_tr.arg(QString::fromStdString(original_.name))
                : "The experiment runs on this chip. An empty number is not published: a run "
                  "that needs it says so."_tr);
}

void ChipForm::adopt(const QString& path) {
  Experiment e = document_.experiment();
  e.hardware = path.toStdString();
  shown_ = e.hardware;
  original_ = chip_;
  document_.change(e, "chip "_tr + QString::fromStdString(chip_.name));
  fill();
}

Result<void> ChipForm::useIt() {
  TRY(const QString path, keep_chip(chip_));
  adopt(path);
  return {};
}

Result<void> ChipForm::saveAs(const QString& path) {
  const QString file = path.endsWith(".toml") ? path : path + ".toml";
  TRY_VOID(export_text(QString::fromStdString(hardware_toml(chip_)), file));
  adopt(file);
  return {};
}

QLineEdit* ChipForm::value(const std::string& key, const QString& label) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].key == key && (label.isEmpty() || fields_[i].label == label)) return rows_[i].value;
  }
  return nullptr;
}

QLineEdit* ChipForm::source(const std::string& key) const {
  const auto found = sources_.find(key);
  return found == sources_.end() ? nullptr : found->second;
}

QString ChipForm::reason(const std::string& key) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].key == key && !rows_[i].reason->text().isEmpty()) return rows_[i].reason->text();
  }
  return {};
}

}  // namespace shardscope::inline window
