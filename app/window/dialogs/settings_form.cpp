// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/settings_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

// `show` now, and whenever the setting changes.
template <class Field, class Show>
void follow(Settings& settings, const QString& id, Field* field, Show show) {
  const auto read = [&settings, id, field, show] { show(field, settings.value(id)); };
  QObject::connect(&settings, &Settings::changed, field, [id, read](const QString& changed) {
    if (changed == id) read();
  });
  read();
}

}  // namespace

SettingsForm::SettingsForm(Settings& settings, const QString& section, QWidget* parent)
    : QWidget(parent), settings_(settings) {
  auto* form = new QFormLayout(this);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  for (const Setting& row : settings_table()) {
    if (row.section != section || row.title.isEmpty()) continue;
    QWidget* field = makeField(row);
    QWidget* named = field->objectName() == row.id ? field : field->findChild<QWidget*>(row.id);
    named->setToolTip(spoken(row.tip));
    named->setAccessibleName(spoken(row.title));
    named->setAccessibleDescription(spoken(row.tip));
    if (row.first.typeId() == QMetaType::Bool) {
      form->addRow(field);
    } else {
      QLabel* label = form_label(spoken(row.title), this);
      label->setToolTip(spoken(row.tip));
      label->setBuddy(named);
      form->addRow(label, field);
    }
  }
}

QWidget* SettingsForm::makeField(const Setting& row) {
  if (row.remembered) return makeForget(row);
  if (row.choices) return makeChoice(row);
  if (row.first.typeId() == QMetaType::QString) return makeText(row);
  if (row.first.typeId() != QMetaType::Bool) return makeNumber(row);
  auto* box = new QCheckBox(spoken(row.title), this);
  box->setObjectName(row.id);
  follow(settings_, row.id, box, [](QCheckBox* b, const QVariant& value) { b->setChecked(value.toBool()); });
  connect(box, &QCheckBox::toggled, this, [this, id = row.id](bool on) { settings_.set(id, on); });
  return box;
}

QWidget* SettingsForm::makeChoice(const Setting& row) {
  auto* combo = new QComboBox(this);
  combo->setObjectName(row.id);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(12);
  for (const SettingChoice& choice : row.choices()) combo->addItem(spoken(choice.title), choice.value);
  follow(settings_, row.id, combo,
         [](QComboBox* c, const QVariant& value) { c->setCurrentIndex(c->findData(value)); });
  connect(combo, &QComboBox::currentIndexChanged, this,
          [this, combo, id = row.id] { settings_.set(id, combo->currentData()); });
  return combo;
}

QWidget* SettingsForm::makeNumber(const Setting& row) {
  const bool whole = row.first.typeId() == QMetaType::Int;
  auto* field = new QDoubleSpinBox(this);
  field->setObjectName(row.id);
  field->setDecimals(whole ? 0 : 2);
  field->setRange(row.least, row.most);
  field->setSingleStep(row.step);
  field->setKeyboardTracking(false);  // a number that is half typed is none yet
  if (!row.unit.isEmpty()) field->setSuffix(" " + spoken(row.unit));
  follow(settings_, row.id, field,
         [](QDoubleSpinBox* f, const QVariant& value) { f->setValue(value.toDouble()); });
  connect(field, &QDoubleSpinBox::valueChanged, this,
          [this, id = row.id](double value) { settings_.set(id, value); });
  return field;
}

QWidget* SettingsForm::makeText(const Setting& row) {
  auto* both = new QWidget(this);
  auto* field = new QLineEdit(both);
  field->setObjectName(row.id);
  QLabel* refusal = refusal_label(both);
  auto* layout = new QVBoxLayout(both);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(field);
  layout->addWidget(refusal);
  follow(settings_, row.id, field, [](QLineEdit* f, const QVariant& value) {
    if (f->text() != value.toString()) f->setText(value.toString());
  });
  connect(field, &QLineEdit::textEdited, this, [this, field, refusal, &row](const QString& text) {
    const QString reason = row.refusal ? row.refusal(text) : QString();
    mark_invalid(field, refusal, reason);
    if (reason.isEmpty()) settings_.set(row.id, text);
  });
  return both;
}

QWidget* SettingsForm::makeForget(const Setting& row) {
  auto* button = new QPushButton("Forget"_tr, this);
  button->setObjectName(row.id);
  follow(settings_, row.id, button,
         [first = row.first](QPushButton* b, const QVariant& value) { b->setEnabled(value != first); });
  connect(button, &QPushButton::clicked, this, [this, id = row.id] { settings_.reset(id); });
  return button;
}

}  // namespace shardscope::inline window
