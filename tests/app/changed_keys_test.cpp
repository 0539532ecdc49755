// SPDX-License-Identifier: Apache-2.0
// One table of keys: every one works as it is, works when it is another, and none is two things at once.
#include <QTest>

#include "app/window/dialogs/key_overview.h"
#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/settings/view_keys.h"
#include "app/window/shell/command_palette.h"
#include "app/window/studies/what_if_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::changed_keys_test {
namespace {

// Sees the keys that reach one object.
class Listening : public QObject {
 public:
  explicit Listening(QObject* to) : to_(to) { to->installEventFilter(this); }
  ~Listening() override { to_->removeEventFilter(this); }
  QList<QKeySequence> heard;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::KeyPress) heard << pressed(*static_cast<QKeyEvent*>(event));
    return event->type() == QEvent::KeyPress;  // what it does is asked elsewhere
  }

 private:
  QObject* to_;
};

class ChangedKeysTest : public WindowTest {
 protected:
  void SetUp() override {
    preferences.keys().resetAll();
    WindowTest::SetUp();
    runAll();
    showRunOf("wang.os");
    window->makeAllDocks();
    window->activateWindow();
  }
  void TearDown() override { preferences.keys().resetAll(); }
  KeyMap& keys() { return preferences.keys(); }

  // A widget of this window that reads the keys of a focus as a view.
  QWidget* listener(const QString& focus) {
    if (focus == "present") {
      if (!presented) presented.reset(presentation());
      return presented.get();
    }
    // A presentation hears the keys of what it shows; F5, when it leaves none any more, opens one.
    presented.reset();
    qDeleteAll(window->findChildren<Presentation*>());
    for (QWidget* each : window->findChildren<QWidget*>()) {
      if (heard_by(*each).contains(focus)) return each;
    }
    return nullptr;
  }
  static bool press(QObject* to, const QKeySequence& key) {
    QKeyEvent event(QEvent::KeyPress, key[0].key(), key[0].keyboardModifiers());
    event.setAccepted(true);
    QCoreApplication::sendEvent(to, &event);
    return event.isAccepted();
  }
  PreferencesDialog* openKeys() { return show_preferences(preferences, window.get(), "keys"); }

  std::unique_ptr<Presentation> presented;
};

TEST_F(ChangedKeysTest, NoTwoCommandsOfTheSameFocusShareAKey) {
  ASSERT_GT(keys().rows().size(), 150U);
  QSet<QString> ids;
  for (const KeyRow& row : keys().rows()) {
    EXPECT_FALSE(ids.contains(row.id)) << row.id.toStdString();
    ids << row.id;
    EXPECT_TRUE(keys().conflicts(row.id, keys().keys(row.id)).isEmpty())
        << row.id.toStdString() << " "
        << keys().conflicts(row.id, keys().keys(row.id)).join(", ").toStdString();
    for (const QKeySequence& key : row.first) EXPECT_EQ(key.count(), 1) << row.id.toStdString();
  }
}

TEST_F(ChangedKeysTest, EveryFocusIsHeardBySomethingAndHasAName) {
  QSet<QString> named;
  for (const Focus& focus : focuses()) named << focus.id;
  for (const KeyRow& row : keys().rows()) EXPECT_TRUE(named.contains(row.focus)) << row.id.toStdString();
  for (const KeyRow& row : view_keys()) EXPECT_NE(listener(row.focus), nullptr) << row.id.toStdString();
}

// Every command is reached by a key that it never had, and by its old one no more.
TEST_F(ChangedKeysTest, EveryCommandWorksWithAnotherKey) {
  const QKeySequence other("Ctrl+Alt+Shift+F12");
  for (const Command& command : commands()) {
    if (command.fill) continue;
    QAction* action = window->action(command.id);
    action->disconnect();  // what it does is not asked here, some of them quit
    action->setEnabled(true);
    int times = 0;
    QObject::connect(action, &QAction::triggered, action, [&] { ++times; });
    ASSERT_TRUE(keys().change(command.id, {other})) << command.id.toStdString();
    QTest::keyClick(window.get(), Qt::Key_F12, Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier);
    EXPECT_EQ(times, 1) << command.id.toStdString();
    EXPECT_TRUE(action->toolTip().contains(other.toString(QKeySequence::NativeText)));
    for (const QKeySequence& old : command.keys)
      EXPECT_FALSE(action->shortcuts().contains(old)) << command.id.toStdString();
    keys().takeOver(command.id, keys().find(command.id)->first);
    EXPECT_TRUE(keys().isFirst(command.id));
    EXPECT_EQ(action->shortcuts(), keys().find(command.id)->first);
  }
}

// As the user has it, a view's key arrives as the one that the view reads; as it was, it does not arrive.
TEST_F(ChangedKeysTest, EveryKeyOfAViewWorksWithAnotherKey) {
  const QKeySequence other("Ctrl+Alt+Shift+F12");
  for (const KeyRow& row : view_keys()) {
    QWidget* view = listener(row.focus);
    ASSERT_NE(view, nullptr) << row.id.toStdString();
    ASSERT_TRUE(keys().change(row.id, {other})) << row.id.toStdString();
    Listening listening(view);
    press(view, other);
    EXPECT_EQ(listening.heard, QList<QKeySequence>{pressed(QKeyEvent(QEvent::KeyPress, row.first[0][0].key(),
                                                                     row.first[0][0].keyboardModifiers()))})
        << row.id.toStdString() << " of " << view->metaObject()->className() << " said "
        << keys().said(row.id).toStdString() << " heard " << text_of_keys(listening.heard).toStdString();
    listening.heard.clear();
    for (const QKeySequence& old : row.first) press(view, old);
    EXPECT_TRUE(listening.heard.isEmpty()) << row.id.toStdString();
    keys().takeOver(row.id, row.first);
    press(view, row.first[0]);
    EXPECT_EQ(listening.heard.size(), 1) << row.id.toStdString();
  }
}

// The table says what views read.
TEST_F(ChangedKeysTest, ViewsReadTheKeysOfTheTable) {
  compare_best(window->context());
  ASSERT_TRUE(wait_for([&] { return clock().comparison() != nullptr; }));
  window->docks().setPage("what_if");
  const auto* panel = window->docks().widget<WhatIfPanel>("what_if");
  ASSERT_TRUE(wait_for([&] { return panel->answer() != nullptr && !panel->busy(); }));
  const auto read = [&](const QString& focus, const QKeySequence& key) {
    for (QWidget* each : window->findChildren<QWidget*>()) {
      QKeyEvent event(QEvent::KeyPress, key[0].key(), key[0].keyboardModifiers());
      if (heard_by(*each).contains(focus) && static_cast<QObject*>(each)->event(&event) && event.isAccepted())
        return true;
    }
    return false;
  };
  for (const KeyRow& row : view_keys()) {
    if (row.focus == "present" || row.focus == "mesh" || row.focus == "module" || row.focus == "grouped")
      continue;  // popups, texts and an empty study: their own tests press them
    for (const QKeySequence& key : row.first)
      EXPECT_TRUE(read(row.focus, key)) << row.id.toStdString() << " " << key.toString().toStdString();
  }
  EXPECT_FALSE(read("timeline", QKeySequence("F12"))) << "a key that nobody reads";
}

// The table says all that canvases read.
TEST_F(ChangedKeysTest, NoCanvasReadsAKeyThatTheTableLacks) {
  QList<QKeySequence> all;
  for (int key = Qt::Key_Space; key <= Qt::Key_BracketRight; ++key) all << QKeySequence(key);
  for (int key = Qt::Key_Home; key <= Qt::Key_PageDown; ++key) all << QKeySequence(key);
  for (int key = Qt::Key_F1; key <= Qt::Key_F12; ++key) all << QKeySequence(key);
  for (CanvasView* view : window->findChildren<CanvasView*>()) {
    const QStringList heard = heard_by(*view);
    for (const QKeySequence& key : all) {
      const bool told = std::any_of(keys().rows().begin(), keys().rows().end(), [&](const KeyRow& row) {
        return (heard.contains(row.focus) || row.focus == kEverywhere) && row.first.contains(key);
      });
      if (told) continue;
      // Its own reading, without what passes it on.
      QKeyEvent event(QEvent::KeyPress, key[0].key(), key[0].keyboardModifiers());
      static_cast<QObject*>(view)->event(&event);
      EXPECT_FALSE(event.isAccepted())
          << view->metaObject()->className() << " " << key.toString().toStdString();
    }
  }
}

TEST_F(ChangedKeysTest, AChangedStepIsASteponTheClock) {
  ASSERT_TRUE(keys().change("key.run.next", {QKeySequence("Y")}));
  clock().setBeat(1);
  const int first = clock().beat();
  press(window->timeline(), QKeySequence("Right"));
  EXPECT_EQ(clock().beat(), first) << "taken away";
  press(window->timeline(), QKeySequence("Y"));
  EXPECT_GT(clock().beat(), first);
  clock().setBeat(1);
  window->runsTable()->view()->setFocus();
  press(window->runsTable()->view(), QKeySequence("Y"));
  EXPECT_GT(clock().beat(), first) << "what no table wants is the timeline's";
}

TEST_F(ChangedKeysTest, AChangedBookmarkComesBackToItsPlace) {
  ASSERT_TRUE(keys().change("key.timeline.bookmark.set.1", {QKeySequence("Ctrl+Shift+B")}));
  ASSERT_TRUE(keys().change("key.timeline.bookmark.go.1", {QKeySequence("B")}));
  TimelineCanvas* timeline = window->timeline();
  press(timeline, QKeySequence("W"));
  const TimelineViewport there = timeline->viewport();
  press(timeline, QKeySequence("Ctrl+Shift+B"));
  press(timeline, QKeySequence("Home"));
  ASSERT_NE(timeline->viewport(), there);
  press(timeline, QKeySequence("1"));
  ASSERT_NE(timeline->viewport(), there);
  press(timeline, QKeySequence("B"));
  EXPECT_EQ(timeline->viewport(), there);
}

TEST_F(ChangedKeysTest, AKeyThatAnotherHasIsRefusedOrTakenOver) {
  EXPECT_EQ(keys().conflicts("look.dark", {QKeySequence("Ctrl+R")}), QStringList{"run.all"});
  EXPECT_FALSE(keys().change("look.dark", {QKeySequence("Ctrl+R")}));
  EXPECT_EQ(keys().said("look.dark"), "Ctrl+D");
  EXPECT_FALSE(keys().change("look.dark", {QKeySequence("W")})) << "a view has it";
  EXPECT_TRUE(keys().conflicts("key.kernel.first", {QKeySequence("Ctrl+9")}).isEmpty())
      << "the timeline has it, which is not where a kernel is";
  keys().takeOver("look.dark", {QKeySequence("Ctrl+R")});
  EXPECT_EQ(keys().said("look.dark"), "Ctrl+R");
  EXPECT_EQ(keys().said("run.all"), "");
  EXPECT_TRUE(window->action("run.all")->shortcuts().isEmpty());
}

TEST_F(ChangedKeysTest, ThePreferencesChangeAKeyByPressingIt) {
  KeysPage* page = openKeys()->keysPage();
  page->choose("run.all");
  page->button("change")->click();
  QTest::keyClick(page->field(), Qt::Key_J, Qt::ControlModifier);
  EXPECT_EQ(keys().said("run.all"), "Ctrl+J");
  EXPECT_FALSE(window->bench().jobs().running()) << "while one presses it, it does nothing";
  page->button("change")->click();
  QTest::keyClick(page->field(), Qt::Key_Escape);
  EXPECT_EQ(keys().said("run.all"), "Ctrl+J") << "Esc leaves it";
  page->button("change")->click();
  QTest::keyClick(page->field(), Qt::Key_D, Qt::ControlModifier);
  EXPECT_EQ(keys().said("run.all"), "Ctrl+J");
  EXPECT_TRUE(page->conflict()->text().contains("Dark theme")) << page->conflict()->text().toStdString();
  page->takeOverButton()->click();
  EXPECT_EQ(keys().said("run.all"), "Ctrl+D");
  EXPECT_EQ(keys().said("look.dark"), "");
  page->button("none")->click();
  EXPECT_EQ(keys().said("run.all"), "");
  page->button("reset")->click();
  EXPECT_EQ(keys().said("run.all"), "Ctrl+R");
  EXPECT_EQ(keys().said("look.dark"), "") << "only one was reset";
  page->button("reset_all")->click();
  EXPECT_EQ(keys().said("look.dark"), "Ctrl+D");
}

TEST_F(ChangedKeysTest, ChangedKeysOutliveTheWindowAndAreToldEverywhere) {
  ASSERT_TRUE(keys().change("run.all", {QKeySequence("Ctrl+J")}));
  const Preferences again;
  EXPECT_FALSE(const_cast<Preferences&>(again).keys().isFirst("run.all"));
  EXPECT_TRUE(window->action("run.all")->toolTip().contains("Ctrl+J"));
  ASSERT_TRUE(keys().change("chip.edit", {QKeySequence("Ctrl+Shift+J")}));
  const auto* edit = window->form()->findChild<QPushButton*>();
  ASSERT_NE(edit, nullptr);
  bool told = false;
  for (const QPushButton* each : window->form()->findChildren<QPushButton*>())
    told = told || each->toolTip().contains("Ctrl+Shift+J");
  EXPECT_TRUE(told);
  window->action("help.commands")->trigger();
  auto* palette = window->findChild<CommandPalette*>();
  palette->input()->setText("Ctrl+J");
  ASSERT_GT(palette->list()->count(), 0);
  EXPECT_TRUE(palette->list()->item(0)->text().startsWith("Run all"));
  palette->close();
  window->action("help.keys")->trigger();
  EXPECT_FALSE(window->findChild<KeyOverview*>()->shown().filter("Ctrl+J  Run all").isEmpty());
}

TEST_F(ChangedKeysTest, TheOverviewFitsAnySizeAndIsSearched) {
  preferences.overrideLook({}, 2.0);
  window->resize(1280, 720);
  window->action("help.keys")->trigger();
  settle();
  auto* overview = window->findChild<KeyOverview*>();
  ASSERT_NE(overview, nullptr);
  EXPECT_LE(overview->width(), 1280);
  EXPECT_LE(overview->height(), 720);
  overview->search()->setText("cause");
  ASSERT_EQ(overview->shown().size(), 1);
  EXPECT_TRUE(overview->shown().front().startsWith("["));
  overview->search()->clear();
  EXPECT_GT(overview->shown().size(), 80);
}

}  // namespace
}  // namespace shardscope::changed_keys_test
