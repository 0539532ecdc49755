// SPDX-License-Identifier: Apache-2.0
// The Profile dock: a profile that is dropped or opened stands beside the simulation of its module.
#include <fmt/format.h>
#include <fstream>

#include "app/window/docks/file_kinds.h"
#include "app/window/docks/profile_dock.h"
#include "app/window/runs/beside_panel.h"
#include "tests/app/window_fixture.h"
#include "tests/temporary_folder.h"

namespace shardscope::profile_panel_test {
namespace {

constexpr const char* kModule = R"(HloModule jit_f, is_scheduled=true

scale {
  p = f32[64,64]{1,0} parameter(0)
  ROOT m = f32[64,64]{1,0} multiply(p, p)
}

ENTRY main {
  w = f32[64,64]{1,0} parameter(0)
  fusion.7 = f32[64,64]{1,0} fusion(w), kind=kLoop, calls=scale
  ROOT custom-call.1 = f32[64,64]{1,0} custom-call(fusion.7, w), custom_call_target="__cublas$gemm"
}
)";

// Two steps as a command buffer's kernels: 10 us of a fusion, 50 us of a product, 40 us of nothing.
std::string profile() {
  std::string events =
      R"j({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},)j"
      R"j({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Stream #14(Compute)"}})j";
  for (const int at : {0, 100}) {
    for (const auto& [kernel, begin, length] :
         {std::tuple("fusion_7", at, 10), std::tuple("nvjet_sm90_tst_128x64", at + 10, 50)})
      events += fmt::format(
          R"(,{{"ph":"X","pid":1,"tid":1,"name":"{}","ts":{},"dur":{},"args":{{"hlo_op":"command_buffer_1","hlo_module":"jit_f"}}}})",
          kernel, begin, length);
  }
  return R"({"traceEvents":[)" + events + "]}";
}

class ProfileDock : public WindowTest {
 protected:
  ProfilePanel* opened() {
    std::ofstream(folder.file("trace.json")) << profile();
    std::ofstream(folder.file("module.hlo")) << kModule;
    const QString file = QString::fromStdString(folder.file("trace.json"));
    EXPECT_EQ(kind_of(file).value()->id, "profile");
    EXPECT_TRUE(open_file(window->context(), file).ok());
    auto* panel = static_cast<ProfilePanel*>(window->docks().find("profile")->widget);
    idle(panel);
    return panel;
  }
  ProfilePanel* with_module() {
    ProfilePanel* panel = opened();
    panel->chip()->setCurrentText("h200");
    panel->setModule(QString::fromStdString(folder.file("module.hlo")));
    idle(panel);
    return panel;
  }
  static void idle(ProfilePanel* panel) {
    ASSERT_TRUE(wait_for([&] { return !panel->job()->busy(); }));
  }
  static std::string cell(ProfilePanel* panel, const char* table, int row, int column) {
    const auto views = panel->findChildren<QTableView*>();
    for (const QTableView* view : views)
      if (view->accessibleName() == table)
        return view->model()->index(row, column).data().toString().toStdString();
    return "no such table";
  }
  TemporaryFolder folder;
};

TEST_F(ProfileDock, OpensOnThePageCompareAndSaysWhereAStepsTimeGoes) {
  ProfilePanel* panel = opened();
  EXPECT_EQ(window->docks().page(), "compare");
  EXPECT_TRUE(panel->isVisible()) << "in front of the others";
  ASSERT_NE(panel->shown(), nullptr) << panel->job()->message().toStdString();
  EXPECT_EQ(panel->shown()->time.compute_s, 60e-6);
  EXPECT_EQ(cell(panel, "Where a step's time goes", 0, 0), "computing");
  EXPECT_EQ(cell(panel, "Where a step's time goes", 0, 1), "60.0 µs");
  EXPECT_TRUE(panel->headline().startsWith("A step takes ")) << panel->headline().toStdString();
}

TEST_F(ProfileDock, WithItsModuleEachKernelOfACommandBufferHasItsInstructionAndItsSimulatedTime) {
  ProfilePanel* panel = with_module();
  ASSERT_NE(panel->shown(), nullptr) << panel->job()->message().toStdString();
  EXPECT_EQ(panel->shown()->hardware, "h200");
  EXPECT_EQ(panel->shown()->attributed, 1);
  EXPECT_EQ(cell(panel, "Instructions", 0, 0), "custom-call.1");
  EXPECT_EQ(cell(panel, "Instructions", 0, 3), "50.0 µs");
  EXPECT_NE(cell(panel, "Instructions", 0, 4), kNothing) << "it is simulated";
  EXPECT_EQ(cell(panel, "Instructions", 1, 0), "fusion.7");
  EXPECT_TRUE(panel->page().contains("custom-call.1"));
}

TEST_F(ProfileDock, AKeptProfileIsATraceThatStandsBesideRuns) {
  runAll();
  ProfilePanel* panel = with_module();
  for (QToolButton* button : panel->findChildren<QToolButton*>())
    if (button->text() == "Keep in the workspace") button->click();
  ASSERT_TRUE(wait_for([&] { return panel->job()->message().startsWith("Kept"); }));
  auto* measured = static_cast<BesidePanel*>(window->showPanel("beside").widget);
  ASSERT_TRUE(wait_for([&] { return !measured->busy(); }));
  EXPECT_EQ(measured->traces()->count(), 1);
}

TEST_F(ProfileDock, WhatIsNoProfileIsRefusedInItsPlaceAndShowsNothingOfTheOneBefore) {
  ProfilePanel* panel = opened();
  std::ofstream(folder.file("other.json")) << R"({"traceEvents":[{"ph":"X"]})";
  panel->open({QString::fromStdString(folder.file("other.json"))});
  idle(panel);
  EXPECT_EQ(panel->shown(), nullptr);
  EXPECT_FALSE(panel->job()->message().isEmpty());
  EXPECT_FALSE(panel->tabs()->isVisible());
}

TEST_F(ProfileDock, ComesBackWithWhatWasOpened) {
  ProfilePanel* panel = with_module();
  const QJsonObject state = panel->state();
  panel->open({QString::fromStdString(folder.file("nothing.json"))});
  idle(panel);
  ASSERT_EQ(panel->shown(), nullptr);
  panel->restore(state);
  idle(panel);
  ASSERT_NE(panel->shown(), nullptr) << panel->job()->message().toStdString();
  EXPECT_EQ(panel->shown()->hardware, "h200");
}

}  // namespace
}  // namespace shardscope::profile_panel_test
