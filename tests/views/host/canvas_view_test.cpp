// SPDX-License-Identifier: Apache-2.0
#include "views/host/canvas_view.h"

#include <QAccessible>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QThread>
#include <gtest/gtest.h>

#include "views/host/surface.h"

namespace shardscope::canvas_view_test {
namespace {

constexpr Color kRed{200, 0, 0, 255};

// A red square on white with an id and an accessible name, and a record of what was clicked.
class SquareView : public CanvasView {
 public:
  std::vector<ItemId> clicks;

 protected:
  Scene layout(const Canvas& canvas) const override {
    Scene scene;
    scene.width = canvas.width;
    scene.height = canvas.height;
    scene.background = {255, 255, 255, 255};
    ItemId id;
    id.kind = ItemId::Kind::device;
    id.device = 3;
    RectItem square;
    square.rect = {10, 10, 20, 20};
    square.fill = kRed;
    square.id = scene.add_id(id);
    scene.add(square);
    scene.add(TextItem{{100, 50}, "device 3", {0, 0, 0, 255}, 13, Align::left});
    scene.add_accessible({square.rect, square.id, "device 3"});
    return scene;
  }
  void itemClicked(const ItemId& item) override { clicks.push_back(item); }
};

void let_run(int ms) {
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < ms) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QThread::msleep(1);
  }
}

void click(QWidget& widget, QPointF at) {
  for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
    QMouseEvent event(type, at, widget.mapToGlobal(at), Qt::LeftButton,
                      type == QEvent::MouseButtonPress ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &event);
  }
}

class CanvasViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    view.resize(300, 100);
    view.show();
    let_run(30);
  }
  SquareView view;
};

TEST_F(CanvasViewTest, OffscreenPlatformIsNeverAskedForOpenGl) {
  ASSERT_EQ(qgetenv("QT_QPA_PLATFORM"), "offscreen");
  EXPECT_EQ(surface_choice().kind, SurfaceKind::raster);
  EXPECT_TRUE(surface_choice().text.contains("raster"));
}

TEST_F(CanvasViewTest, DrawsRectanglesOnWholePixels) {
  const QImage image = view.grab().toImage();
  EXPECT_EQ(image.pixelColor(9, 15), QColor(Qt::white));
  EXPECT_EQ(image.pixelColor(10, 10), QColor(kRed.r, kRed.g, kRed.b));
  EXPECT_EQ(image.pixelColor(29, 29), QColor(kRed.r, kRed.g, kRed.b));
  EXPECT_EQ(image.pixelColor(30, 15), QColor(Qt::white));
}

TEST_F(CanvasViewTest, DrawsText) {
  const QImage image = view.grab().toImage();
  int dark = 0;
  for (int y = 42; y < 58; ++y) {
    for (int x = 98; x < 170; ++x) dark += image.pixelColor(x, y).lightness() < 128 ? 1 : 0;
  }
  EXPECT_GT(dark, 40);
}

TEST_F(CanvasViewTest, TwoPicturesOfOneSceneAreTheSameBits) {
  const QImage first = view.grab().toImage();
  view.invalidate();
  EXPECT_EQ(first, view.grab().toImage());
}

TEST_F(CanvasViewTest, IdleMakesNoFrames) {
  const int64_t before = view.frames();
  ASSERT_GT(before, 0);
  let_run(120);
  EXPECT_EQ(view.frames(), before);
}

TEST_F(CanvasViewTest, FastClicksAreAllSeen) {
  for (int i = 0; i < 5; ++i) click(view, {15, 15});
  click(view, {200, 90});
  ASSERT_EQ(view.clicks.size(), 6U);
  EXPECT_EQ(view.clicks[0].device, 3);
  EXPECT_EQ(view.clicks[4].device, 3);
  EXPECT_EQ(view.clicks[5].kind, ItemId::Kind::none);
}

TEST_F(CanvasViewTest, ScreenReadersSeeTheItems) {
  QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&view);
  ASSERT_NE(canvas, nullptr);
  ASSERT_EQ(canvas->childCount(), 1);
  EXPECT_EQ(canvas->child(0)->text(QAccessible::Name), "device 3");
  EXPECT_EQ(canvas->child(0)->rect().size(), QSize(20, 20));
}

}  // namespace
}  // namespace shardscope::canvas_view_test
