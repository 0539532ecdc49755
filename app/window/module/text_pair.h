// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QGridLayout>

#include "app/window/module/hlo_canvases.h"

namespace shardscope::inline window {

constexpr size_t kMostLinks = 400;  // between two texts

// Two texts in columns 0 and 2 of a grid with the lines that link them in column 1; one text alone where both
// would be too narrow to read.
class TextPair {
 public:
  TextPair(QWidget* left, LineLinkCanvas* links, QWidget* right);
  void setTheme(const Theme& theme);
  // Shows both in `width` pixels, or where there is no room the left one or the right one. Returns whether
  // both have room.
  bool fit(QGridLayout& grid, int width, bool left_alone);

 private:
  QWidget* left_;
  LineLinkCanvas* links_;
  QWidget* right_;
  int least_width_ = 0;  // of a text beside another
};

}  // namespace shardscope::inline window
