// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/text_pair.h"

#include "app/window/text/line_view.h"

namespace shardscope::inline window {
namespace {

constexpr int kLeastColumns = 62;  // of a text beside another
constexpr float kLinkWidth = 44;   // pixels at 100 %

}  // namespace

TextPair::TextPair(QWidget* left, LineLinkCanvas* links, QWidget* right)
    : left_(left), links_(links), right_(right) {}

void TextPair::setTheme(const Theme& theme) {
  links_->setTheme(theme);
  links_->setFixedWidth(static_cast<int>(kLinkWidth * theme.scale));
  least_width_ = width_of_columns(kLeastColumns, theme);
}

bool TextPair::fit(QGridLayout& grid, int width, bool left_alone) {
  const bool both = width >= 2 * least_width_ + links_->width();
  const bool left = both || left_alone, right = both || !left_alone;
  grid.setColumnStretch(0, left ? 1 : 0);
  grid.setColumnStretch(2, right ? 1 : 0);
  left_->setVisible(left);
  right_->setVisible(right);
  links_->setVisible(both);
  return both;
}

}  // namespace shardscope::inline window
