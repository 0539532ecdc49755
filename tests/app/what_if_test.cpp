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
  ASSERT_EQ(panel->answer()->question.overrides.axes.size(), 1U);
  EXPECT_NEAR(panel->answer()->question.overrides.axes[0].factor, 2, 0.01);
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
  panel->fields().untimed->setText("all-gather.77");
  QTest::keyClick(panel->fields().untimed, Qt::Key_Return);
  answered(panel);
  EXPECT_TRUE(panel->refusal().contains("there is no operation 'all-gather.77'"));
  EXPECT_NE(panel->answer(), nullptr);
}

void type(QLineEdit* field, const QString& text) {
  field->setFocus(Qt::TabFocusReason);
  field->selectAll();
  QTest::keyClicks(field, text);
  QTest::keyClick(field, Qt::Key_Return);
}

TEST_F(WhatIfDock, APlainNumberIsTheFactorThatOneMeans) {
  WhatIfPanel* panel = opened();
  type(panel->knob("link", "col")->field(), "2");
  answered(panel);
  EXPECT_EQ(panel->refusal(), "");
  ASSERT_EQ(panel->answer()->question.overrides.axes.size(), 1U);
  EXPECT_EQ(panel->answer()->question.overrides.axes[0].factor, 2);
  EXPECT_EQ(panel->knob("link", "col")->field()->text(), QString::fromUtf8("×2")) << "and says so";
  for (const char* key : {"latency", "peak", "hbm", "launch"}) type(panel->knob(key)->field(), "0.5");
  type(panel->knob("latency")->field(), "5e-7");
  answered(panel);
  EXPECT_EQ(panel->refusal(), "");
  const ChipChanges& chip = panel->answer()->question.chip;
  EXPECT_TRUE(chip.peak->factor && chip.hbm->factor && chip.launch->factor);
  EXPECT_FALSE(chip.latency->factor) << "nobody means half a millionth of it";
}

TEST_F(WhatIfDock, WhatIsRightIsAskedWhileOneFieldIsWrongAndTheMessageNamesThatField) {
  WhatIfPanel* panel = opened();
  type(panel->knob("peak")->field(), "fast");
  type(panel->fields().slow, "99=0.5");
  type(panel->knob("link", "col")->field(), "4");
  answered(panel);
  EXPECT_LT(panel->answer()->delta(), 0) << "faster links are answered";
  const QString said = panel->refusal();
  EXPECT_TRUE(said.contains("peak: ")) << said.toStdString();
  EXPECT_TRUE(said.contains("Slow chips: ")) << said.toStdString();
  EXPECT_FALSE(said.contains("--")) << said.toStdString();
  EXPECT_TRUE(panel->knob("peak")->field()->property("invalid").toBool());
  EXPECT_FALSE(panel->knob("link", "col")->field()->property("invalid").toBool());
  type(panel->knob("peak")->field(), "2");
  type(panel->fields().slow, "1=0.5");
  answered(panel);
  EXPECT_EQ(panel->refusal(), "");
}

TEST_F(WhatIfDock, AMessageMovesNothingUnderTheMouse) {
  WhatIfPanel* panel = opened();
  settle();
  QWidget* knob = panel->knob("launch");
  const QPoint before = knob->mapToGlobal(QPoint());
  for (const char* key : {"latency", "peak", "hbm"}) type(panel->knob(key)->field(), "no number at all");
  answered(panel);
  settle();
  ASSERT_NE(panel->refusal(), "");
  EXPECT_EQ(knob->mapToGlobal(QPoint()), before);
}

TEST_F(WhatIfDock, KeptItIsARunOfTheAnswersTime) {
  WhatIfPanel* panel = opened();
  panel->knob("link", "col")->setText("x2");
  panel->knob("latency")->setText("0");
  QTest::keyClick(panel->knob("latency")->field(), Qt::Key_Return);
  panel->fields().slow->setText("1=0.5");
  QTest::keyClick(panel->fields().slow, Qt::Key_Return);
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
  clock().showRun(show(std::make_shared<const shardscope::Run>(*clock().shown()->run)));
  ASSERT_TRUE(panel->busy()) << "being timed";
  clock().showRun(nullptr);
  EXPECT_FALSE(panel->busy());
  settle(500);
  EXPECT_EQ(panel->answer(), nullptr);
  EXPECT_FALSE(panel->grab().isNull());
}

TEST_F(WhatIfDock, WhatWasAskedOfARunComesBackForThatRunAlone) {
  WhatIfPanel* panel = opened();
  panel->knob("peak")->setText("x2");
  panel->fields().slow->setText("1=0.5");
  const QJsonObject asked = panel->state();
  panel->reset();
  EXPECT_TRUE(panel->state().isEmpty());
  panel->restore(asked);
  answered(panel);
  EXPECT_EQ(panel->state(), asked);
  EXPECT_EQ(panel->answer()->question.chip.peak->value, 2);
  QJsonObject of_another = asked;
  of_another["run"] = 4711;
  panel->reset();
  panel->restore(of_another);
  answered(panel);
  EXPECT_TRUE(panel->knob("peak")->text().isEmpty());
}

}  // namespace
}  // namespace shardscope::what_if_panel_test
