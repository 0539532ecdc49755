// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>

#include "app/window/dialogs/preset_pictures.h"
#include "engine/session/preset_catalogue.h"

namespace shardscope::inline window {

// The built-in experiments as pictures, narrowed by topic, size, paper and words; beside them what the chosen
// one is and what to look at. Enter opens it.
class PresetBrowser : public QDialog {
  Q_OBJECT
 public:
  explicit PresetBrowser(const Theme& theme, QWidget* parent = nullptr);
  QLineEdit* search() { return search_; }
  QComboBox* topic() { return topic_; }
  QComboBox* sizes() { return size_; }
  QCheckBox* paper() { return paper_; }
  QListWidget* list() { return list_; }
  QLabel* about() { return about_; }
  PresetPictures& pictures() { return pictures_; }
  void setTheme(const Theme& theme);

 Q_SIGNALS:
  void opened(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeFilters();
  void narrow();
  void tell();
  void showPicture(const QString& name);
  void openChosen();

  QLineEdit* search_;
  QComboBox *topic_, *size_;
  QCheckBox* paper_;
  QLabel *count_, *about_;
  QListWidget* list_;
  QPushButton* open_;
  PresetPictures pictures_;
};

}  // namespace shardscope::inline window
