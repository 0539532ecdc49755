// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/theme.h"

#include <gtest/gtest.h>

namespace shardscope::theme_test {
namespace {

const Theme kThemes[] = {light_theme(), dark_theme()};

TEST(Theme, TextReadsOnItsGrounds) {
  for (const Theme& t : kThemes) {
    for (const Color ground : {t.background, t.panel}) {
      for (const Color text : {t.text, t.muted_text, t.warning}) EXPECT_GE(contrast(text, ground), 4.5);
    }
  }
}

TEST(Theme, TextOnAnyFillReads) {
  for (const Theme& t : kThemes) {
    for (int n : {8, 64}) {
      for (int i = 0; i < n; ++i)
        EXPECT_GE(contrast(text_on(t, identity_color(t, i, n)), identity_color(t, i, n)), 4.5);
    }
    for (int axis = 0; axis < 6; ++axis) {
      for (int direction : {1, -1})
        EXPECT_GE(contrast(text_on(t, axis_color(t, axis, direction)), axis_color(t, axis, direction)), 4.5);
    }
    for (int i = 0; i <= 20; ++i) EXPECT_GE(contrast(text_on(t, cividis(i / 20.0)), cividis(i / 20.0)), 4.5);
    for (const Color fill : {t.compute, t.copy}) EXPECT_GE(contrast(text_on(t, fill), fill), 4.5);
  }
}

TEST(Theme, YellowOnWhiteIsAmber) {
  EXPECT_EQ(identity_color(light_theme(), 3, 8), (Color{0xF5, 0xC7, 0x10}));
  EXPECT_EQ(identity_color(dark_theme(), 3, 8), (Color{0xF0, 0xE4, 0x42}));
}

TEST(Theme, ContrastIsWcags) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
  EXPECT_NEAR(contrast({0x77, 0x77, 0x77}, {255, 255, 255}), 4.48, 0.01);
}

TEST(Theme, CividisGrowsBrighter) {
  double last = 0;
  for (int i = 0; i <= 40; ++i) {
    const double now = contrast(cividis(i / 40.0), {0, 0, 0});
    EXPECT_GT(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace shardscope::theme_test
