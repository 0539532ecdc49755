// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLayout>
#include <vector>

namespace shardscope::inline window {

// Widgets from left to right, on further lines when one is full: forms that must do with any width.
class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent, int spacing = 6);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override;  // of the widest widget
  void setGeometry(const QRect& rect) override;

 private:
  int place(const QRect& rect, bool move) const;  // the height that it takes

  std::vector<QLayoutItem*> items_;
};

}  // namespace shardscope::inline window
