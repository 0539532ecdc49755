// SPDX-License-Identifier: Apache-2.0
// What the window keeps between starts, in one table. The preferences, the code that reads a value, and the
// tests that change each are read from it: a new setting is a row.
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QVariant>
#include <functional>
#include <vector>

namespace shardscope::inline window {

struct SettingChoice {
  QString value, title;
};

struct Setting {
  QString id;       // its name in the settings file
  QString section;  // of the preferences; empty: kept, but nothing to choose
  QString title = {}, tip = {};
  QVariant first = {};                                 // before anybody changed it; its type is the setting's
  double least = 0, most = 0, step = 0;                // of a number
  QString unit = {};                                   // behind a number
  std::function<QList<SettingChoice>()> choices = {};  // of a text that is one of these
  std::function<QString(const QString&)> refusal = {};  // of a text: why it cannot be; empty: it can
  bool remembered = false;                              // by the window itself: one can only let it forget
};

struct SettingSection {
  QString id, title, about;
};

const std::vector<SettingSection>& setting_sections();
const std::vector<Setting>& settings_table();
const Setting* find_setting(const QString& id);  // null: there is none

// The values. Every id is one of the table's.
class Settings : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  QVariant value(const QString& id) const;  // of the setting's type; a number within its bounds
  void set(const QString& id, const QVariant& value);
  void setForThisStart(const QString& id, const QVariant& value);  // not kept: command line and tests
  bool isFirst(const QString& id) const;                           // nobody has changed it
  void reset(const QString& id);
  void resetSection(const QString& section);

 Q_SIGNALS:
  void changed(const QString& id);

 private:
  QHash<QString, QVariant> this_start_;
};

}  // namespace shardscope::inline window
