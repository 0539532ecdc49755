// SPDX-License-Identifier: Apache-2.0
// Nothing is lost: a window that ended, however it ended, comes back as it was.
#include <QDoubleSpinBox>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <fcntl.h>
#include <random>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/app/journal_steps.h"
#include "tests/app/kept_window.h"

namespace shardscope::journal_window_test {
namespace {

#ifdef SHARDSCOPE_NIGHTLY
constexpr int kKills = 100;
#else
constexpr int kKills = 10;
#endif
constexpr int kSteps = 20;

// Another process that works in `folder`; its end of the pipe says which steps it has taken.
struct Worker {
  pid_t process = 0;
  int said = -1;

  explicit Worker(const std::string& folder) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    process = fork();
    if (process == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl("/proc/self/exe", "test_app_window", "--work-until-killed", folder.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    said = ends[0];
  }
  ~Worker() { close(said); }

  int next() const {
    int step = -1;
    return read(said, &step, sizeof step) == sizeof step ? step : -1;
  }
  // Waits for `step`, then `us` more, kills, and gives the last step that it said.
  int kill_after(int step, useconds_t us) const {
    int last = -1;
    while (last < step) {
      const int now = next();
      if (now < 0) break;
      last = now;
    }
    usleep(us);
    kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    for (int late = next(); late >= 0; late = next()) last = late;
    return last;
  }
};

// The states after each step, as one who is not killed goes through them.
std::vector<WindowState> undisturbed() {
  const QTemporaryDir folder;
  JournaledWork work(folder.path());
  std::vector<WindowState> states;
  for (int step = 0; step < kSteps + 60; ++step) {
    work.take(step);
    states.push_back(read_state(work.state()).value());
  }
  return states;
}

void expect_as_it_was(Workbench& bench, const std::vector<WindowState>& states, int done) {
  const WindowState now = bench.state().now();
  const WindowState& before = states[static_cast<size_t>(done)];
  const WindowState& after = states[static_cast<size_t>(done) + 1];
  if (JournaledWork::runs(done + 1)) {  // in the middle of a run: what was done before it is there
    EXPECT_EQ(now.experiment, before.experiment) << done;
    for (const int64_t id : before.current)
      EXPECT_EQ(std::count(now.current.begin(), now.current.end(), id), 1) << done;
  } else {
    EXPECT_TRUE(now == before || now == after) << "after step " << done << "\n"
                                               << text(now).toStdString() << "\nbut it was\n"
                                               << text(before).toStdString();
  }
  for (const int64_t id : before.current) {
    const auto run = bench.runs().workspace()->load(id);
    ASSERT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(static_cast<int64_t>((*run)->timeline.events.size()), (*run)->timeline.event_count);
  }
}

TEST(Journal, KillNineAtAnyMomentLosesNothing) {
  const std::vector<WindowState> states = undisturbed();
  std::mt19937 random(11);
  for (int round = 0; round < kKills; ++round) {
    const QTemporaryDir folder;
    const Worker worker(folder.path().toStdString());
    const int done = worker.kill_after(static_cast<int>(random() % kSteps), random() % 6000);
    ASSERT_GE(done, 0) << "it never began";
    ASSERT_LT(static_cast<size_t>(done) + 1, states.size());
    const auto left = Journal::left(folder.path().toStdString());
    ASSERT_EQ(left.size(), 1U);
    Workbench bench;
    Journaling journaling(bench);
    ASSERT_TRUE(journaling.begin(folder.path()).ok());
    const auto restored = journaling.restore(QString::fromStdString(left.front().path));
    ASSERT_TRUE(restored.ok()) << restored.error().text();
    ASSERT_TRUE(wait_for([&] { return !bench.presenter().preparing(); }));
    expect_as_it_was(bench, states, done);
  }
}

class JournalWindow : public KeptWindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window = newWindow();
    openSmall();
  }
  void edit(int64_t m) {
    Experiment e = window->bench().document().experiment();
    e.problem.m = m;
    window->bench().document().change(e, "m");
    settle();
  }
};

TEST_F(JournalWindow, RestoreBringsTheWindowBackAsItWas) {
  runAll();
  clock().setBeat(1);
  window->timeline()->setFocus();
  QKeyEvent one(QEvent::KeyPress, Qt::Key_1, Qt::ControlModifier);
  QCoreApplication::sendEvent(window->timeline(), &one);
  edit(128);
  settle(400);
  const WindowState before = window->bench().state().now();
  const QString verdict = window->runsTable()->verdictText();
  ASSERT_FALSE(before.shown.runs.empty());
  ASSERT_FALSE(before.parts["docks"].toObject()["timeline"].toObject()["bookmarks"].toObject().isEmpty());
  window.reset();  // without being closed

  window = newWindow();
  ASSERT_TRUE(window->bench().openPreset("default").ok());
  ASSERT_TRUE(waitForOffer());
  EXPECT_TRUE(window->restoreBar().isVisible());
  EXPECT_TRUE(window->restoreBar().offered().contains("2 runs"))
      << window->restoreBar().offered().toStdString();
  pressRestore();
  EXPECT_FALSE(window->restoreBar().isVisible());
  EXPECT_EQ(text(window->bench().state().now()).toStdString(), text(before).toStdString());
  ASSERT_TRUE(wait_for([&] { return window->runsTable()->verdictText() == verdict; }, 5000))
      << window->runsTable()->verdictText().toStdString();
}

TEST_F(JournalWindow, EarlierWindowsAreListedBesideTheWindow) {
  const QString journals = journal_folder();
  {
    JournaledWork earlier(journals);
    earlier.take(0);
  }
  QMenu* menu = nullptr;
  for (QMenu* each : window->findChildren<QMenu*>())
    if (each->title() == "Ear&lier windows") menu = each;
  ASSERT_NE(menu, nullptr);
  Q_EMIT menu->aboutToShow();
  ASSERT_EQ(menu->actions().size(), 1);
  EXPECT_FALSE(menu->actions().front()->isEnabled()) << "it does not wait for them";
  ASSERT_TRUE(wait_for([&] { return menu->actions().front()->isEnabled(); }, 5000));
  EXPECT_TRUE(menu->actions().front()->text().startsWith("step 0"))
      << menu->actions().front()->text().toStdString();
}

TEST_F(JournalWindow, StartFreshIsNotAskedAgain) {
  edit(128);
  window.reset();
  window = newWindow();
  ASSERT_TRUE(waitForOffer());
  window->restoreBar().freshButton()->click();
  EXPECT_FALSE(window->restoreBar().isVisible());
  window.reset();
  EXPECT_EQ(Journal::left(folder.path().toStdString()).size(), 1U) << "it is kept";
  window = newWindow();
  settle(300);
  EXPECT_FALSE(window->restoreBar().offers());
}

TEST_F(JournalWindow, ClosingNeverAsksForWhatTheJournalKeeps) {
  edit(128);
  EXPECT_TRUE(window->close());
  EXPECT_EQ(Journal::left(folder.path().toStdString()).size(), 1U);
}

TEST_F(JournalWindow, WindowThatDidNothingLeavesNothing) {
  EXPECT_TRUE(window->close());
  window.reset();
  EXPECT_TRUE(Journal::left(folder.path().toStdString()).empty());
}

TEST_F(JournalWindow, TitleHasTheFilesNameAndAMarkWhileItLacksEdits) {
  const QString file = folder.filePath("mine.toml");
  ASSERT_TRUE(window->bench().document().save(file).ok());
  ASSERT_TRUE(window->bench().openFile(file).ok());
  EXPECT_EQ(window->windowTitle(), "mine.toml[*] – Shardscope");
  EXPECT_FALSE(window->isWindowModified());
  edit(128);
  EXPECT_TRUE(window->isWindowModified());
  window->action("file.save")->trigger();
  ASSERT_TRUE(wait_for([&] { return !window->isWindowModified(); }, 5000));
  EXPECT_EQ(find_experiment(file.toStdString()).value().problem.m, 128);
  edit(256);
  window->bench().document().undoStack().undo();
  EXPECT_FALSE(window->isWindowModified()) << "it is what the file holds";
}

TEST_F(JournalWindow, WorkspaceReopensWithItsExperimentRunsVerdictAndView) {
  runAll();
  const QTemporaryDir files;
  const QString file = files.filePath("w.shardscope");
  window->bench().saveWorkspace(file);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  showRunOf("collective.os");
  clock().setBeat(1);
  const WindowState before = window->bench().state().now();
  const QString verdict = window->runsTable()->verdictText();
  ASSERT_TRUE(window->close());
  window.reset();
  EXPECT_TRUE(Journal::left(folder.path().toStdString()).empty()) << "all is in the file";

  window = newWindow();
  ASSERT_TRUE(window->bench().openFile(file).ok());
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  EXPECT_EQ(text(window->bench().state().now()).toStdString(), text(before).toStdString());
  ASSERT_TRUE(wait_for([&] { return window->runsTable()->verdictText() == verdict; }, 5000))
      << window->runsTable()->verdictText().toStdString();
  EXPECT_FALSE(window->isWindowModified());
}

TEST_F(JournalWindow, OpeningAWorkspaceIsAJobThatDoesNotHoldTheWindow) {
  runAll();
  const QTemporaryDir files;
  const QString file = files.filePath("w.shardscope");
  window->bench().saveWorkspace(file);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  openSmall();
  window = newWindow();
  open_path(window->context(), file);
  EXPECT_TRUE(window->bench().jobs().running());
  EXPECT_NE(window->bench().document().file(), file) << "not yet";
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_EQ(window->bench().document().file(), file);
  EXPECT_EQ(window->bench().runs().current().size(), 2U);
  open_path(window->context(), "/nowhere/w.shardscope");
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_EQ(window->bench().document().file(), file) << "what was open stays";
}

TEST_F(JournalWindow, HistoryListsEveryEditAndGoesBackByAClick) {
  const Experiment before = window->bench().document().experiment();
  edit(128);
  Experiment other = window->bench().document().experiment();
  other.problem.k *= 2;
  window->bench().document().change(other, "k");
  other = window->bench().document().experiment();  // its title goes along
  QMenu* history = nullptr;
  for (QMenu* menu : window->findChildren<QMenu*>())
    if (menu->title() == "&History") history = menu;
  ASSERT_NE(history, nullptr);
  const auto click = [&](int entry) {
    Q_EMIT history->aboutToShow();
    ASSERT_EQ(history->actions().size(), 3);
    history->actions().at(entry)->trigger();
  };
  click(2);  // the oldest stands last
  EXPECT_EQ(window->bench().document().experiment(), before);
  click(0);
  EXPECT_EQ(window->bench().document().experiment(), other);
  click(1);
  EXPECT_EQ(window->bench().document().experiment().problem.m, 128);
}

TEST_F(JournalWindow, RunsOfAnEditedExperimentSayThatTheyAreOld) {
  runAll();
  const auto shown = [&](int role) {
    const RunsModel* model = window->runsTable()->model();
    return model->index(0, RunsModel::strategy).data(role);
  };
  EXPECT_FALSE(shown(Qt::DisplayRole).toString().contains("earlier"));
  edit(128);
  EXPECT_TRUE(shown(Qt::DisplayRole).toString().contains("(earlier experiment)"));
  EXPECT_TRUE(shown(Qt::ToolTipRole).toString().contains("edited since"));
  window->bench().document().undoStack().undo();
  EXPECT_FALSE(shown(Qt::DisplayRole).toString().contains("earlier")) << "it asks for them again";
}

TEST_F(JournalWindow, WheelChangesAFieldOnlyAfterAClickOnIt) {
  const auto turn = [](QWidget* over) {
    const QPointF at = over->rect().center();
    QWheelEvent wheel(at, over->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(over, &wheel);
  };
  ExperimentForm* form = window->form();
  form->verticalScrollBar()->setValue(0);
  ASSERT_GT(form->verticalScrollBar()->maximum(), 0) << "nothing to scroll";
  int choices = 0;
  for (QComboBox* box : form->findChildren<QComboBox*>()) {
    if (box->count() < 2 || box->isEditable()) continue;
    ++choices;
    box->setCurrentIndex(0);
    form->verticalScrollBar()->setValue(0);
    box->setFocus();
    turn(box);
    EXPECT_EQ(box->currentIndex(), 0) << box->accessibleName().toStdString();
    EXPECT_GT(form->verticalScrollBar()->value(), 0) << "the form scrolls instead";
  }
  ASSERT_GT(choices, 0);
  QDoubleSpinBox spin;
  QTest::mouseClick(&spin, Qt::LeftButton);
  turn(&spin);
  EXPECT_LT(spin.value(), 1e-9) << "at its least";
  spin.setValue(5);
  turn(&spin);
  EXPECT_DOUBLE_EQ(spin.value(), 4) << "after a click it is the field's";
}

}  // namespace
}  // namespace shardscope::journal_window_test
