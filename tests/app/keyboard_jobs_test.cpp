// SPDX-License-Identifier: Apache-2.0
// Ten jobs, each from the first to the last by keys alone: whatever has the focus gets them.
#include <QApplication>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/window/dialogs/preset_browser.h"
#include "app/window/dialogs/report_dialog.h"
#include "app/window/runs/compare_panel.h"
#include "app/window/shell/command_palette.h"
#include "app/window/studies/what_if_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::keyboard_jobs_test {
namespace {

class KeyboardJobs : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->activateWindow();
    settle();
  }
  static QWidget* focus() { return QApplication::focusWidget(); }
  // Without a window manager nobody gives the window the keyboard back when a dialog closes.
  void press(const char* keys) {
    if (QApplication::activeWindow() == nullptr) window->activateWindow();
    const QKeyCombination key = QKeySequence(keys)[0];
    QTest::keyClick(focus() != nullptr ? focus() : window.get(), key.key(), key.keyboardModifiers());
    settle(10);
  }
  void type(const QString& text) {
    ASSERT_NE(focus(), nullptr);
    QTest::keyClicks(focus(), text);
    settle(10);
  }
  void command(const QString& words) {
    press("Ctrl+K");
    ASSERT_TRUE(wait_for([] { return qobject_cast<QLineEdit*>(focus()) != nullptr; }));
    type(words);
    press("Return");
    settle();
  }
  void ready() {
    ASSERT_TRUE(wait_for([&] {
      return !window->bench().jobs().running() && !window->bench().presenter().preparing() &&
             clock().shown() && !clock().shown()->telling;
    }));
    settle();
  }
  // Types `path` into the dialog for a file that `keys` open, and Enter.
  void pressAndName(const std::function<void()>& opens, const QString& path) {
    QTimer typing;
    bool typed = false;
    QObject::connect(&typing, &QTimer::timeout, [&] {
      QWidget* dialog = QApplication::activeModalWidget();
      if (dialog == nullptr) dialog = QApplication::activeWindow();
      if (dialog == nullptr || dialog == window.get() || focus() == nullptr || focus()->window() != dialog)
        return;
      if (qobject_cast<QFileDialog*>(dialog) == nullptr || typed) {
        QTest::keyClick(focus(), Qt::Key_Return);
        return;
      }
      typed = true;
      QTest::keyClick(focus(), Qt::Key_A, Qt::ControlModifier);
      QTest::keyClicks(focus(), path);
      QTest::keyClick(focus(), Qt::Key_Return);
    });
    typing.start(100);
    opens();
    ASSERT_TRUE(wait_for([&] { return QFileInfo::exists(path); })) << path.toStdString();
  }
  void tabTo(const std::function<bool(QWidget*)>& wanted) {
    for (int i = 0; i < 200 && !(focus() != nullptr && wanted(focus())); ++i) press("Tab");
    ASSERT_TRUE(focus() != nullptr && wanted(focus()));
  }
  const QTemporaryDir folder;
};

TEST_F(KeyboardJobs, OpenAPresetRunCompareStepFindAskPartitionSaveAndReport) {
  // 1: open a preset
  press("Ctrl+Shift+P");
  ASSERT_TRUE(wait_for([] { return qobject_cast<QLineEdit*>(focus()) != nullptr; }));
  type("wang os 2x4");
  press("Return");
  settle();
  EXPECT_EQ(window->bench().document().experiment().title, find_experiment("wang_os_2x4")->title);
  window->bench().document().open(reduced(window->bench().document().experiment()));  // the test's time
  window->activateWindow();
  settle();

  // 2: run one strategy
  press("Ctrl+Shift+R");
  ready();
  EXPECT_EQ(window->bench().runs().rows().size(), 1U);

  // 3: run all of them
  press("Ctrl+R");
  ready();
  const size_t runs = window->bench().runs().rows().size();
  ASSERT_GE(runs, 2U);

  // 4: compare two
  command("go to runs");
  EXPECT_EQ(focus(), window->runsTable()->view());
  press("Home");
  press("Shift+Down");
  ASSERT_EQ(window->runsTable()->selectedRuns().size(), 2U);
  press("Ctrl+B");
  ready();
  EXPECT_NE(clock().comparison(), nullptr);
  EXPECT_TRUE(window->docks().widget<ComparePanel>("compare")->isVisible());

  // 5: step through a run
  press("Alt+1");
  EXPECT_EQ(focus(), window->timeline());
  press("Ctrl+Home");
  const Picoseconds first = clock().selection().time;
  for (int step = 0; step < 3; ++step) press("Right");
  EXPECT_GT(clock().selection().time, first);

  // 6: find an operation
  press("Ctrl+F");
  type("dot");
  press("Return");
  ASSERT_EQ(clock().selection().selected.kind, ItemId::Kind::event);
  const int32_t found = clock().selection().selected.instruction;
  EXPECT_NE(clock().shown()->run->program.by_global_index(found).name.find("dot"), std::string::npos);
  press("Escape");
  EXPECT_EQ(focus(), window->timeline());

  // 7: ask what twice the bandwidth would give
  press("Alt+3");
  auto* what_if = window->docks().widget<WhatIfPanel>("what_if");
  ASSERT_TRUE(wait_for([&] { return what_if->answer() != nullptr && !what_if->busy(); }));
  EXPECT_EQ(focus(), what_if->pictureCanvas());
  QLineEdit* field =
      what_if->knob("link", QString::fromStdString(clock().shown()->run->mesh.axes().back().name))->field();
  tabTo([&](const QWidget* at) { return at == field; });
  type("2");
  press("Return");
  ASSERT_TRUE(
      wait_for([&] { return !what_if->busy() && !what_if->answer()->question.overrides.axes.empty(); }));
  EXPECT_EQ(what_if->answer()->question.overrides.axes[0].factor, 2);

  // 8: open a module and partition it
  command("hlo: mlp");
  ASSERT_TRUE(wait_for([&] { return window->hlo()->explained() != nullptr && !window->hlo()->busy(); }));
  EXPECT_EQ(window->docks().page(), "module");
  EXPECT_FALSE(window->hlo()->partitionedText().isEmpty());

  // 9: save the workspace under a name
  press("Alt+1");
  const QString workspace = folder.filePath("kept.shardscope");
  pressAndName([&] { press("Ctrl+Shift+S"); }, workspace);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  settle();
  EXPECT_EQ(window->bench().document().file(), workspace);

  // 10: a report of two of the runs as Markdown
  window->activateWindow();
  settle();
  press("Ctrl+Shift+E");
  ReportDialog* dialog = nullptr;
  ASSERT_TRUE(wait_for([&] { return (dialog = window->findChild<ReportDialog*>()) != nullptr; }, 5'000));
  ASSERT_TRUE(wait_for([&] { return focus() != nullptr && focus()->window() == dialog; }));
  tabTo([&](QWidget* at) { return at->accessibleName() == "Runs of the report"; });
  press("Home");
  for (size_t run = 0; run < dialog->choice().runs.size() + 2; ++run) {
    if (dialog->choice().runs.size() > 2) press("Space");
    press("Down");
  }
  const std::vector<int64_t> wanted = dialog->choice().runs;
  ASSERT_EQ(wanted.size(), 2U);
  tabTo([](QWidget* at) { return at->accessibleName() == "Format of the report"; });
  for (int format = 0; format < 10 && dialog->choice().format != "md"; ++format) press("Down");
  ASSERT_EQ(dialog->choice().format, "md") << focus()->metaObject()->className();
  const QString report = folder.filePath("report.md");
  pressAndName([&] { press("Return"); }, report);
  ASSERT_TRUE(wait_for([&] { return Background::underWay() == 0; }));
  QFile written(report);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  const std::string text = written.readAll().toStdString();
  for (const RunSummary& row : window->bench().runs().rows()) {
    const bool is_wanted = std::ranges::find(wanted, row.id) != wanted.end();
    EXPECT_EQ(text.find("run " + std::to_string(row.id)) != std::string::npos, is_wanted) << text;
  }
}

}  // namespace
}  // namespace shardscope::keyboard_jobs_test
