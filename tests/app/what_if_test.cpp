// SPDX-License-Identifier: Apache-2.0
// The What if dock: a knob answers, what was asked can be kept, copied and taken back.
#include <QTest>
#include <QWheelEvent>

#include "app/window/studies/what_if_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::what_if_panel_test {
namespace {

class WhatIfDock : public WindowTest {
 protected:
  WhatIfPanel* opened() {
    runAll();
    showRunOf("wang.os");
    auto* panel = static_cast<WhatIfPanel*>(window->showPanel("what_if").widget);
    EXPECT_TRUE(wait_for([&] { return panel->answer() != nullptr && !panel->busy(); }));
    return panel;
  }
  static void answered(const WhatIfPanel* panel) {
    ASSERT_TRUE(wait_for([&] { return !panel->busy(); }));
  }
};

TEST_F(WhatIfDock, AnswersWhileAKnobMovesAndTheLastPlaceCounts) {
  WhatIfPanel* panel = opened();
  EXPECT_EQ(panel->answer()->delta(), 0);
  for (int place = 0; place <= 30; ++place) panel->knob("link", "col")->slider()->setValue(place);
  answered(panel);
  EXPECT_LT(panel->answer()->delta(), 0);
  ASSERT_EQ(panel->answer()->asked.overrides.axes.size(), 1U);
  EXPECT_NEAR(panel->answer()->asked.overrides.axes[0].factor, 2, 0.01);
  panel->reset();
  answered(panel);
  EXPECT_EQ(panel->answer()->delta(), 0);
}

TEST_F(WhatIfDock, TheWheelChangesNoKnob) {
  WhatIfPanel* panel = opened();
  QSlider* slider = panel->knob("peak")->slider();
  slider->setFocus();
  QWheelEvent wheel({5, 5}, slider->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(slider, &wheel);
  EXPECT_EQ(slider->value(), 0);
}

TEST_F(WhatIfDock, ItsTimelineZoomsAndANewAnswerLeavesWhatIsInSight) {
  WhatIfPanel* panel = opened();
  WhatIfCanvas* canvas = panel->pictureCanvas();
  EXPECT_EQ(canvas->viewport().range.length(), 0) << "all of it";
  const QPointF middle(canvas->width() / 2.0, canvas->height() / 2.0);
  QWheelEvent wheel(middle, canvas->mapToGlobal(middle), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(canvas, &wheel);
  const TimeRange zoomed = canvas->viewport().range;
  EXPECT_GT(zoomed.length(), 0);
  EXPECT_LT(zoomed.length(), panel->answer()->base.total);
  panel->knob("link", "col")->slider()->setValue(10);
  answered(panel);
  EXPECT_EQ(canvas->viewport().range, zoomed);
  QTest::keyClick(canvas, Qt::Key_Home);
  EXPECT_EQ(canvas->viewport().range.length(), 0);
}

TEST_F(WhatIfDock, AWrongQuestionSaysWhyAndTheAnswerStays) {
  WhatIfPanel* panel = opened();
  panel->untimed()->setText("all-gather.77");
  QTest::keyClick(panel->untimed(), Qt::Key_Return);
  answered(panel);
  EXPECT_TRUE(panel->refusal().contains("there is no operation 'all-gather.77'"));
  EXPECT_NE(panel->answer(), nullptr);
}

TEST_F(WhatIfDock, KeptItIsARunOfTheAnswersTime) {
  WhatIfPanel* panel = opened();
  panel->knob("link", "col")->setText("x2");
  panel->knob("latency")->setText("0");
  QTest::keyClick(panel->knob("latency")->field(), Qt::Key_Return);
  panel->slowDevices()->setText("1=0.5");
  QTest::keyClick(panel->slowDevices(), Qt::Key_Return);
  answered(panel);
  const Picoseconds then = panel->answer()->then.total;
  EXPECT_TRUE(panel->command().endsWith("--slow-device 1=0.5 --link col=x2 --latency 0"))
      << panel->command().toStdString();
  const size_t before = window->bench().runs().rows().size();
  panel->keep();
  ASSERT_TRUE(wait_for([&] { return window->bench().runs().rows().size() > before; }));
  EXPECT_EQ(window->bench().runs().rows().back().total, then);
  const std::string label = window->bench().runs().rows().back().label;
  EXPECT_NE(label.find("slow-device 1=0.5, link col=x2, latency 0"), std::string::npos) << label;
}

TEST_F(WhatIfDock, ARunThatIsGoneBeforeItWasTimedIsNotAnswered) {
  WhatIfPanel* panel = opened();
  clock().showRun(std::make_shared<const ShownRun>(*clock().shown()));
  ASSERT_TRUE(panel->busy()) << "being timed";
  clock().showRun(nullptr);
  EXPECT_FALSE(panel->busy());
  settle(500);
  EXPECT_EQ(panel->answer(), nullptr);
  EXPECT_FALSE(panel->grab().isNull());
}

}  // namespace
}  // namespace shardscope::what_if_panel_test
