// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QSplitter>
#include <QTimer>
#include <array>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/studies/size_slider.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/session/atlas/atlas_crossovers.h"
#include "views/scene/charts/atlas.h"

namespace shardscope::inline window {

// Every sharding of one product's three arrays as a heat map. Sliders of m, k and n time all of them again; a
// click on a place draws how its ways cross over as one of the sizes grows, a double click opens it as a
// module.
class AtlasPanel : public QWidget {
  Q_OBJECT
 public:
  explicit AtlasPanel(QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  QLineEdit* mesh() { return mesh_; }
  QLineEdit* sizes() { return sizes_; }
  SizeSlider* slider(size_t size) { return sliders_[size]; }  // of m, k, n
  QComboBox* pin(size_t array) { return pins_[array]; }       // of X, W, Y
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  const std::shared_ptr<const Atlas>& result() const { return result_; }
  const std::shared_ptr<const Atlas>& first() const { return first_; }  // that rings compare with
  bool busy() const { return job_->busy() || crossing_; }
  void run();  // of what is typed, from which sliders then go away

 Q_SIGNALS:
  void moduleRequested(const QString& text, const QString& name);

 private:
  void layOut();
  void connectParts();
  Result<AtlasQuestion> question() const;
  QComboBox* choice(const QString& name, const QStringList& words);
  AtlasView view() const;
  void start(bool anew);
  void take(const AtlasQuestion& question, const Result<Atlas>& made, bool anew);
  void fillPins();
  void draw();
  const AtlasTriple* at(const ItemId& item) const;  // null: no place
  void open(const ItemId& item);
  void cross(const ItemId& item);

  QLineEdit *mesh_, *sizes_, *chip_;
  std::array<SizeSlider*, 3> sliders_;
  QComboBox *of_, *who_, *along_;
  std::array<QComboBox*, 3> pins_;
  JobBar* job_;
  QSplitter* pictures_;
  PictureCanvas *chart_, *curves_;
  QTimer pause_;
  AtlasQuestion asked_;  // of the result
  std::vector<std::string> specs_;
  std::shared_ptr<const Atlas> result_, first_;
  std::optional<AtlasLine> line_;  // that is drawn, or being timed
  bool crossing_ = false;
  Background work_, lines_;  // last: their threads end first
};

}  // namespace shardscope::inline window
