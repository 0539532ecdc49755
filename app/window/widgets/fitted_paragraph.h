// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/widgets/fitted_label.h"

namespace shardscope::inline window {

// The same in whole lines, as high as they are: as many words as the allowed lines hold, then "…".
class FittedParagraph : public FittedLabel {
 public:
  explicit FittedParagraph(QWidget* parent);
  // Takes the height of all lines of the text, of `most` at most.
  void showLines(int most);
  int linesIn(int height) const;  // that a label of that height shows, at least one

 protected:
  void changeEvent(QEvent* event) override;
  void fit() override;

 private:
  int lineHeight() const;
  int padding() const { return height() - contentsRect().height(); }  // of its style

  int most_ = 1;
};

}  // namespace shardscope::inline window
