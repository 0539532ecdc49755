// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QHash>
#include <QJsonObject>
#include <QMenu>
#include <QObject>
#include <QTableView>
#include <map>

namespace shardscope::inline window {

// Which columns of a table over a RunsList are shown, in which order, how wide and sorted by which: chosen in
// a menu, by dragging headers, and kept as a value.
class RunsColumns : public QObject {
  Q_OBJECT
 public:
  explicit RunsColumns(QTableView* view);
  QJsonObject state() const;
  void restore(const QJsonObject& state);  // columns that it does not name are as at first
  QMenu* menu(QWidget* parent);            // a new one; its owner lets it go
  // As wide as their texts, or as their user made them; rows as high as the font.
  void fit(double scale);
  void fit() { fit(scale_); }

 Q_SIGNALS:
  void changed();

 private:
  enum class Weight { plain, bold };
  int widthOf(const QString& text, Weight weight);
  int widest(int column, int around);
  int aroundText();

  QTableView* view_;
  std::map<int, int> widths_;  // of columns that their user made so, in pixels at 100 %
  double scale_ = 1;
  bool fitting_ = false;
  QFont measured_font_;
  QHash<QString, int> measured_[2];  // widths of texts in that font, by Weight
};

}  // namespace shardscope::inline window
