// SPDX-License-Identifier: Apache-2.0
// What is selected is one thing: tool bar, status bar, Details, table and pictures speak of the same, and of
// nothing that belongs to another page or to an experiment that was edited since.
#include <QTemporaryDir>
#include <QTextBrowser>

#include "app/window/dialogs/report_dialog.h"
#include "app/window/runs/details_panel.h"
#include "app/window/shell/sentence_line.h"
#include "app/window/widgets/export.h"
#include "app/window/widgets/step_bar.h"
#include "engine/request/setting.h"
#include "tests/app/transport_bar.h"
#include "tests/app/window_fixture.h"

namespace shardscope::one_state_test {
namespace {

class OneState : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    Experiment e = window->bench().document().experiment();
    e.runs = {RunRequest{}, RunRequest{}};
    e.runs[0].strategy = "wang.os";
    e.runs[1].strategy = "collective.os";
    window->bench().document().open(e);
    settle();
  }
  QString who() { return transport_bar(*window).who(); }
  QString step() { return transport_bar(*window).text(); }
  QString sentence() { return static_cast<SentenceLine*>(window->findChild<QLabel*>("sentence"))->said(); }
  QString details() {
    window->docks().go("details");
    settle();
    return window->docks().widget<DetailsPanel>("details")->findChild<QTextBrowser*>()->toPlainText();
  }
  std::vector<std::string> selected() {
    std::vector<std::string> out;
    for (const int64_t id : window->runsTable()->selectedRuns())
      out.push_back(window->bench().runs().row(id)->strategy);
    std::ranges::sort(out);
    return out;
  }
  void change(const std::function<void(Experiment&)>& how) {
    Experiment e = window->bench().document().experiment();
    how(e);
    window->bench().document().change(e, "change");
    settle();
  }
  void runModule(const QString& preset) {
    window->docks().go("hlo");
    window->hlo()->openPreset(preset);
    window->hlo()->run();
    ASSERT_TRUE(wait_for([&] {
      const ShownRunPtr& run = clock().of(Subject::module).run;
      return run && !run->telling && !window->hlo()->busy();
    }));
    settle();
  }
};

TEST_F(OneState, TheRunsThatAreComparedAreNamedEverywhere) {
  runAll();
  showRunOf("wang.os");
  EXPECT_EQ(selected(), std::vector<std::string>{"wang.os"});
  EXPECT_TRUE(who().startsWith("wang.os (run ")) << who().toStdString();
  EXPECT_TRUE(details().startsWith(who())) << details().toStdString();
  window->action("compare.best")->trigger();
  ASSERT_TRUE(wait_for([&] { return clock().comparison() != nullptr; }));
  settle();
  EXPECT_EQ(selected(), (std::vector<std::string>{"collective.os", "wang.os"}));
  EXPECT_TRUE(who().startsWith("comparing ")) << who().toStdString();
  EXPECT_TRUE(who().contains("wang.os (run ") && who().contains("collective.os (run "));
  EXPECT_TRUE(details().startsWith(who())) << details().toStdString();
  window->action("compare.none")->trigger();
  settle();
  EXPECT_EQ(selected(), std::vector<std::string>{clock().shown()->run->strategy});
}

TEST_F(OneState, APageSpeaksOfItsOwnSubjectAndTheOthersWait) {
  runAll();
  showRunOf("wang.os");
  clock().setBeat(2);
  window->timeline()->setFocus();
  QKeyEvent in(QEvent::KeyPress, Qt::Key_W, Qt::NoModifier);
  QCoreApplication::sendEvent(window->timeline(), &in);
  const QString of_run = who(), at = step(), told = sentence();
  const TimeRange zoomed = window->timeline()->viewport().range;
  ASSERT_GT(zoomed.length(), 0);
  for (const char* page : {"module", "chip", "lesson"}) {
    window->docks().setPage(page);
    settle();
    const bool of_kernel = page == std::string_view("chip");
    EXPECT_EQ(who(), of_kernel ? "ag.ring.one_semaphore" : "") << page;
    EXPECT_EQ(sentence().isEmpty(), !of_kernel) << page << ": " << sentence().toStdString();
    EXPECT_EQ(step().contains("step"), of_kernel) << page << ": " << step().toStdString();
    if (window->docks().onPage(*window->docks().find("details"))) {
      EXPECT_FALSE(details().contains("wang")) << page << ": " << details().toStdString();
    }
  }
  EXPECT_EQ(window->bench().state().now().shown.runs.size(), 1U) << "it is kept meanwhile";
  window->docks().setPage("explore");
  settle();
  EXPECT_EQ(who(), of_run);
  EXPECT_EQ(step(), at);
  EXPECT_EQ(sentence(), told);
  EXPECT_EQ(window->timeline()->viewport().range, zoomed);
}

TEST_F(OneState, AModulesRunIsTheModulesAndNoRunOfTheExperiment) {
  runAll();
  showRunOf("wang.os");
  runModule("mlp");
  EXPECT_TRUE(who().contains("mlp") || who().startsWith("hlo")) << who().toStdString();
  EXPECT_TRUE(details().startsWith(who())) << details().toStdString();
  EXPECT_EQ(comparison_of(window->bench()).runs.size(), 2U) << "no report and no verdict has it";
  EXPECT_EQ(window->bench().runs().rows().size(), 3U) << "it is recorded";
  window->docks().setPage("explore");
  settle();
  EXPECT_TRUE(who().startsWith("wang.os")) << who().toStdString();
  EXPECT_EQ(selected(), std::vector<std::string>{"wang.os"});
}

TEST_F(OneState, AProofGoesWithItsModule) {
  runModule("mlp");
  const auto proved = [&] {
    for (const QLabel* label : window->hlo()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("Proved on")) return true;
    return false;
  };
  ASSERT_TRUE(proved());
  window->hlo()->file().openText("HloModule other\n", "other.hlo");
  EXPECT_FALSE(proved());
  EXPECT_EQ(clock().shown(), nullptr);
  EXPECT_EQ(who(), "");
}

TEST_F(OneState, AfterAChangeWhatIsOldSaysSoAndNothingSpeaksOfTheOldSetting) {
  Experiment named = window->bench().document().experiment();
  named.title = "Two strategies on 2x4";
  named.notes = "Look at 2x4.";
  window->bench().document().open(named);
  runAll();
  showRunOf("wang.os");
  const QString verdict = window->runsTable()->verdictText();
  struct Change {
    const char* name;
    std::function<void(Experiment&)> how;
  };
  const std::vector<Change> changes = {
      {"mesh", [](Experiment& e) { e.mesh = *Mesh::parse("row=4,col=4"); }},
      {"m", [](Experiment& e) { e.problem.m *= 2; }},
      {"k", [](Experiment& e) { e.problem.k *= 2; }},
      {"n", [](Experiment& e) { e.problem.n *= 2; }},
      {"chip", [](Experiment& e) { e.hardware = "h100"; }},
      {"overlap", [](Experiment& e) { e.overlap = !e.overlap; }},
  };
  for (const Change& each : changes) {
    change(each.how);
    const Experiment& now = window->bench().document().experiment();
    EXPECT_TRUE(who().endsWith("earlier experiment")) << each.name << ": " << who().toStdString();
    EXPECT_TRUE(details().startsWith(who())) << each.name;
    EXPECT_TRUE(window->docks().find("timeline")->dock->windowTitle().contains("earlier")) << each.name;
    EXPECT_TRUE(window->runsTable()->verdictText().startsWith("Of the earlier experiment, row=2,col=4"))
        << each.name << ": " << window->runsTable()->verdictText().toStdString();
    EXPECT_EQ(now.title, setting_words(now)) << each.name;
    EXPECT_EQ(now.notes, "") << each.name;
    EXPECT_TRUE(window->windowTitle().startsWith(QString::fromStdString(now.title))) << each.name;
    EXPECT_EQ(comparison_of(window->bench()).title, named.title) << "a report is of the runs that it has";
    window->bench().document().undoStack().undo();
    settle();
    EXPECT_FALSE(who().contains("earlier")) << each.name;
    EXPECT_FALSE(window->docks().find("timeline")->dock->windowTitle().contains("earlier")) << each.name;
    EXPECT_EQ(window->runsTable()->verdictText(), verdict) << each.name;
    EXPECT_EQ(window->bench().document().experiment(), named) << each.name;
  }
  change([](Experiment& e) { e.problem.m *= 2; });
  change([](Experiment& e) { e.problem.m /= 2; });
  EXPECT_EQ(window->bench().document().experiment().title, named.title) << "typed back";
}

TEST_F(OneState, WhatIsShownIsListedThoughNobodyAsksForItAnyMore) {
  runAll();
  showRunOf("wang.os");
  const int64_t id = *clock().shown()->run->id;
  change([](Experiment& e) { e.problem.m *= 2; });
  runAll();
  EXPECT_FALSE(window->bench().runs().current().contains(id));
  window->bench().presenter().show(id);
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  settle();
  EXPECT_EQ(window->runsTable()->selectedRuns(), std::vector<int64_t>{id});
  EXPECT_TRUE(who().endsWith("earlier experiment")) << who().toStdString();
}

TEST_F(OneState, AReportHasTheRunsAndSectionsThatAreChosen) {
  runAll();
  runModule("mlp");
  window->action("export.report")->trigger();
  auto* dialog = window->findChild<ReportDialog*>();
  ASSERT_NE(dialog, nullptr);
  const auto made = [&] { return wait_for([&] { return !dialog->preparing(); }); };
  ASSERT_TRUE(made());
  EXPECT_EQ(dialog->choice().runs.size(), 2U) << "the experiment's, not the module's";
  EXPECT_TRUE(dialog->preview().contains("wang.os"));
  EXPECT_FALSE(dialog->preview().contains("mlp"));
  EXPECT_TRUE(dialog->preview().contains("Assumptions"));
  QListWidget* parts = dialog->parts();
  for (int i = 0; i < parts->count(); ++i)
    if (parts->item(i)->text() == "Assumptions") parts->item(i)->setCheckState(Qt::Unchecked);
  dialog->runs()->item(0)->setCheckState(Qt::Unchecked);
  ASSERT_TRUE(made());
  EXPECT_FALSE(dialog->preview().contains("Assumptions"));
  const ReportChoice choice = dialog->choice();
  EXPECT_EQ(choice.runs.size(), 1U);
  const QTemporaryDir folder;
  const QString path = folder.filePath("r.md");
  ASSERT_TRUE(with_whole_runs(window->bench(), choice.runs, [&](const Comparison& comparison) {
                return export_report(comparison, path, "", {}, choice.extent);
              }).ok());
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  EXPECT_FALSE(text.contains("## Assumptions"));
  EXPECT_TRUE(text.contains("## Runs"));
  EXPECT_FALSE(text.contains(
      QString::fromStdString(window->bench().runs().row(choice.runs[0] == 1 ? 2 : 1)->strategy)));
  dialog->reject();
}

}  // namespace
}  // namespace shardscope::one_state_test
