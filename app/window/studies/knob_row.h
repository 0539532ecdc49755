// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSlider>

namespace shardscope::inline window {

// A factor from ×0.1 to ×10 on a log slider, and a field beside it that takes any of them. The wheel scrolls
// the form and changes nothing.
class KnobRow : public QWidget {
  Q_OBJECT
 public:
  KnobRow(const QString& label, const QString& tip, QWidget* parent = nullptr);
  QString text() const;  // "x2", "0"; empty: as it is; a number from 0.01 to 1000 is a factor
  void setText(const QString& text);
  void reset() { setText(""); }
  QSlider* slider() { return slider_; }
  QLineEdit* field() { return field_; }

 Q_SIGNALS:
  void changed();

 private:
  void slid(int place);
  void typed();

  QSlider* slider_;
  QLineEdit* field_;
};

}  // namespace shardscope::inline window
