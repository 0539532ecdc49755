// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <functional>

#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

QJsonObject to_json(const RowChoice& rows);
RowChoice read_rows(const QJsonObject& in);  // what is missing or of another kind keeps its default

// Which rows a timeline shows, how high, and where it stands among them: the field that filters them, the
// bar that scrolls them, the wheel over their heads, their keys and their part of the context menu.
class RowControl : public QObject {
  Q_OBJECT
 public:
  RowControl(RunCanvas& canvas, Clock& clock, TimelineViewport& viewport);

  const RowChoice& choice() const { return viewport_.rows; }
  QLineEdit* field() const { return field_; }
  void restored();     // the viewport was set from outside
  void runReplaced();  // of another mesh: what was chosen of the old one is let go
  QString tooltip(const ItemId& item) const;
  bool clicked(const ItemId& item);  // it was a head or a moment of the counts
  void fillMenu(QMenu& menu, const ItemId& at);

  bool key(const QKeyEvent& event);  // it was one of the rows' keys

  void edit(const std::function<void(RowChoice&)>& how);
  void editFilter();                            // the field has the focus
  Result<void> setFilter(const QString& text);  // refused: the rows stay
  void hideRow(int32_t device = -1);            // -1: the device that is selected, else pointed at
  void pinRow(int32_t device = -1);             // and back
  void foldRow(int32_t device = -1);            // the group that it is in, and back
  static constexpr double kStretch = 1.25;      // of a notch of the wheel or of a key
  void stretchRows(double factor, float at_y = 0);
  void scrollBy(float by);
  void collapse(bool on);

 Q_SIGNALS:
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  bool wheel(const QWheelEvent& event);
  std::optional<TimelinePlaces> places() const;

  RunCanvas& canvas_;
  Clock& clock_;
  TimelineViewport& viewport_;
  Mesh mesh_;
  QLineEdit* field_;
  QLabel* refusal_;
  QScrollBar* bar_;
};

}  // namespace shardscope::inline window
