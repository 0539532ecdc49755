// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/preferences_dialog.h"

#include <QDialogButtonBox>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/window/dialogs/settings_form.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

PreferencesDialog::PreferencesDialog(Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      preferences_(preferences),
      sections_(new QListWidget(this)),
      pages_(new QStackedWidget(this)),
      keys_page_(new KeysPage(preferences.keys(), this)) {
  setWindowTitle("Preferences"_tr);
  explained_by(this, "preferences");
  sections_->setAccessibleName("Sections"_tr);
  for (const SettingSection& section : setting_sections()) {
    auto* item = new QListWidgetItem(spoken(section.title), sections_);
    item->setToolTip(spoken(section.about));
    item->setData(Qt::UserRole, section.id);
    pages_->addWidget(makePage(section.id));
  }
  sections_->setFixedWidth(fontMetrics().averageCharWidth() * 26);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  reset_ = buttons->addButton("&Reset this section"_tr, QDialogButtonBox::ResetRole);
  reset_->setToolTip("Every value of this section as it was before anybody changed it"_tr);
  auto* across = new QHBoxLayout;
  across->addWidget(sections_);
  across->addWidget(pages_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(across, 1);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(reset_, &QPushButton::clicked, this, [this] {
    preferences_.settings().resetSection(sections_->currentItem()->data(Qt::UserRole).toString());
  });
  connect(sections_, &QListWidget::currentRowChanged, pages_, &QStackedWidget::setCurrentIndex);
  sections_->setCurrentRow(0);
  const QSize wanted(fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 34);
  const QSize room = parent != nullptr ? parent->size() : screen()->availableSize();
  resize(wanted.boundedTo(room * 0.95));
}

// Under a heading; where it has no room it scrolls.
QWidget* PreferencesDialog::makePage(const QString& section) {
  auto* page = new QWidget(pages_);
  auto* layout = new QVBoxLayout(page);
  for (const SettingSection& each : setting_sections()) {
    if (each.id == section) layout->addWidget(heading_label(spoken(each.about), page));
  }
  if (section == "keys") {
    layout->addWidget(keys_page_, 1);
    return page;
  }
  auto* area = new QScrollArea(page);
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(new SettingsForm(preferences_.settings(), section));
  layout->addWidget(area, 1);
  return page;
}

void PreferencesDialog::showSection(const QString& id) {
  for (int row = 0; row < sections_->count(); ++row) {
    if (sections_->item(row)->data(Qt::UserRole) == id) sections_->setCurrentRow(row);
  }
}

PreferencesDialog* show_preferences(Preferences& preferences, QWidget* window, const QString& section) {
  auto* dialog = window->findChild<PreferencesDialog*>();
  if (dialog == nullptr) dialog = new PreferencesDialog(preferences, window);
  if (!section.isEmpty()) dialog->showSection(section);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  return dialog;
}

}  // namespace shardscope::inline window
