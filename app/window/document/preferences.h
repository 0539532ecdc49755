// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QObject>
#include <optional>

#include "app/window/settings/key_map.h"
#include "app/window/settings/view_key_filter.h"
#include "engine/story/sentences.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

QString style_sheet(const Theme& theme);  // of Qt's widgets, at the theme's scale

// The settings as the window asks for them (settings.h has the table), the keys, and the look that widgets
// and canvases share.
class Preferences : public QObject {
  Q_OBJECT
 public:
  explicit Preferences(QObject* parent = nullptr);

  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  KeyMap& keys() { return keys_; }

  bool dark() const { return settings_.value("dark").toBool(); }
  double scale() const { return settings_.value("scale").toDouble(); }  // 1 to 3
  bool reduceMotion() const { return settings_.value("reduce_motion").toBool(); }
  Theme theme() const;
  SentenceLevel sentences() const;                                                // what is said of a moment
  bool playsInTime() const { return settings_.value("plays_in_time").toBool(); }  // not a beat a second
  QString language() const { return settings_.value("language").toString(); }     // seen from the next start
  // What a part of the window remembers by itself, under its row of the table: "pages", "sql", …
  QJsonObject kept(const QString& id) const;
  void keep(const QString& id, const QJsonObject& state);

  void setDark(bool dark) { settings_.set("dark", dark); }
  void setScale(double scale) { settings_.set("scale", scale); }
  void setReduceMotion(bool on) { settings_.set("reduce_motion", on); }
  void setSentences(SentenceLevel level) { settings_.set("sentences", QString(name(level))); }
  void setPlaysInTime(bool on) { settings_.set("plays_in_time", on); }
  void addRecent(const QString& list, const QString& latest);  // of the settings that are lists, in front
  void addRecentFile(const QString& path) { addRecent("recent_files", path); }
  // For this start only, not remembered: command line and tests.
  void overrideLook(std::optional<bool> dark, std::optional<double> scale);
  void apply() const;  // palette, style sheet and font of the application

 Q_SIGNALS:
  void lookChanged();
  void tellingChanged();  // sentences, or the pace of playing
  void limitsChanged();   // of memory and journal

 private:
  Settings settings_;
  KeyMap keys_{settings_};
  ViewKeyFilter view_keys_{keys_};
};

// Font and palette alone: what widgets measure themselves by while they are made. Dressing each of them in
// the style sheet as it is put into its parent costs a fifth of the start; Preferences::apply() then dresses
// them once.
void apply_font(const Theme& theme);

}  // namespace shardscope::inline window
