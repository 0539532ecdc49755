// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QStringList>
#include <optional>

#include "engine/story/sentences.h"
#include "views/scene/core/theme.h"

namespace shardscope {

// What the settings keep of one part of the window under a name of its own.
QJsonObject kept_setting(const QString& name);
void keep_setting(const QString& name, const QJsonObject& state);

// How the window looks and what it remembers between starts (QSettings). One look for widgets and canvases.
class Preferences : public QObject {
  Q_OBJECT
 public:
  explicit Preferences(QObject* parent = nullptr);

  bool dark() const { return dark_; }
  double scale() const { return scale_; }  // 1 to 3
  bool reduceMotion() const { return reduce_motion_; }
  Theme theme() const;
  QStringList recentFiles() const;
  QStringList recentCommands() const;                     // ids, the last chosen first
  QString kernel() const;                                 // what the kernel dock showed last
  QJsonObject pages() const;                              // DockArea::state()
  SentenceLevel sentences() const { return sentences_; }  // what is said of a moment
  bool playsInTime() const { return plays_in_time_; }     // in proportion to time, not a beat a second
  QString language() const;  // an id of languages(); a change is seen from the next start

  void setDark(bool dark);
  void setScale(double scale);
  void setReduceMotion(bool on);
  void setSentences(SentenceLevel level);
  void setPlaysInTime(bool on);
  void addRecentFile(const QString& path);
  void addRecentCommand(const QString& id);
  void setKernel(const QString& choice);
  void setPages(const QJsonObject& state);
  // For this start only, not remembered: command line and tests.
  void overrideLook(std::optional<bool> dark, std::optional<double> scale);
  void apply() const;  // palette, style sheet and font of the application

 Q_SIGNALS:
  void lookChanged();
  void tellingChanged();  // sentences, or the pace of playing

 private:
  bool dark_ = false;
  double scale_ = 1;
  bool reduce_motion_ = false;
  SentenceLevel sentences_ = SentenceLevel::idea;
  bool plays_in_time_ = false;
};

}  // namespace shardscope
