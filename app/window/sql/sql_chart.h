// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QWidget>

#include "app/window/widgets/picture_canvas.h"
#include "engine/trace/workspace.h"
#include "views/scene/charts/query_chart.h"

namespace shardscope::inline window {

// A query's answer as a picture: two of its columns as bars, a line or dots.
class SqlChart : public QWidget {
  Q_OBJECT
 public:
  explicit SqlChart(QWidget* parent = nullptr);
  // `x`, `y`: columns to begin with; those that the answer lacks are chosen by what they hold.
  void setAnswer(const QueryResult& answer, const QString& x, const QString& y);
  PictureCanvas* canvas() { return canvas_; }
  QComboBox* kind() { return kind_; }
  QComboBox* x() { return x_; }
  QComboBox* y() { return y_; }
  const QueryChart& chart() const { return chart_; }
  void setTheme(const Theme& theme) { canvas_->setTheme(theme); }

 private:
  void draw();

  QueryResult answer_;
  QueryChart chart_;
  QComboBox *kind_, *x_, *y_;
  PictureCanvas* canvas_;
};

}  // namespace shardscope::inline window
