// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_options.h"

#include <QDoubleValidator>
#include <QEvent>
#include <QSignalBlocker>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"
#include "engine/request/fields.h"

namespace shardscope::inline window {

QJsonObject json(const HloChoice& choice) {
  QJsonObject asked;
  for (const auto& [key, text] : choice.asked) asked[QString::fromStdString(key)] = text;
  return {{"asked", asked},
          {"devices", choice.devices},
          {"dialect", choice.dialect},
          {"einsum", choice.windowed_einsum},
          {"loop", choice.loop},
          {"propagate", choice.propagate},
          {"hardware", choice.hardware}};
}

HloChoice read_choice(const QJsonObject& in) {
  HloChoice out;
  out.devices = in["devices"].toInt();
  out.dialect = in["dialect"].toString(name(SpmdDialect::current));
  out.windowed_einsum = in["einsum"].toString();
  out.loop = in["loop"].toInt();
  out.propagate = in["propagate"].toBool(true);
  out.hardware = in["hardware"].toString();
  const QJsonObject asked = in["asked"].toObject();
  for (auto each = asked.begin(); each != asked.end(); ++each)
    out.asked[each.key().toStdString()] = each.value().toString();
  return out;
}

HloOptionsForm::HloOptionsForm(ExperimentDocument& document, const QList<QWidget*>& before, QWidget* parent)
    : QWidget(parent),
      document_(document),
      devices_(new QSpinBox(this)),
      dialect_(new QComboBox(this)),
      loop_(new QComboBox(this)),
      hardware_(new QComboBox(this)),
      unfold_(
          small_button("Options"_tr, "Devices, dialect, windowed einsum, propagation, hardware"_tr, this)),
      more_(small_button("More"_tr, "Mesh, overlap, algorithms and what else a module's run can be asked"_tr,
                         this)),
      einsum_(new QLineEdit(this)),
      propagate_(new QCheckBox("propagate"_tr, this)) {
  describeFields();
  makeMore();
  layOut(before);
  for (QComboBox* box : {dialect_, loop_, hardware_})
    connect(box, &QComboBox::activated, this, &HloOptionsForm::changed);
  connect(devices_, &QSpinBox::valueChanged, this, &HloOptionsForm::changed);
  connect(einsum_, &QLineEdit::editingFinished, this, [this] {
    if (!einsum_->isModified()) return;
    einsum_->setModified(false);
    Q_EMIT changed();
  });
  connect(propagate_, &QCheckBox::toggled, this, &HloOptionsForm::changed);
  connect(&document_, &ExperimentDocument::changed, this, &HloOptionsForm::readDocument);
  setFolded(false);
  readDocument();
}

void HloOptionsForm::describeFields() {
  devices_->setRange(0, static_cast<int>(Mesh::kMaxDevices));
  devices_->setSpecialValueText("as named"_tr);
  devices_->setKeyboardTracking(false);
  devices_->setAccessibleName("Devices"_tr);
  devices_->setToolTip("How many devices; as named: as many as the module's shardings name"_tr);
  dialect_->addItem(name(SpmdDialect::current));
  dialect_->addItem(name(SpmdDialect::tpu2022));
  dialect_->setAccessibleName("Dialect"_tr);
  dialect_->setToolTip("Partitioner: today's open-source XLA, or the TPU compiler of 2022"_tr);
  einsum_->setPlaceholderText("off"_tr);
  einsum_->setAlignment(Qt::AlignRight);
  auto* sizes = new QDoubleValidator(0, 1e9, 6, einsum_);
  sizes->setLocale(QLocale::c());
  einsum_->setValidator(sizes);
  einsum_->setAccessibleName("Windowed einsum from"_tr);
  einsum_->setToolTip(
      "Operands of at least this many MiB are gathered by a loop of products and permutes; empty: never"_tr);
  loop_->addItems({"one way"_tr, "two steps a round"_tr, "both ways"_tr});
  loop_->setAccessibleName("Loop of a windowed einsum"_tr);
  loop_->setToolTip("How such a loop passes shards on: one way round, unrolled by two, or both ways"_tr);
  propagate_->setChecked(true);
  propagate_->setToolTip("Arrays without a sharding get one by propagation"_tr);
  hardware_->setAccessibleName("Hardware of the module"_tr);
  hardware_->setToolTip("The chip and links that collectives are timed on"_tr);
  hardware_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

QString HloOptionsForm::More::text() const {
  if (list != nullptr) return list->currentIndex() <= 0 ? QString() : list->currentText();
  return line->text().trimmed();
}

void HloOptionsForm::More::setText(const QString& text) const {
  if (list != nullptr) return list->setCurrentIndex(text.isEmpty() ? 0 : std::max(list->findText(text), 0));
  line->setText(text);
}

QWidget* HloOptionsForm::editor(const std::string& key) const {
  for (const More& each : asked_)
    if (each.key == key) return each.list != nullptr ? static_cast<QWidget*>(each.list) : each.line;
  return nullptr;
}

// The table of fields says what else there is.
void HloOptionsForm::makeMore() {
  for (const Field& field : fields()) {
    if (!field.has(kModule) || !field.experiment || field.key == "hardware") continue;
    const QString title = QString::fromStdString(field.key).replace('-', ' ');
    const QString unsaid = QString::fromStdString(field.unsaid.empty() ? default_text(field) : field.unsaid);
    More made{.key = field.key};
    QWidget* widget = nullptr;
    if (field.values.empty()) {
      widget = made.line = new QLineEdit(this);
      made.line->setPlaceholderText(unsaid);
      connect(made.line, &QLineEdit::editingFinished, this, &HloOptionsForm::changed);
    } else {
      widget = made.list = new QComboBox(this);
      made.list->addItem(unsaid.isEmpty() ? "as it is"_tr : unsaid);
      for (const std::string& value : field.values) made.list->addItem(QString::fromStdString(value));
      connect(made.list, &QComboBox::activated, this, &HloOptionsForm::changed);
    }
    widget->setAccessibleName(title);
    widget->setToolTip(QString::fromStdString(help_text(field)));
    asked_.push_back(made);
    asked_fields_ << labelled(title, widget, this);
  }
}

void HloOptionsForm::layOut(const QList<QWidget*>& before) {
  unfold_->setCheckable(true);
  more_->setCheckable(true);
  for (QToolButton* each : {unfold_, more_})
    connect(each, &QToolButton::toggled, this, &HloOptionsForm::showFields);
  fields_ = {labelled("devices"_tr, devices_, this),
             labelled("dialect"_tr, dialect_, this),
             labelled("windowed einsum from MiB"_tr, einsum_, this),
             labelled("loop"_tr, loop_, this),
             propagate_,
             labelled("hardware"_tr, hardware_, this),
             more_};
  auto* flow = new FlowLayout(this, 8);
  flow->setContentsMargins(8, 6, 8, 4);
  for (QWidget* each : before + QList<QWidget*>{unfold_} + fields_ + asked_fields_) flow->addWidget(each);
}

void HloOptionsForm::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
    einsum_->setFixedWidth(fontMetrics().averageCharWidth() * 10);
  QWidget::changeEvent(event);
}

void HloOptionsForm::setFolded(bool on) {
  unfold_->setVisible(on);
  showFields();
}

void HloOptionsForm::showFields() {
  const bool shown = unfold_->isHidden() || unfold_->isChecked();
  for (QWidget* each : fields_) each->setVisible(shown);
  for (QWidget* each : asked_fields_) each->setVisible(shown && more_->isChecked());
}

// The chip follows the experiment until another one is picked here.
void HloOptionsForm::readDocument() {
  const QString chosen = hardware_->currentData().toString();
  const QString own = QString::fromStdString(document_.experiment().hardware);
  const bool follows = hardware_->currentIndex() <= 0;
  if (hardware_->count() > 0 && hardware_->itemData(0).toString() == own) return;
  hardware_->clear();
  hardware_->addItem("the experiment's: "_tr + own.section('/', -1), own);
  for (const std::string& name : hardware_preset_names())
    hardware_->addItem(QString::fromStdString(name), QString::fromStdString(name));
  if (!follows) hardware_->setCurrentIndex(std::max(hardware_->findData(chosen), 0));
  if (hardware_->currentData().toString() != chosen) Q_EMIT changed();
}

ExplainOptions HloOptionsForm::options() const {
  ExplainOptions out;
  if (devices_->value() > 0) out.partition.devices = devices_->value();
  const auto dialect = parse_spmd_dialect(dialect_->currentText().toStdString());
  if (dialect.ok()) out.partition.dialect = *dialect;
  out.partition.windowed_einsum_mib = parse_double(einsum_->text().trimmed().toStdString());
  out.partition.unroll_windowed_einsum = loop_->currentIndex() == 1;
  out.partition.bidirectional_windowed_einsum = loop_->currentIndex() == 2;
  out.partition.propagate = propagate_->isChecked();
  if (const QString chip = hardware_->currentData().toString(); !chip.isEmpty())
    out.asked["hardware"] = chip.toStdString();
  for (const More& each : asked_)
    if (const QString text = each.text(); !text.isEmpty()) out.asked[each.key] = text.toStdString();
  return out;
}

HloChoice HloOptionsForm::choice() const {
  HloChoice out{devices_->value(),
                dialect_->currentText(),
                einsum_->text(),
                loop_->currentIndex(),
                propagate_->isChecked(),
                hardware_->currentIndex() <= 0 ? QString() : hardware_->currentData().toString(),
                {}};
  for (const More& each : asked_)
    if (const QString text = each.text(); !text.isEmpty()) out.asked[each.key] = text;
  return out;
}

void HloOptionsForm::setChoice(const HloChoice& choice) {
  if (choice == this->choice()) return;
  {
    const QSignalBlocker all[] = {QSignalBlocker(devices_), QSignalBlocker(einsum_),
                                  QSignalBlocker(propagate_)};
    devices_->setValue(choice.devices);
    dialect_->setCurrentText(choice.dialect);
    einsum_->setText(choice.windowed_einsum);
    loop_->setCurrentIndex(std::clamp(choice.loop, 0, loop_->count() - 1));
    propagate_->setChecked(choice.propagate);
    for (const More& each : asked_) {
      const auto text = choice.asked.find(each.key);
      each.setText(text == choice.asked.end() ? QString() : text->second);
    }
    hardware_->setCurrentIndex(choice.hardware.isEmpty() ? 0
                                                         : std::max(hardware_->findData(choice.hardware), 0));
  }
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
