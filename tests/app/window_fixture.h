// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

#include "app/window/docks/compare_dock.h"
#include "app/window/docks/edit_chip.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/docks/study_docks.h"
#include "app/window/document/preferences.h"
#include "app/window/present/presentation.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/shell/main_window.h"
#include "app/window/sql/sql_box.h"
#include "app/window/studies/error_growth_panel.h"

namespace shardscope {

// Lets the window work until `reached`, at most `limit_ms`.
inline bool wait_for(const std::function<bool()>& reached, int limit_ms = 60'000) {
  QElapsedTimer timer;
  timer.start();
  while (!reached()) {
    if (timer.elapsed() > limit_ms) return false;
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QThread::msleep(1);
  }
  return true;
}

inline void settle(int ms = 40) {
  QElapsedTimer timer;
  timer.start();
  wait_for([&] { return timer.elapsed() > ms; });
}

// Sizes that keep every divisibility of a preset but run in a moment.
inline Experiment reduced(Experiment e) {
  const int64_t devices = e.mesh.device_count();
  const int64_t least = devices * devices * 4;
  const auto shrink = [&](MatmulProblem& p) {
    p.m = std::min(p.m, least);
    p.k = std::min(p.k, least);
    p.n = std::min(p.n, least);
  };
  shrink(e.problem);
  for (RunRequest& request : e.runs) {
    if (request.problem) shrink(*request.problem);
  }
  return e;
}

// A window whose docks tests call by name.
struct TestedWindow : MainWindow {
  using MainWindow::MainWindow;

  // A dock brought to the front by its id, and the job it has of its own.
  struct Panel {
    QWidget* widget = nullptr;
    JobBar* job = nullptr;
    std::function<void()> run;
  };
  Panel showPanel(const QString& id) {
    const DockArea::Made* made = docks().go(id);
    if (made == nullptr) return {};
    return {made->widget, made->row->job ? made->row->job(made->widget) : nullptr,
            [made] { made->row->run(made->widget); }};
  }

  ExperimentForm* form() { return docks().widget<ExperimentForm>("experiment"); }
  TimelineCanvas* timeline() { return docks().widget<TimelineCanvas>("timeline"); }
  RunsTable* runsTable() { return docks().widget<RunsTable>("runs"); }
  SqlBox* sqlBox() { return docks().widget<SqlBox>("sql"); }
  ProgramView* programView() { return docks().widget<ProgramPanel>("program")->text(); }
  TunerPanel* tuner() { return docks().widget<TunerPanel>("tuner"); }
  CrossoverPanel* crossover() { return docks().widget<CrossoverPanel>("crossover"); }
  ErrorGrowthPanel* errorGrowth() { return docks().widget<ErrorGrowthPanel>("errors"); }
  CalibrationPanel* calibration() { return docks().widget<CalibrationPanel>("calibration"); }
  KernelPanel* kernel() { return docks().widget<KernelPanel>("kernel"); }
  HloPanel* hlo() { return docks().widget<HloPanel>("hlo"); }
  // As if every dock had been seen, for what goes through all widgets.
  void makeAllDocks() {
    for (const Dock& dock : shardscope::docks()) docks().make(dock.id);
  }
  Result<void> open(const QString& path) { return open_file(context(), path); }
  ChipForm* editChip() { return edit_chip(context()); }
  std::vector<RunCanvas*> canvases() {
    std::vector<RunCanvas*> all;
    for (const RunView& view : run_views()) all.push_back(canvas(view.id));
    return all;
  }
  RunCanvas* canvas(const QString& view) { return docks().widget<RunCanvas>(view); }
};

// A real window on the teaching-sized default experiment.
class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    preferences.overrideLook(false, 1.0);
    preferences.keep("pages", {});
    window = std::make_unique<TestedWindow>(preferences);
    open("default");
    window->show();
    settle();
  }
  void open(const std::string& preset) {
    const auto experiment = find_experiment(preset);
    ASSERT_TRUE(experiment.ok()) << experiment.error().text();
    ASSERT_TRUE(window->bench().openPreset(preset).ok());
    window->bench().document().open(reduced(*experiment));
  }
  Clock& clock() { return window->bench().clock(); }
  // An event of the shown run.
  void select(int32_t number) {
    const Event& event = clock().shown()->run->timeline.events[static_cast<size_t>(number)];
    ItemId item;
    item.kind = ItemId::Kind::event;
    item.event = number;
    item.device = event.device;
    item.lane = event.lane;
    item.instruction = event.instruction;
    clock().select(item);
  }
  void runAll() {
    window->bench().runAll();
    ASSERT_TRUE(wait_for(
        [&] { return !window->bench().jobs().running() && !window->bench().presenter().preparing(); }));
    settle();
  }

  // A presentation of the story in one dock, not shown yet.
  Presentation* presentation(const QString& dock = "ring") {
    return new Presentation(window->context(), std::make_unique<StoryTalk>(clock(), preferences), dock);
  }

  // Shows the run of one strategy, not the one that happens to be the fastest.
  void showRunOf(const std::string& strategy) {
    for (const RunSummary& row : window->bench().runs().rows()) {
      if (row.strategy == strategy) window->bench().presenter().show(row.id);
    }
    ASSERT_TRUE(wait_for([&] {
      const ShownRunPtr& shown = clock().shown();
      return shown && !shown->telling && shown->run->strategy == strategy;
    }));
    settle();
  }

  Preferences preferences;
  std::unique_ptr<TestedWindow> window;
};

// The timeline of a run of wang.os, with the focus.
class TimelineTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    runAll();
    showRunOf("wang.os");
    window->activateWindow();
    timeline = window->timeline();
    timeline->setFocus();
    settle();
  }
  TimelineCanvas* timeline = nullptr;
};

}  // namespace shardscope
