// SPDX-License-Identifier: Apache-2.0
// The rows of the timeline by field, keys, wheel and menu.
#include <QTest>
#include <QWheelEvent>

#include "tests/app/window_fixture.h"

namespace shardscope::rows_test {
namespace {

class RowsTest : public TimelineTest {
 protected:
  const RowChoice& rows() { return timeline->rows().choice(); }
  TimelinePlaces places() {
    return timeline_places(clock().shown()->input(), timeline->viewport(), timeline->canvas());
  }
  void selectDevice(int32_t device) {
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = device;
    clock().select(item);
  }
  void wheelOverHeads(int notches, Qt::KeyboardModifiers keys) {
    const TimelinePlaces at = places();
    const QPointF point(at.heads.x + 5, at.scrolled.y + std::min(10.0F, at.scrolled.h / 2));
    QWheelEvent event(point, timeline->mapToGlobal(point), {}, {0, 120 * notches}, Qt::NoButton, keys,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(timeline, &event);
  }
  bool says(const std::string& what) {
    return std::ranges::any_of(timeline->scene().accessible(),
                               [&](const AccessibleItem& a) { return a.name.starts_with(what); });
  }
};

TEST_F(RowsTest, LGoesToTheFieldThatFilters) {
  timeline->rows().collapse(false);
  QTest::keyClick(timeline, Qt::Key_L);
  QLineEdit* field = timeline->rows().field();
  ASSERT_TRUE(field->hasFocus());
  QTest::keyClicks(field, "row=1 col=2");
  EXPECT_EQ(rows().filter, "row=1 col=2");
  EXPECT_TRUE(says("device (1,2)"));
  EXPECT_FALSE(says("device (0,0)"));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(timeline->hasFocus());
}

TEST_F(RowsTest, WhatIsMalformedIsRefusedInPlaceAndTheRowsStay) {
  QLineEdit* field = timeline->rows().field();
  field->setFocus();
  QTest::keyClicks(field, "row=1");
  QTest::keyClicks(field, "7");
  EXPECT_EQ(rows().filter, "row=1");
  QLabel* reason = nullptr;
  for (QLabel* label : timeline->findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains("row 17 is not there")) reason = label;
  ASSERT_NE(reason, nullptr);
  QTest::keyClick(field, Qt::Key_Escape);
  EXPECT_FALSE(reason->isVisible());
  EXPECT_EQ(field->text(), "row=1");
  EXPECT_TRUE(timeline->hasFocus());
}

TEST_F(RowsTest, PlusAndMinusAndCtrlWheelStretchTheRows) {
  const float before = places().row_height;
  QTest::keyClick(timeline, Qt::Key_Plus);
  EXPECT_GT(places().row_height, before);
  QTest::keyClick(timeline, Qt::Key_Minus);
  EXPECT_NEAR(places().row_height, before, 0.5);
  wheelOverHeads(-40, Qt::ControlModifier);
  EXPECT_EQ(places().row_height, 1);
  wheelOverHeads(3, Qt::ControlModifier);
  EXPECT_GT(places().row_height, 1);
}

TEST_F(RowsTest, TheWheelOverTheHeadsScrollsAndOverTheLanesZooms) {
  timeline->rows().collapse(false);
  const TimeRange before = timeline->axis().range;
  wheelOverHeads(-2, Qt::NoModifier);
  EXPECT_GT(timeline->viewport().scroll_y, 0);
  EXPECT_EQ(timeline->axis().range, before);
  const QPointF point(timeline->axis().left + 50, places().scrolled.y + 10);
  QWheelEvent event(point, timeline->mapToGlobal(point), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(timeline, &event);
  EXPECT_LT(timeline->axis().range.length(), before.length());
}

TEST_F(RowsTest, ShiftHomeShowsAllRows) {
  timeline->rows().collapse(false);
  QTest::keyClick(timeline, Qt::Key_Home, Qt::ShiftModifier);
  EXPECT_LE(places().content, places().scrolled.h + 0.1F);
  for (const char* device : {"device (0,0)", "device (1,3)"}) EXPECT_TRUE(says(device)) << device;
}

TEST_F(RowsTest, KeysHidePinGroupFoldAndShowAll) {
  timeline->rows().collapse(false);
  QTest::keyClick(timeline, Qt::Key_Home, Qt::ShiftModifier);
  selectDevice(5);
  QTest::keyClick(timeline, Qt::Key_H);
  EXPECT_EQ(rows().hidden, std::vector<int32_t>{5});
  EXPECT_FALSE(says("device (1,1)"));
  selectDevice(6);
  QTest::keyClick(timeline, Qt::Key_P);
  EXPECT_TRUE(says("device (1,2), pinned"));
  QTest::keyClick(timeline, Qt::Key_G);
  EXPECT_EQ(rows().group, "row");
  EXPECT_TRUE(says("row=1, 2 devices, unfolded"));
  QTest::keyClick(timeline, Qt::Key_X, Qt::ShiftModifier);
  EXPECT_TRUE(says("row=1, 2 devices, folded"));
  QTest::keyClick(timeline, Qt::Key_X, Qt::ShiftModifier);
  QTest::keyClick(timeline, Qt::Key_X);
  EXPECT_EQ(rows().folded, std::vector<int64_t>{1});
  QTest::keyClick(timeline, Qt::Key_H, Qt::ShiftModifier);
  EXPECT_TRUE(says("device (1,1)"));
  EXPECT_TRUE(rows().group.empty());
}

TEST_F(RowsTest, CShowsHowManyDevicesDoWhat) {
  EXPECT_FALSE(says("how many devices do what"));
  QTest::keyClick(timeline, Qt::Key_C);
  EXPECT_TRUE(says("how many devices do what; now "));
  QTest::keyClick(timeline, Qt::Key_C);
  EXPECT_FALSE(says("how many devices do what"));
}

TEST_F(RowsTest, AClickOnAHeadFoldsItsGroup) {
  timeline->rows().edit([](RowChoice& r) { r.group = "row"; });
  const AccessibleItem head = *std::ranges::find_if(
      timeline->scene().accessible(), [](const AccessibleItem& a) { return a.name.starts_with("row=0"); });
  QTest::mouseClick(timeline, Qt::LeftButton, Qt::NoModifier,
                    {static_cast<int>(head.rect.x + 30), static_cast<int>(head.rect.y + head.rect.h / 2)});
  EXPECT_EQ(rows().folded, std::vector<int64_t>{0});
}

TEST_F(RowsTest, TheMenuOffersWhatTheKeysDo) {
  QMenu menu;
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = 3;
  timeline->rows().fillMenu(menu, item);
  const auto act = [&](const QString& begin) {
    for (QAction* action : menu.actions())
      if (action->text().startsWith(begin)) return action->trigger(), true;
    return false;
  };
  EXPECT_TRUE(act("Pin the row of (0,3)"));
  EXPECT_EQ(rows().pinned, std::vector<int32_t>{3});
  EXPECT_TRUE(act("Hide the row of (0,3)"));
  EXPECT_EQ(rows().hidden, std::vector<int32_t>{3});
  EXPECT_TRUE(act("Show all rows"));
  EXPECT_EQ(rows(), RowChoice());
}

TEST_F(RowsTest, TheStateOfTheRowsIsGivenBack) {
  timeline->rows().edit([](RowChoice& r) {
    r = {.height = 12,
         .fit = false,
         .filter = "col=1..3",
         .hidden = {2, 6},
         .pinned = {7, 1},
         .group = "row",
         .folded = {1},
         .counts = true};
  });
  const RowChoice before = rows();
  const QJsonObject state = timeline->state();
  timeline->rows().edit([](RowChoice& r) { r = {}; });
  timeline->restore(state);
  EXPECT_EQ(rows(), before);
  EXPECT_EQ(timeline->rows().field()->text(), "col=1..3");
  EXPECT_EQ(read_rows({}), RowChoice());
}

TEST_F(RowsTest, ARunOfTheSameMeshKeepsTheRows) {
  ASSERT_TRUE(timeline->rows().setFilter("row=1").ok());
  showRunOf("meshslice.os");
  EXPECT_EQ(rows().filter, "row=1");
  EXPECT_FALSE(timeline->rows().setFilter("depth=1").ok());
}

}  // namespace
}  // namespace shardscope::rows_test
