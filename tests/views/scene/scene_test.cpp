// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/scene.h"

#include <gtest/gtest.h>

#include "views/scene/core/pattern.h"

namespace shardscope::scene_test {
namespace {

ItemId device(int32_t number) {
  ItemId id;
  id.kind = ItemId::Kind::device;
  id.device = number;
  return id;
}

RectItem box(Rect r, int32_t id) {
  RectItem item;
  item.rect = r;
  item.id = id;
  return item;
}

TEST(Scene, HitGivesTheTopmostItemWithAnId) {
  Scene scene;
  scene.add(box({0, 0, 10, 10}, scene.add_id(device(1))));
  scene.add(box({5, 5, 10, 10}, scene.add_id(device(2))));
  scene.add(box({0, 0, 20, 20}, -1));
  EXPECT_EQ(scene.hit({7, 7})->device, 2);
  EXPECT_EQ(scene.hit({2, 2})->device, 1);
  EXPECT_FALSE(scene.hit({100, 100}).has_value());
}

TEST(Scene, NothingIsHitOutsideOfItsClip) {
  Scene scene;
  scene.push_clip({0, 0, 4, 4});
  scene.add(box({0, 0, 10, 10}, scene.add_id(device(1))));
  scene.pop_clip();
  EXPECT_TRUE(scene.hit({3, 3}).has_value());
  EXPECT_FALSE(scene.hit({6, 6}).has_value());
}

TEST(Scene, ALineIsHitWithinItsSlack) {
  Scene scene;
  scene.add(LineItem{{{0, 0}, {100, 0}}, {}, 2, false, false, scene.add_id(device(3))});
  EXPECT_TRUE(scene.hit({50, 3.5F}).has_value());
  EXPECT_FALSE(scene.hit({50, 5}).has_value());
}

TEST(Scene, AThinRectangleIsHitBesideItUnlessAnotherIsThere) {
  Scene scene;
  scene.add(box({10, 0, 1, 10}, scene.add_id(device(1))));
  EXPECT_EQ(scene.hit({12, 5})->device, 1);
  scene.add(box({11.5F, 0, 5, 10}, scene.add_id(device(2))));
  EXPECT_EQ(scene.hit({12, 5})->device, 2);
}

TEST(Pattern, MarksStayInsideTheirRectangle) {
  for (const Pattern pattern : {Pattern::stripes, Pattern::dots, Pattern::cross, Pattern::zigzag}) {
    RectItem item = box({13, 7, 41, 23}, -1);
    item.pattern = pattern;
    const PatternMarks marks = pattern_marks(item);
    EXPECT_GT(marks.lines.size() + marks.dots.size(), 0U);
    const Rect around = item.rect.inset(-0.01F);
    for (const auto& [a, b] : marks.lines) EXPECT_TRUE(around.contains(a) && around.contains(b));
    for (const Point& p : marks.dots) EXPECT_TRUE(around.contains(p));
  }
}

}  // namespace
}  // namespace shardscope::scene_test
