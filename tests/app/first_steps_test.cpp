// SPDX-License-Identifier: Apache-2.0
// What a newcomer does first, counted in actions: a key, a click, a value put in. And that the keyboard alone
// does it all.
#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/window/dialogs/preset_browser.h"
#include "app/window/runs/compare_panel.h"
#include "app/window/shell/command_palette.h"
#include "app/window/studies/what_if_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::first_steps_test {
namespace {

// A process with folders of its own, as on a machine where the program never ran.
TEST(FirstStart, OpensExploreOnTheTeachingPresetWithItsRunShown) {
  const QTemporaryDir home;
  QProcess program;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* each : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
    environment.insert(each, home.path());
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  program.setProcessEnvironment(environment);
  program.start(QCoreApplication::applicationFilePath(), {"--first-start"});
  ASSERT_TRUE(program.waitForFinished(120'000));
  const QByteArray out = program.readAllStandardOutput();
  const QJsonObject seen = QJsonDocument::fromJson(out.trimmed()).object();
  EXPECT_EQ(seen["page"].toString(), "explore")
      << out.toStdString() << program.readAllStandardError().toStdString();
  EXPECT_EQ(seen["title"].toString().toStdString(), find_experiment("teaching")->title);
  EXPECT_EQ(seen["shown"].toString(), "collective.os") << "the first of its ways";
  EXPECT_EQ(seen["rows"].toInt(), 1) << "one run, not all of them";
  EXPECT_GE(seen["views"].toInt(), 3) << "grid, ring and timeline";
  EXPECT_FALSE(seen["offer"].toBool());
}

class FirstSteps : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    ASSERT_TRUE(window->bench().openPreset("teaching").ok());
    window->action("run.one")->trigger();
    ready();
    window->activateWindow();
    actions = 0;
  }
  void ready() {
    ASSERT_TRUE(wait_for([&] {
      return !window->bench().jobs().running() && !window->bench().presenter().preparing() &&
             clock().shown() && !clock().shown()->telling;
    }));
    settle();
  }
  // One action each.
  void press(const char* key) {
    ++actions;
    const QKeyCombination pressed = QKeySequence(key)[0];
    QWidget* focus = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window.get();
    QTest::keyClick(focus, pressed.key(), pressed.keyboardModifiers());
  }
  void click(QAbstractItemView* view, const QModelIndex& cell, Qt::KeyboardModifiers held = {}) {
    ++actions;
    QTest::mouseClick(view->viewport(), Qt::LeftButton, held, view->visualRect(cell).center());
  }
  int actions = 0;
};

TEST_F(FirstSteps, WhichStrategyWinsAndWhyIsOneAction) {
  press("Ctrl+R");
  ready();
  EXPECT_LE(actions, 1);
  const QString verdict = window->runsTable()->verdictText();
  EXPECT_TRUE(window->runsTable()->isVisible());
  const auto ranked = rank(window->bench().runs().currentRuns());
  ASSERT_GE(ranked.size(), 2U);
  EXPECT_TRUE(verdict.contains(QString::fromStdString(ranked.front().run->strategy)))
      << verdict.toStdString();
  const bool says_why = verdict.contains("exposed") || verdict.contains("compute") ||
                        verdict.contains("idle") || verdict.contains("latency");
  EXPECT_TRUE(says_why) << verdict.toStdString();
  EXPECT_EQ(clock().shown()->run->strategy, ranked.front().run->strategy) << "and it is shown";
}

TEST_F(FirstSteps, WouldTwiceTheLinkHelpIsTwoActions) {
  press("Alt+3");
  auto* panel = window->docks().widget<WhatIfPanel>("what_if");
  ASSERT_TRUE(panel->isVisible());
  ASSERT_TRUE(wait_for([&] { return panel->answer() != nullptr && !panel->busy(); }));
  KnobRow* knob = panel->knob("link", "col");
  ASSERT_NE(knob, nullptr);
  ++actions;  // a value put in
  knob->field()->setFocus();
  knob->field()->selectAll();
  QTest::keyClicks(knob->field(), "x2");
  QTest::keyClick(knob->field(), Qt::Key_Return);
  ASSERT_TRUE(wait_for([&] { return !panel->busy() && !panel->answer()->question.overrides.axes.empty(); }));
  EXPECT_LE(actions, 2);
  EXPECT_NEAR(panel->answer()->question.overrides.axes[0].factor, 2, 1e-9);
  EXPECT_FALSE(panel->sentence().isEmpty());
}

TEST_F(FirstSteps, WhatDiffersBetweenTheseTwoIsThreeActions) {
  press("Ctrl+R");
  ready();
  actions = 0;
  QTableView* table = window->runsTable()->view();
  click(table, table->model()->index(0, 1));
  click(table, table->model()->index(1, 1), Qt::ControlModifier);
  press("Ctrl+B");
  ready();
  EXPECT_LE(actions, 3);
  auto* compare = window->docks().widget<ComparePanel>("compare");
  EXPECT_TRUE(compare->isVisible());
  ASSERT_NE(clock().comparison(), nullptr);
  EXPECT_FALSE(compare->verdict().isEmpty());
  EXPECT_GT(compare->model()->rowCount(), 0) << "operation by operation";
}

// F6 from one to the next, all pages: each view takes the focus and lets it go again.
TEST_F(FirstSteps, EveryViewOfEveryPageIsReachedAndLeftByKeys) {
  for (const Page& page : pages()) {
    window->docks().setPage(page.id);
    settle();
    QSet<QString> wanted, reached;
    for (const DockArea::Made& made : window->docks().all()) {
      if (window->docks().onPage(made) && !made.dock->isHidden()) wanted << made.row->id;
    }
    for (int i = 0; i <= wanted.size(); ++i) {
      const QWidget* before = QApplication::focusWidget();
      press("F6");
      const DockArea::Made* made = window->docks().at(QApplication::focusWidget());
      ASSERT_NE(made, nullptr) << page.id.toStdString();
      if (wanted.size() > 1) {
        EXPECT_NE(QApplication::focusWidget(), before) << page.id.toStdString();
      }
      EXPECT_TRUE(made->widget->isVisible()) << made->row->id.toStdString();
      reached << made->row->id;
    }
    EXPECT_EQ(reached, wanted) << page.id.toStdString();
    press("Shift+F6");
    EXPECT_NE(window->docks().at(QApplication::focusWidget()), nullptr);
  }
}

TEST_F(FirstSteps, EveryButtonOfTheToolBarIsReachedByTab) {
  press("Ctrl+F6");
  auto* tools = window->findChild<QToolBar*>("tools");
  ASSERT_TRUE(tools->isAncestorOf(QApplication::focusWidget()));
  QSet<QWidget*> reached;
  for (int i = 0; i < 60 && tools->isAncestorOf(QApplication::focusWidget()); ++i) {
    reached << QApplication::focusWidget();
    press("Tab");
  }
  for (QToolButton* button : tools->findChildren<QToolButton*>()) {
    if (!button->isVisible() || !button->isEnabled() || button->text().isEmpty()) continue;
    EXPECT_TRUE(reached.contains(button)) << button->text().toStdString();
  }
}

TEST_F(FirstSteps, ThePaletteFindsRunsStrategiesPresetsPagesViewsAndCommands) {
  window->action("help.commands")->trigger();
  auto* palette = window->findChild<CommandPalette*>();
  ASSERT_NE(palette, nullptr);
  for (const auto& [typed, found] : std::initializer_list<std::pair<const char*, const char*>>{
           {"show run collective.os", "Show run"},
           {"strategy wang.os", "Strategy wang.os"},
           {"cannon on a mesh that", "Cannon on a mesh that is not square"},
           {"page compare", "Page 2: Compare"},
           {"go to memory", "Go to Memory"},
           {"dark theme", "Dark theme"}}) {
    palette->input()->setText(typed);
    ASSERT_GT(palette->list()->count(), 0) << typed;
    EXPECT_TRUE(palette->list()->item(0)->text().startsWith(found))
        << palette->list()->item(0)->text().toStdString();
  }
}

class PresetBrowserTest : public WindowTest {
 protected:
  PresetBrowser* opened() {
    window->action("file.presets")->trigger();
    return window->findChild<PresetBrowser*>();
  }
};

TEST_F(PresetBrowserTest, FiltersNarrowByTopicSizePaperAndWords) {
  PresetBrowser* browser = opened();
  ASSERT_NE(browser, nullptr);
  const int all = browser->list()->count();
  EXPECT_EQ(all, std::ssize(preset_catalogue()));
  int by_topic = 0;
  for (int i = 1; i < browser->topic()->count(); ++i) {
    browser->topic()->setCurrentIndex(i);
    EXPECT_GT(browser->list()->count(), 0);
    by_topic += browser->list()->count();
  }
  EXPECT_EQ(by_topic, all) << "each has one topic";
  browser->topic()->setCurrentIndex(0);
  int by_size = 0;
  for (int i = 1; i < browser->sizes()->count(); ++i) {
    browser->sizes()->setCurrentIndex(i);
    by_size += browser->list()->count();
  }
  EXPECT_EQ(by_size, all);
  browser->sizes()->setCurrentIndex(0);
  browser->paper()->setChecked(true);
  EXPECT_LT(browser->list()->count(), all);
  browser->search()->setText("cannon 1969");
  EXPECT_GE(browser->list()->count(), 1);
  EXPECT_TRUE(browser->about()->text().contains("Cannon 1969"));
  browser->search()->setText("no such thing");
  EXPECT_EQ(browser->list()->count(), 0);
}

TEST_F(PresetBrowserTest, PicturesAreOfRealRunsAndEnterOpens) {
  PresetBrowser* browser = opened();
  browser->search()->setText("teaching");
  ASSERT_TRUE(wait_for([&] { return browser->pictures().has("teaching"); }));
  const QImage picture = browser->pictures().picture("teaching");
  ASSERT_FALSE(picture.isNull());
  QSet<QRgb> colours;
  for (int y = 0; y < picture.height(); y += 3) {
    for (int x = 0; x < picture.width(); x += 3) colours << picture.pixel(x, y);
  }
  EXPECT_GT(colours.size(), 8) << "blocks, not an empty sheet";
  EXPECT_TRUE(browser->about()->text().contains("collective.os gathers rows"));
  QTest::keyClick(browser->search(), Qt::Key_Down);
  QTest::keyClick(browser->list(), Qt::Key_Return);
  EXPECT_EQ(window->bench().document().experiment().title, find_experiment("teaching")->title);
  EXPECT_FALSE(browser->isVisible());
}

}  // namespace
}  // namespace shardscope::first_steps_test
