// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/narrator.h"
#include "app/window/widgets/fitted_label.h"

namespace shardscope {

// In the status bar: what happens at the clock's moment.
class SentenceLine : public FittedLabel {
 public:
  SentenceLine(Clock& clock, const Preferences& preferences, QWidget* parent);

 private:
  Narrator narrator_;
};

}  // namespace shardscope
