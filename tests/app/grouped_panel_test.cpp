// SPDX-License-Identifier: Apache-2.0
// Group sizes by typing, dragging and keys; the schedule follows, and undo takes each edit back.
#include "app/window/chip/grouped_panel.h"

#include <QTest>

#include "window_fixture.h"

namespace shardscope::grouped_panel_test {
namespace {

using Sizes = std::vector<int64_t>;

class GroupedPanelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    panel.setTheme(light_theme());
    panel.resize(900, 560);
    panel.show();
    settle();
    type("3, 6, 7");
    panel.tile()->setValue(4);
    ASSERT_EQ(panel.rows().m, 16);
    ASSERT_FALSE(panel.problem()->isVisible());
  }
  void type(const QString& text) {
    panel.sizes()->setFocus();
    panel.sizes()->selectAll();
    QTest::keyClicks(panel.sizes(), text);
  }
  // Where the boundary below group `boundary` can be taken.
  QPoint grip(int64_t boundary) {
    for (const RectItem& r : panel.canvas()->scene().rects()) {
      if (r.id < 0) continue;
      const ItemId& id = panel.canvas()->scene().ids()[static_cast<size_t>(r.id)];
      if (id.kind == ItemId::Kind::handle && id.index == boundary)
        return QPoint(static_cast<int>(r.rect.x + r.rect.w / 2), static_cast<int>(r.rect.y + 4));
    }
    ADD_FAILURE() << "no handle " << boundary;
    return {};
  }
  float rowWidth() {
    const auto schedule = make_group_metadata(panel.rows());
    const GroupedAxis axis = grouped_axis(*schedule, panel.canvas()->canvas());
    return axis.x_of(1) - axis.x_of(0);
  }
  GroupedPanel panel;
};

TEST_F(GroupedPanelTest, DraggingABoundaryIsOneEdit) {
  const int edits = panel.undoStack().index();
  const QPoint from = grip(1);
  const QPoint by(static_cast<int>(rowWidth() * 2), 0);
  QTest::mousePress(panel.canvas(), Qt::LeftButton, {}, from);
  for (int i = 1; i <= 4; ++i) QTest::mouseMove(panel.canvas(), from + by * i / 4);
  QTest::mouseRelease(panel.canvas(), Qt::LeftButton, {}, from + by);
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{5, 4, 7}));
  EXPECT_EQ(panel.sizes()->text(), "5, 4, 7");
  EXPECT_EQ(panel.undoStack().index(), edits + 1);
  panel.undoStack().undo();
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{3, 6, 7}));
}

TEST_F(GroupedPanelTest, KeysChooseAndMoveABoundary) {
  GroupedCanvas* canvas = panel.canvas();
  QTest::keyClick(canvas, Qt::Key_Down);
  QTest::keyClick(canvas, Qt::Key_Down);
  EXPECT_EQ(canvas->boundary(), 2);
  QTest::keyClick(canvas, Qt::Key_Right);
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{3, 7, 6}));
  QTest::keyClick(canvas, Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{3, 3, 10}));
  QTest::keyClick(canvas, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{3, 7, 6}));
  QTest::keyClick(canvas, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(panel.rows().group_sizes, (Sizes{3, 3, 10}));
}

TEST_F(GroupedPanelTest, WhatDoesNotFitIsSaidAndComesBack) {
  type("3, 6, 8");
  EXPECT_TRUE(panel.problem()->isVisible());
  EXPECT_TRUE(panel.problem()->text().contains("17 must be divisible"));
  type("3, x");
  EXPECT_TRUE(panel.problem()->text().contains("'x' is not a group size"));
  type("3, 5");
  EXPECT_FALSE(panel.problem()->isVisible());
  EXPECT_EQ(panel.rows().m, 8);
}

}  // namespace
}  // namespace shardscope::grouped_panel_test
