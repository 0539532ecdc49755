// SPDX-License-Identifier: Apache-2.0
// A chip calibrated in the window.
#include <QTest>
#include <fstream>

#include "tests/app/window_fixture.h"

namespace shardscope::calibration_test {
namespace {

class CalibrationTest : public WindowTest {
 protected:
  // a100's published points, fitted to.
  CalibrationPanel* fitted() {
    CalibrationPanel* panel = window->calibration();
    const TestedWindow::Panel dock = window->showPanel("calibration");
    panel->hardware()->setCurrentText("a100");
    dock.run();
    EXPECT_TRUE(wait_for([&] { return !dock.job->busy(); }));
    settle();
    EXPECT_TRUE(panel->result() != nullptr) << panel->error().toStdString();
    return panel;
  }
  // Whose points, groups or numbers the table lists.
  static int rows(CalibrationPanel* panel, CalibrationPanel::Shown shown) {
    panel->shown()->setCurrentIndex(shown);
    return panel->table()->topLevelItemCount();
  }
  void click(PictureCanvas* chart, const ItemId& item) {
    const Scene& scene = chart->scene();
    for (const AccessibleItem& place : scene.accessible()) {
      if (place.id < 0 || scene.ids()[static_cast<size_t>(place.id)] != item) continue;
      const QPoint at(static_cast<int>(place.rect.x + place.rect.w / 2),
                      static_cast<int>(place.rect.y + place.rect.h / 2));
      return QTest::mouseClick(chart, Qt::LeftButton, {}, at);
    }
    FAIL() << "nothing stands for it";
  }
};

TEST_F(CalibrationTest, ListsEveryPointTheWorstFirst) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  EXPECT_EQ(rows(panel, CalibrationPanel::points), std::ssize(panel->result()->points));
  EXPECT_EQ(rows(panel, CalibrationPanel::groups), std::ssize(panel->result()->groups));
  EXPECT_EQ(rows(panel, CalibrationPanel::parameters), std::ssize(panel->result()->parameters));
  rows(panel, CalibrationPanel::points);
  const auto error = [&](int row) {
    const auto place = static_cast<size_t>(panel->table()->topLevelItem(row)->data(0, Qt::UserRole).toInt());
    const CalibratedPoint& point = panel->result()->points[place];
    return error_of(point.after_s, point.measured_s);
  };
  for (int i = 1; i < panel->table()->topLevelItemCount(); ++i) EXPECT_GE(error(i - 1), error(i));
}

TEST_F(CalibrationTest, FindsAPointOfThePictureInTheTable) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  // The worst one: no other lies over it.
  const int worst = panel->table()->topLevelItem(0)->data(0, Qt::UserRole).toInt();
  panel->table()->setCurrentItem(nullptr);
  click(panel->chart(), {.kind = ItemId::Kind::candidate, .index = worst});
  ASSERT_NE(panel->table()->currentItem(), nullptr);
  EXPECT_EQ(panel->table()->currentItem()->data(0, Qt::UserRole).toInt(), worst);
}

TEST_F(CalibrationTest, ShowsAGroupAloneWhenItsBarsAreClicked) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  const auto& groups = panel->result()->groups;
  const auto matmul = std::ranges::find(groups, "matmul", &CalibratedGroup::group);
  ASSERT_NE(matmul, groups.end());
  click(panel->chart(),
        {.kind = ItemId::Kind::handle, .index = static_cast<int32_t>(matmul - groups.begin())});
  EXPECT_EQ(panel->group()->currentData().toString(), "matmul");
  EXPECT_EQ(panel->table()->topLevelItemCount(), matmul->points);
}

TEST_F(CalibrationTest, FittedChipBecomesTheExperimentsAndUndoTakesItBack) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  ExperimentDocument& document = window->bench().document();
  const std::string before = document.experiment().hardware;
  panel->useButton()->click();
  const auto used = find_hardware(document.experiment().hardware);
  ASSERT_TRUE(used.ok()) << used.error().text();
  EXPECT_EQ(*used, panel->result()->after);
  document.undoStack().undo();
  EXPECT_EQ(document.experiment().hardware, before);
}

TEST_F(CalibrationTest, SaysWhyAFileHoldsNoMeasurements) {
  CalibrationPanel* panel = window->calibration();
  const TestedWindow::Panel dock = window->showPanel("calibration");
  for (const char* path : {"/nowhere/points.csv", SHARDSCOPE_SOURCE_DIR "/CMakeLists.txt"}) {
    panel->file()->setText(path);
    dock.run();
    EXPECT_FALSE(dock.job->busy());
    EXPECT_TRUE(panel->error().contains(QString(path).section('/', -1))) << panel->error().toStdString();
    EXPECT_FALSE(panel->result());
  }
}

TEST_F(CalibrationTest, IsCancelledAndSaysSo) {
  CalibrationPanel* panel = window->calibration();
  const TestedWindow::Panel dock = window->showPanel("calibration");
  panel->hardware()->setCurrentText("h100");
  dock.run();
  ASSERT_TRUE(dock.job->busy());
  Q_EMIT dock.job->cancelRequested();
  ASSERT_TRUE(wait_for([&] { return !dock.job->busy(); }));
  EXPECT_FALSE(panel->result() && dock.job->message().isEmpty());
}

}  // namespace
}  // namespace shardscope::calibration_test
