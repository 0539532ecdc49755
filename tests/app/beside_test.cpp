// SPDX-License-Identifier: Apache-2.0
// The Measured dock: what the workspace has, one click for both sides, another run, another step.
#include <QTest>

#include "app/window/runs/beside_panel.h"
#include "engine/trace/measured_record.h"
#include "tests/app/window_fixture.h"
#include "tests/engine/report/made_trace.h"

namespace shardscope::beside_panel_test {
namespace {

class BesideDock : public WindowTest {
 protected:
  // The shown run's trace with its first product slower, twice: a step as simulated and a slow one.
  void record() {
    runAll();
    showRunOf("wang.os");
    ASSERT_TRUE(window->bench().runs().workspace()->wait().ok());
    MeasuredTrace trace = made_trace(*clock().shown()->run);
    MeasuredTrace slow = trace;
    product = static_cast<int32_t>(
        std::ranges::find(slow.operations, MeasuredKind::product, &MeasuredOperation::kind) -
        slow.operations.begin());
    slow_down(slow, product, 2);
    const Picoseconds at = trace.steps.front().end;
    for (MeasuredEvent e : slow.events) {
      e.start += at, e.end += at;
      trace.events.push_back(e);
    }
    trace.steps.push_back({at, at + slow.steps.front().end});
    retell(trace);
    name = trace.operations[static_cast<size_t>(product)].instruction;
    const auto id = record_measured(window->bench().runs().workspace()->path(), trace);
    ASSERT_TRUE(id.ok()) << id.error().text();
  }
  BesidePanel* opened() {
    auto* panel = static_cast<BesidePanel*>(window->showPanel("beside").widget);
    EXPECT_TRUE(wait_for([&] { return !panel->busy(); }));
    return panel;
  }
  static void idle(const BesidePanel* panel) {
    ASSERT_TRUE(wait_for([&] { return !panel->busy(); }));
  }
  int32_t product = -1;
  std::string name;
};

TEST_F(BesideDock, WithoutATraceItSaysHowOneIsHad) {
  runAll();
  BesidePanel* panel = opened();
  EXPECT_FALSE(panel->canvas()->shown());
  EXPECT_FALSE(panel->table()->isVisible());
  std::string all;
  for (const TextItem& text : panel->canvas()->scene().texts()) all += text.text + " ";
  EXPECT_NE(all.find("Drop a profile"), std::string::npos) << all;
}

TEST_F(BesideDock, ShowsTheTraceOfTheWorkspaceWithTheSlowestOnTop) {
  record();
  BesidePanel* panel = opened();
  ASSERT_TRUE(panel->canvas()->shown()) << panel->refusal().toStdString();
  EXPECT_EQ(panel->traces()->count(), 1);
  EXPECT_TRUE(panel->sentence().startsWith("Measured ")) << panel->sentence().toStdString();
  ASSERT_EQ(panel->steps()->count(), 3) << "medians, and each step";
  panel->steps()->setCurrentIndex(2);
  idle(panel);
  const Residual& r = panel->canvas()->shown()->beside.residual;
  EXPECT_TRUE(r.one_step);
  EXPECT_EQ(r.operations.front().instruction, name);
  EXPECT_EQ(r.operations.front().residual(), r.operations.front().simulated);
  EXPECT_EQ(panel->table()->model()->index(0, 0).data().toString().toStdString(), name);
  EXPECT_EQ(panel->steps()->currentIndex(), 2) << "the choice stays";
  EXPECT_TRUE(panel->text(BesidePanel::Form::command).endsWith("--measured 1 --step 2"));
}

TEST_F(BesideDock, ARowGoesToItsOperationAndAClickInTheLanesChoosesTheRow) {
  record();
  BesidePanel* panel = opened();
  panel->table()->selectRow(0);
  EXPECT_EQ(panel->canvas()->viewport().operation, 0);
  EXPECT_GT(panel->canvas()->viewport().range.length(), 0);
  QTest::keyClick(panel->canvas(), Qt::Key_Period);
  EXPECT_EQ(panel->canvas()->viewport().operation, 1);
  EXPECT_EQ(panel->table()->currentIndex().row(), 1);
  QTest::keyClick(panel->canvas(), Qt::Key_Home);
  EXPECT_EQ(panel->canvas()->viewport().range.length(), 0);
}

TEST_F(BesideDock, AnotherRunIsPutBesideTheSameTraceAndSaysWhatIsNotItsOwn) {
  record();
  BesidePanel* panel = opened();
  const double share = panel->canvas()->shown()->beside.residual.matched_share;
  EXPECT_EQ(share, 1);
  showRunOf("collective.os");
  idle(panel);
  ASSERT_TRUE(panel->canvas()->shown());
  EXPECT_EQ(panel->canvas()->shown()->beside.run->strategy, "collective.os");
  EXPECT_LT(panel->canvas()->shown()->beside.residual.matched_share, 1);
}

TEST_F(BesideDock, IsDrawnLightAndDark) {
  record();
  BesidePanel* panel = opened();
  EXPECT_FALSE(panel->grab().isNull());
  preferences.overrideLook(true, 2.0);
  settle();
  EXPECT_FALSE(panel->grab().isNull());
}

}  // namespace
}  // namespace shardscope::beside_panel_test
