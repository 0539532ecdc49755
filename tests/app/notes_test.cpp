// SPDX-License-Identifier: Apache-2.0
// Notes at moments of a run: they stay with it, whatever becomes of the window.
#include <QTemporaryDir>
#include <algorithm>

#include "app/window/runs/notes_panel.h"
#include "app/window/shell/restore_bar.h"
#include "tests/app/kept_window.h"

namespace shardscope::notes_test {
namespace {

class NotesTest : public KeptWindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window = newWindow();
    openSmall();
    runAll();
  }
  Notes& notes() { return window->bench().state().notes(); }
};

TEST_F(NotesTest, NotesStayWithTheirRunsAfterACrashAndInACopy) {
  const std::string strategy = clock().shown()->run->strategy;
  const Picoseconds total = clock().shown()->run->timeline.total;
  notes().add({total / 2, 3, 1, "why so late?"});
  notes().add({total / 4, -1, -1, "here it begins"});
  notes().setBookmark(4, QJsonObject{{"start", 1}, {"end", 5}});
  const RunNotes before = notes().now();
  ASSERT_EQ(before.notes.size(), 2U);
  EXPECT_EQ(before.notes[0].text, "here it begins") << "in the order of their times";
  settle(400);
  window.reset();  // without being closed

  window = newWindow();
  ASSERT_TRUE(waitForOffer());
  pressRestore();
  EXPECT_EQ(notes().now(), before);
  const QTemporaryDir files;
  const QString file = files.filePath("w.shardscope");
  window->bench().saveWorkspace(file);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  showRunOf(strategy);
  EXPECT_EQ(notes().now(), before) << "the copy has them";
  ASSERT_TRUE(window->close());
  window.reset();

  window = newWindow();
  ASSERT_TRUE(window->bench().openFile(file).ok());
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  showRunOf(strategy);
  EXPECT_EQ(notes().now(), before) << "the file has them";
  showRunOf(strategy == "wang.os" ? "collective.os" : "wang.os");
  EXPECT_TRUE(notes().now().notes.empty()) << "another run has none";
}

TEST_F(NotesTest, NotesAreFlagsRowsAndEditsThatCanBeTakenBack) {
  auto* panel = window->docks().widget<NotesPanel>("notes");
  clock().setBeat(1);
  const Picoseconds moment = clock().selection().time;
  window->docks().go("notes");
  panel->addHere();
  ASSERT_EQ(notes().now().notes.size(), 1U);
  EXPECT_EQ(notes().now().notes[0].time, moment);
  panel->table()->item(0, 2)->setText("first sum");
  EXPECT_EQ(notes().now().notes[0].text, "first sum");
  window->docks().go("timeline");
  settle();
  const auto flagged = [&] {
    return std::ranges::any_of(window->timeline()->scene().accessible(), [](const AccessibleItem& item) {
      return item.name.starts_with("note at ") && item.name.ends_with(": first sum");
    });
  };
  EXPECT_TRUE(flagged());
  clock().setBeat(0);
  notes().go(0);
  EXPECT_EQ(clock().selection().time, moment);
  notes().remove(0);
  settle();
  EXPECT_FALSE(flagged());
  EXPECT_EQ(panel->table()->rowCount(), 0);
  panel->undoStack().undo();
  settle();
  EXPECT_TRUE(flagged());
  EXPECT_EQ(panel->table()->rowCount(), 1);
}

}  // namespace
}  // namespace shardscope::notes_test
