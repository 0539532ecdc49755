// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFormLayout>
#include <QWidget>

#include "app/window/settings/settings.h"

namespace shardscope::inline window {

// One section of the settings as a form, read from their table. A change counts at once; one made elsewhere
// shows here. The field of a setting has its id as its object name.
class SettingsForm : public QWidget {
  Q_OBJECT
 public:
  SettingsForm(Settings& settings, const QString& section, QWidget* parent = nullptr);

 private:
  QWidget* makeField(const Setting& row);
  QWidget* makeChoice(const Setting& row);
  QWidget* makeNumber(const Setting& row);
  QWidget* makeText(const Setting& row);
  QWidget* makeForget(const Setting& row);

  Settings& settings_;
};

}  // namespace shardscope::inline window
