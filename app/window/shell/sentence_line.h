// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/document/moments.h"
#include "app/window/widgets/fitted_label.h"

namespace shardscope::inline window {

// In the status bar: what happens at the moment of the picture in front.
class SentenceLine : public FittedLabel {
 public:
  SentenceLine(const Transport& transport, QWidget* parent);
};

}  // namespace shardscope::inline window
