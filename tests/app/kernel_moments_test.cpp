// SPDX-License-Identifier: Apache-2.0
// One player on the page of a kernel: transport, keys, status bar, Details and presentation are its own.
#include "app/window/chip/kernel_moments.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QStatusBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <fmt/format.h>

#include "app/window/document/language.h"
#include "app/window/runs/details_panel.h"
#include "app/window/shell/sentence_line.h"
#include "app/window/widgets/step_bar.h"
#include "tests/app/kernel_fixture.h"
#include "tests/app/transport_bar.h"

namespace shardscope::kernel_moments_test {
namespace {

class KernelMomentsTest : public KernelPanelTest {};

TEST_F(KernelMomentsTest, TheWindowsTransportIsTheKernels) {
  search();
  player().lookAt(-1);
  player().setStep(0);
  StepBar* bar = &transport_bar(*window);
  EXPECT_FALSE(panel().stepBar()->isVisible()) << "one player";
  EXPECT_EQ(bar->who(), "ag.ring.one_semaphore");
  settle();
  const auto labels = bar->findChildren<QLabel*>(Qt::FindDirectChildrenOnly);
  ASSERT_EQ(labels.size(), 2);
  EXPECT_TRUE(labels[0]->isVisible() && labels[1]->isVisible());
  EXPECT_FALSE(labels[0]->geometry().intersects(labels[1]->geometry())) << "beside each other";
  EXPECT_EQ(bar->slider()->maximum(), player().steps());
  EXPECT_EQ(bar->text(), "before step 1 of %1"_tr.arg(player().steps()));
  window->action("step.next")->trigger();
  EXPECT_EQ(player().step(), 1);
  EXPECT_EQ(bar->text(), "step 1 of %1"_tr.arg(player().steps()));
  bar->slider()->setValue(7);
  EXPECT_EQ(player().step(), 7);
  const QString said = static_cast<SentenceLine*>(window->findChild<QLabel*>("sentence"))->said();
  EXPECT_TRUE(said.contains("step 7 of")) << said.toStdString();
  QTest::keyClick(window.get(), Qt::Key_Right);
  EXPECT_EQ(player().step(), 8) << "keys that no field wants";
  window->action("step.last")->trigger();
  EXPECT_EQ(player().step(), player().steps());
  window->action("step.play")->trigger();
  EXPECT_TRUE(player().playing());
  window->docks().setPage("explore");
  EXPECT_FALSE(player().playing()) << "what is not seen does not play";
  settle();
  EXPECT_NE(bar->who(), "ag.ring.one_semaphore");
  EXPECT_TRUE(window->findChild<QComboBox*>("hardware")->isVisible());
}

TEST_F(KernelMomentsTest, NothingOfARunStandsOnTheKernelsPage) {
  window->docks().setPage("explore");
  const auto* hardware = window->findChild<QComboBox*>("hardware");  // the tool bar gives it away and back
  settle();
  ASSERT_TRUE(hardware->isVisible());
  window->docks().setPage("explore");
  runAll();
  showRunOf("wang.os");
  window->docks().go("kernel");
  settle();
  EXPECT_TRUE(window->windowTitle().startsWith("ag.ring.one_semaphore"))
      << window->windowTitle().toStdString();
  EXPECT_FALSE(window->action("step.in_time")->isEnabled()) << "a schedule has no time";
  EXPECT_FALSE(hardware->isVisible()) << "the experiment's";
  EXPECT_TRUE(window->findChildren<QToolButton*>("run").isEmpty());
  const auto* details = window->docks().widget<DetailsPanel>("details");
  EXPECT_EQ(details->details().title, "ag.ring.one_semaphore");
  for (const QLabel* each : window->findChildren<QLabel*>())
    EXPECT_FALSE(each->isVisible() && each->text().contains("wang")) << each->text().toStdString();
}

// In a small window the two are tabs of one place.
TEST_F(KernelMomentsTest, DetailsBeforeTheKernelAreItsDetails) {
  window->resize(1280, 720);
  settle();
  search();
  window->docks().go("details");
  settle();
  EXPECT_EQ(transport_bar(*window).who(), "ag.ring.one_semaphore");
  EXPECT_FALSE(window->docks().widget<DetailsPanel>("details")->details().sections.empty());
  window->docks().go("grouped");
  settle();
  EXPECT_EQ(transport_bar(*window).who(), "") << "of grouped products nothing is stepped";
  window->docks().go("kernel");
  settle();
  EXPECT_EQ(transport_bar(*window).who(), "ag.ring.one_semaphore");
}

TEST_F(KernelMomentsTest, DetailsAreOfTheKernelsStepAndOfWhatIsSelectedThere) {
  auto* details = window->docks().widget<DetailsPanel>("details");
  window->docks().go("details");
  window->docks().go("kernel");
  settle();
  search();
  const auto section = [&](const std::string& heading) {
    const auto& all = details->details().sections;
    const auto at = std::ranges::find(all, heading, &DetailSection::heading);
    return at == all.end() ? DetailSection() : *at;
  };
  ASSERT_FALSE(section("Found up to here").links.empty());
  EXPECT_EQ(section("Step").facts.front().value, fmt::format("{} of {}", player().step(), player().steps()));
  EXPECT_EQ(section("Devices").table.rows.size(), 4U);
  ItemId device;
  device.kind = ItemId::Kind::device;
  device.device = 2;
  panel().canvas()->select(device);
  EXPECT_EQ(details->details().title, "device (2)");
  panel().canvas()->select({});
  player().lookAt(-1);
  player().setStep(player().steps());
  int link = 0;
  for (const DetailSection& each : details->details().sections) {
    if (each.heading == "Found up to here") break;
    link += static_cast<int>(each.links.size());
  }
  details->follow(link);
  EXPECT_EQ(player().findingPlace(), 0) << "its link leads to where it was noticed";
}

TEST_F(KernelMomentsTest, InAWindowOfItsOwnItHasTheTransportToo) {
  QDockWidget* dock = window->docks().find("kernel")->dock;
  dock->setFloating(true);
  settle();
  ASSERT_TRUE(panel().stepBar()->isVisible());
  panel().stepBar()->bar()->slider()->setValue(5);
  EXPECT_EQ(player().step(), 5);
  dock->setFloating(false);
  settle();
  EXPECT_FALSE(panel().stepBar()->isVisible());
}

TEST_F(KernelMomentsTest, PresentedItsKeysStepTheSchedule) {
  panel().canvas()->setFocus();
  window->action("present.view")->trigger();
  settle();
  auto* shown = window->findChild<Presentation*>("presentation");
  ASSERT_NE(shown, nullptr);
  QTest::keyClick(shown, Qt::Key_PageDown);
  QTest::keyClick(shown, Qt::Key_PageDown);
  EXPECT_EQ(player().step(), 2);
  QTest::keyClick(shown, Qt::Key_PageUp);
  EXPECT_EQ(player().step(), 1);
  shown->close();
  settle();
}

// The commands act from every page: the kernel comes to the front first.
TEST_F(KernelMomentsTest, FixAndTheNextFindingActFromOtherPages) {
  search();
  player().lookAt(-1);
  window->docks().setPage("explore");
  settle();
  window->action("kernel.next_finding")->trigger();
  EXPECT_EQ(window->docks().page(), "chip");
  EXPECT_EQ(player().findingPlace(), 0);
  window->docks().setPage("explore");
  window->action("kernel.fix")->trigger();
  EXPECT_EQ(window->docks().page(), "chip");
  ASSERT_TRUE(wait_for([&] { return panel().tabs()->twin()->player().canStep(); }));
  EXPECT_EQ(panel().tabs()->twin()->player().shown()->choice.kernel, "ag.ring");
  choose("permute", "4");
  window->action("kernel.fix")->trigger();
  EXPECT_TRUE(window->statusBar()->currentMessage().contains("nothing to mend"));
  window->action("kernel.next_finding")->trigger();
  EXPECT_TRUE(window->statusBar()->currentMessage().contains("Nothing was found"));
}

TEST_F(KernelMomentsTest, AFixAskedBeforeTheKernelIsThereWaitsForIt) {
  TestedWindow fresh(preferences);
  ASSERT_TRUE(fresh.bench().openPreset("teaching").ok());
  fresh.show();
  settle();
  fresh.action("kernel.fix")->trigger();
  KernelTwin* twin = fresh.kernel()->tabs()->twin();
  ASSERT_TRUE(wait_for([&] { return twin->player().canStep(); }));
  EXPECT_TRUE(twin->canvas()->isVisible());
}

}  // namespace
}  // namespace shardscope::kernel_moments_test
