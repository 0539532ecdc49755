// SPDX-License-Identifier: Apache-2.0
// The tables of docks and commands, undo by focus, jobs that hold the progress bar.
#include <QFileInfo>
#include <QSet>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/chip/grouped_panel.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/run_window.h"
#include "app/window/shell/screenshot.h"
#include "app/window/widgets/icons.h"
#include "tests/app/window_fixture.h"

namespace shardscope::shell_test {
namespace {

class ShellTest : public WindowTest {
 protected:
  const Experiment& experiment() { return window->bench().document().experiment(); }
  void changeRows(int64_t m) {
    Experiment e = experiment();
    e.problem.m = m;
    window->bench().document().change(e, "m");
  }
};

TEST_F(ShellTest, EveryRunViewIsADockWithACanvasThatSaysWhatItShows) {
  const std::vector<std::string> ids = window_views();
  for (const RunView& view : run_views()) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), view.id), 1) << view.id;
    const RunCanvas* canvas = window->canvas(view.id);
    ASSERT_NE(canvas, nullptr) << view.id;
    EXPECT_EQ(&canvas->view(), &view);
    EXPECT_FALSE(std::string(view.shows).empty()) << view.id;
  }
}

TEST_F(ShellTest, IdsOfDocksAndCommandsAreTheirOwn) {
  QSet<QString> ids;
  for (const Dock& dock : docks()) {
    EXPECT_FALSE(ids.contains(dock.id)) << dock.id.toStdString();
    ids.insert(dock.id);
  }
  ids.clear();
  for (const Command& command : commands()) {
    EXPECT_FALSE(ids.contains(command.id)) << command.id.toStdString();
    ids.insert(command.id);
    if (command.fill) continue;
    EXPECT_NE(window->action(command.id), nullptr) << command.id.toStdString();
  }
}

TEST_F(ShellTest, NoTwoCommandsHaveOneKey) {
  QSet<QString> keys;
  for (const QAction* action : window_actions(*window)) {
    for (const QKeySequence& key : action->shortcuts()) {
      EXPECT_FALSE(keys.contains(key.toString())) << key.toString().toStdString();
      keys.insert(key.toString());
    }
  }
}

TEST_F(ShellTest, EveryIconOfACommandIsAFile) {
  for (const Command& command : commands()) {
    for (const char* icon : {command.icon, command.on_icon}) {
      if (icon != nullptr) {
        EXPECT_FALSE(make_icon(icon, Qt::black, 16).isNull()) << icon;
      }
    }
  }
  EXPECT_TRUE(make_icon("nothing", Qt::black, 16).isNull());
}

TEST_F(ShellTest, PlayIsCalledPauseWhileItPlays) {
  runAll();
  QAction* play = window->action("step.play");
  EXPECT_EQ(play->text(), "Play");
  play->trigger();
  EXPECT_TRUE(clock().player().playing());
  EXPECT_EQ(play->text(), "Pause");
  play->trigger();
  EXPECT_EQ(play->text(), "Play");
}

TEST_F(ShellTest, RunAndCancelCanBeChosenInTurn) {
  EXPECT_TRUE(window->action("run.all")->isEnabled());
  EXPECT_FALSE(window->action("run.cancel")->isEnabled());
  window->bench().runAll();
  EXPECT_FALSE(window->action("run.all")->isEnabled());
  EXPECT_TRUE(window->action("run.cancel")->isEnabled());
  window->action("run.cancel")->trigger();
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_TRUE(window->action("run.all")->isEnabled());
}

TEST_F(ShellTest, TimesStandInTheTableBeforeTheNumbersAndStayWhenTheRestIsCancelled) {
  const RunStore& runs = window->bench().runs();
  const RunArrivals& arrivals = window->bench().arrivals();
  const RunsModel* table = window->runsTable()->model();
  const auto numbers = [&](const char* word) {
    int count = 0;
    for (size_t row = 0; row < table->rows().size(); ++row)
      count += table->index(static_cast<int>(row), RunsModel::numerics).data().toString() == word;
    return count;
  };
  window->bench().runAll();
  ASSERT_TRUE(wait_for([&] { return !arrivals.proving().empty(); }));
  EXPECT_GT(numbers("on the way"), 0);
  size_t timed = 0;
  ASSERT_TRUE(wait_for([&] {
    timed = runs.current().size();
    return timed + runs.skipped().size() == requests_of(experiment()).size();
  }));
  window->action("run.cancel")->trigger();
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_EQ(runs.current().size(), timed);
  EXPECT_TRUE(arrivals.proving().empty());
  EXPECT_EQ(numbers("on the way"), 0);
  EXPECT_EQ(numbers("not checked") + numbers("✓ equal"), static_cast<int>(timed));
  EXPECT_FALSE(window->runsTable()->verdictText().isEmpty());
}

TEST_F(ShellTest, TheShownRunGetsItsNumbersWhereItStands) {
  window->bench().runAll();
  ASSERT_TRUE(wait_for([&] { return clock().shown() != nullptr; }));
  ASSERT_TRUE(wait_for(
      [&] { return !window->bench().jobs().running() && !window->bench().presenter().preparing(); }));
  for (const auto& [id, run] : window->bench().runs().known()) {
    EXPECT_TRUE(run->numerics.checked) << run->strategy;
    window->bench().presenter().show(id);
    ASSERT_TRUE(wait_for([&] { return clock().shown()->run == run; })) << run->strategy;
  }
}

TEST_F(ShellTest, UndoIsThatOfTheDockWithTheFocus) {
  window->activateWindow();
  const int64_t m = experiment().problem.m;
  changeRows(m * 2);
  auto* grouped = window->docks().widget<GroupedPanel>("grouped");
  window->showPanel("grouped");
  const GroupedRows before = grouped->rows();
  grouped->tile()->setValue(64);
  ASSERT_NE(grouped->rows(), before);
  grouped->tile()->setFocus();
  QAction* undo = window->action("edit.undo");
  undo->trigger();
  EXPECT_EQ(grouped->rows(), before) << "the edit of what has the focus";
  EXPECT_EQ(experiment().problem.m, m * 2);
  window->timeline()->setFocus();
  undo->trigger();
  EXPECT_EQ(experiment().problem.m, m) << "a dock without edits of its own: the experiment's";
  window->action("edit.redo")->trigger();
  EXPECT_EQ(experiment().problem.m, m * 2);
}

TEST_F(ShellTest, CtrlZInAFieldUndoesItsTypingFirstThenTheExperiment) {
  window->activateWindow();
  const int64_t m = experiment().problem.m;
  changeRows(m * 2);
  QLineEdit* field = window->form()->sharding()->spec(0);
  const QString text = field->text();
  field->setFocus();
  QTest::keyClick(field, Qt::Key_X);
  ASSERT_NE(field->text(), text);
  QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(field->text(), text);
  EXPECT_EQ(experiment().problem.m, m * 2);
  QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(experiment().problem.m, m);
}

TEST_F(ShellTest, SavingIsAJobThatDoesNotHoldTheWindow) {
  runAll();
  QTemporaryDir folder;
  const QString path = folder.filePath("w.shardscope");
  const size_t runs = window->bench().runs().rows().size();
  QString said;
  QObject::connect(&window->bench(), &Workbench::saved, window.get(), [&](const QString& at) { said = at; });
  window->bench().saveWorkspace(path);
  EXPECT_TRUE(window->bench().jobs().running());
  EXPECT_TRUE(window->action("run.cancel")->isEnabled());
  EXPECT_NE(window->bench().runs().workspace()->path(), path.toStdString()) << "still in the old one";
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_EQ(said, path);
  EXPECT_EQ(window->bench().runs().workspace()->path(), path.toStdString());
  EXPECT_EQ(window->bench().runs().rows().size(), runs);
  EXPECT_EQ(window->bench().runs().current().size(), runs);
  window->bench().saveWorkspace(path);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); })) << "its runs are there";
  EXPECT_EQ(window->bench().runs().rows().size(), runs);
}

TEST_F(ShellTest, CancelledSavingLeavesNoFileAndTheOldWorkspace) {
  runAll();
  QTemporaryDir folder;
  const QString path = folder.filePath("w.shardscope");
  const size_t runs = window->bench().runs().rows().size();
  window->bench().saveWorkspace(path);
  window->bench().jobs().cancel();
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_FALSE(QFileInfo::exists(path));
  EXPECT_EQ(window->bench().runs().rows().size(), runs);
  EXPECT_NE(window->bench().runs().workspace()->path(), path.toStdString());
}

TEST_F(ShellTest, SavingWhereNothingCanBeWrittenSaysSo) {
  runAll();
  window->bench().saveWorkspace("/nowhere/w.shardscope");
  QString last_word;
  QObject::connect(&window->bench().jobs(), &JobRunner::ended, window.get(),
                   [&](const QString& word) { last_word = word; });
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_TRUE(last_word.contains("/nowhere/w.shardscope")) << last_word.toStdString();
}

TEST_F(ShellTest, UnknownViewOfAScreenshotIsRefusedWithThoseThereAre) {
  std::string refused;
  take_screenshot(*window, "rings", "/nowhere.png",
                  [&](const Result<void>& taken) { refused = taken.ok() ? "" : taken.error().text(); });
  ASSERT_TRUE(wait_for([&] { return !refused.empty(); }));
  for (const std::string& id : window_views()) EXPECT_NE(refused.find(id), std::string::npos) << id;
}

}  // namespace
}  // namespace shardscope::shell_test
