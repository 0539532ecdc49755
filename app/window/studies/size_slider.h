// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QSlider>
#include <QWidget>
#include <cstdint>

namespace shardscope::inline window {

// A size of a product on a slider of powers of two, with its number beside it. The wheel scrolls the form
// and changes nothing.
class SizeSlider : public QWidget {
  Q_OBJECT
 public:
  SizeSlider(const QString& name, const QString& tip, QWidget* parent = nullptr);
  int64_t size() const { return size_; }
  void setSize(int64_t size);  // any; the slider stands at the nearest place, and tells nothing
  QSlider* slider() { return slider_; }

 Q_SIGNALS:
  void moved();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fit();  // widths by the font
  QSlider* slider_;
  QLabel* number_;
  int64_t size_ = 1;
};

}  // namespace shardscope::inline window
