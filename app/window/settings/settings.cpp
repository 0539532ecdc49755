// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/settings.h"

#include <QSettings>
#include <algorithm>

#include "engine/base/check.h"

namespace shardscope::inline window {
namespace {

QVariant bounded(const Setting& row, QVariant value) {
  if (!value.convert(row.first.metaType())) return row.first;
  const int type = row.first.typeId();
  if (type == QMetaType::Double) return std::clamp(value.toDouble(), row.least, row.most);
  if (type == QMetaType::Int)
    return std::clamp(value.toInt(), static_cast<int>(row.least), static_cast<int>(row.most));
  if (row.refusal && !row.refusal(value.toString()).isEmpty()) return row.first;
  if (!row.choices) return value;
  const QList<SettingChoice> all = row.choices();
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const SettingChoice& c) { return c.value == value; });
  return known ? value : row.first;
}

const Setting& row_of(const QString& id) {
  const Setting* row = find_setting(id);
  CHECK(row != nullptr, id.toStdString());
  return *row;
}

}  // namespace

const Setting* find_setting(const QString& id) {
  const auto& rows = settings_table();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Setting& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

QVariant Settings::value(const QString& id) const {
  const Setting& row = row_of(id);
  const auto now = this_start_.find(id);
  return bounded(row, now != this_start_.end() ? *now : QSettings().value(id, row.first));
}

void Settings::set(const QString& id, const QVariant& value) {
  const QVariant before = this->value(id), after = bounded(row_of(id), value);
  this_start_.remove(id);
  QSettings().setValue(id, after);
  if (before != after) Q_EMIT changed(id);
}

void Settings::setForThisStart(const QString& id, const QVariant& value) {
  this_start_[id] = bounded(row_of(id), value);
}

bool Settings::isFirst(const QString& id) const {
  return value(id) == row_of(id).first;
}

void Settings::reset(const QString& id) {
  const QVariant before = value(id);
  this_start_.remove(id);
  QSettings().remove(id);
  if (before != value(id)) Q_EMIT changed(id);
}

void Settings::resetSection(const QString& section) {
  for (const Setting& row : settings_table()) {
    if (row.section == section) reset(row.id);
  }
}

}  // namespace shardscope::inline window
