// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/session/atlas/atlas.h"
#include "views/scene/charts/atlas.h"

namespace shardscope {

// Every sharding of one product's three arrays as a heat map. A double click opens a triple as a module.
class AtlasPanel : public QWidget {
  Q_OBJECT
 public:
  explicit AtlasPanel(QWidget* parent = nullptr);
  void setTheme(const Theme& theme) { chart_->setTheme(theme); }
  QLineEdit* mesh() { return mesh_; }
  QLineEdit* sizes() { return sizes_; }
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  const std::shared_ptr<const Atlas>& result() const { return result_; }
  void run();

 Q_SIGNALS:
  void moduleRequested(const QString& text, const QString& name);

 private:
  Result<AtlasQuestion> question() const;
  QComboBox* choice(const QString& name, const QStringList& words);
  AtlasView view() const;
  void draw();
  QStringList words(const ItemId& item) const;
  void open(const ItemId& item);

  QLineEdit *mesh_, *sizes_, *chip_;
  QComboBox *of_, *who_, *result_choice_;
  JobBar* job_;
  PictureCanvas* chart_;
  AtlasQuestion asked_;  // of the result
  std::vector<std::string> specs_;
  std::shared_ptr<const Atlas> result_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope
