// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

#include "app/window/document/narrator.h"

namespace shardscope {

// In the status bar: what happens at the clock's moment, as far as it fits; its tip says all of it.
class SentenceLine : public QLabel {
 public:
  SentenceLine(Clock& clock, const Preferences& preferences, QWidget* parent);
  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();

  Narrator narrator_;
};

}  // namespace shardscope
