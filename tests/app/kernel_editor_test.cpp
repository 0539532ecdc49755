// SPDX-License-Identifier: Apache-2.0
// A kernel's text edited in the window: marks while typing, from the text into the picture, to a file and
// back.
#include "app/window/chip/kernel_editor.h"

#include <QAbstractTextDocumentLayout>
#include <QCompleter>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <algorithm>

#include "app/window/chip/kernel_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::kernel_editor_test {
namespace {

class KernelEditorTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->resize(1600, 1000);
    preferences.settings().set("kernel", QString());  // the first one, whatever a test before chose
    ASSERT_NE(window->showPanel("kernel").widget, nullptr);
    ASSERT_TRUE(wait_for([&] { return !panel().busy() && panel().player().shown(); }));
    panel().tabs()->setCurrentWidget(&editor());
  }
  KernelPanel& panel() { return *window->kernel(); }
  KernelEditor& editor() { return *panel().tabs()->editor(); }
  KernelTextEdit& edit() { return *editor().edit(); }
  void write(const QString& text) {
    edit().setPlainText(text);
    checked();
  }
  void checked() {
    QTest::qWait(400);  // until nobody types
    ASSERT_TRUE(wait_for([&] { return !editor().busy(); }));
    settle();
  }
  static QString catalogued(const char* id) {
    QString out;
    const auto kernel = kernels::find_kernel(id);
    for (const std::string& line : kernel->listing.lines) out += QString::fromStdString(line) + "\n";
    return out;
  }
  static int lineOf(const QString& text, const QString& part) {
    const QStringList lines = text.split('\n');
    for (int i = 0; i < lines.size(); ++i)
      if (lines[i].contains(part)) return i + 1;
    return -1;
  }
};

TEST_F(KernelEditorTest, ItBeginsWithTheShownKernelsText) {
  EXPECT_TRUE(edit().toPlainText().contains("kernel ag.ring.one_semaphore"));
}

TEST_F(KernelEditorTest, AnErrorIsMarkedOnItsLine) {
  const QString text = catalogued("ag.ring").replace("own.start()", "own.strat()");
  write(text);
  ASSERT_EQ(edit().marks().size(), 1U);
  EXPECT_TRUE(edit().marks()[0].error);
  EXPECT_EQ(edit().marks()[0].line, lineOf(text, "own.strat()"));
  EXPECT_TRUE(edit().marks()[0].text.contains("strat")) << edit().marks()[0].text.toStdString();
  ASSERT_EQ(editor().list()->count(), 1);
  edit().moveCursor(QTextCursor::End);
  Q_EMIT editor().list()->itemActivated(editor().list()->item(0));
  EXPECT_EQ(edit().textCursor().blockNumber() + 1, lineOf(text, "own.strat()"));
}

TEST_F(KernelEditorTest, ARaceIsMarkedOnBothLinesAndGoneWhenItIsMended) {
  const QString text = catalogued("ar.two_slot.no_capacity");
  write(text);
  ASSERT_FALSE(edit().marks().empty());
  const bool both =
      std::ranges::any_of(edit().marks(),
                          [&](const KernelMark& mark) { return mark.line == lineOf(text, "hop.start()"); }) &&
      std::ranges::any_of(edit().marks(), [&](const KernelMark& mark) {
        return mark.line == lineOf(text, "sum[...] = sum[...]");
      });
  EXPECT_TRUE(both);
  write(catalogued("ar.two_slot"));
  EXPECT_TRUE(edit().marks().empty());
  EXPECT_TRUE(editor().said().contains("300")) << editor().said().toStdString();
}

TEST_F(KernelEditorTest, ItsTextIsShownStepByStep) {
  write(catalogued("permute").replace("kernel permute", "kernel my.own"));
  editor().showText();
  ASSERT_TRUE(wait_for([&] { return !panel().busy(); }));
  settle();
  EXPECT_EQ(panel().player().shown()->entry.id, "my.own");
  EXPECT_GT(panel().player().steps(), 0);
  EXPECT_TRUE(panel().form()->kernel()->currentText().contains("my.own"));
  panel().form()->mesh()->setText("3");
  Q_EMIT panel().form()->mesh()->editingFinished();
  ASSERT_TRUE(wait_for([&] { return !panel().busy(); }));
  EXPECT_EQ(panel().player().shown()->entry.id, "my.own") << "it stays the kernel while its form is changed";
  EXPECT_EQ(panel().player().shown()->layout.mesh.device_count(), 3);
}

TEST_F(KernelEditorTest, ShowingATextThatFailsKeepsTheEditorInFront) {
  write(catalogued("ar.two_slot.no_capacity").replace("kernel ar.two_slot.no_capacity", "kernel my.own"));
  editor().showText();
  ASSERT_TRUE(wait_for([&] { return !panel().busy(); }));
  EXPECT_EQ(panel().tabs()->currentWidget(), &editor());
  EXPECT_FALSE(panel().player().findings().empty());
}

TEST_F(KernelEditorTest, AFileComesBackAsItWasSaved) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("a.kernel"), text = catalogued("ag.direct");
  write(text);
  ASSERT_TRUE(editor().save(path).ok());
  EXPECT_EQ(Preferences().settings().value("recent_files").toStringList().value(0), path);
  write("kernel other\n");
  ASSERT_TRUE(editor().open(path).ok());
  EXPECT_EQ(edit().toPlainText(), text);
  EXPECT_FALSE(editor().open(folder.filePath("none.kernel")).ok());
  EXPECT_FALSE(editor().save("/no/such/folder/a.kernel").ok());
}

TEST_F(KernelEditorTest, WordsAreCompleted) {
  write("kernel a\n\nmake_async_r");
  edit().moveCursor(QTextCursor::End);
  edit().setFocus();
  QTest::keyClick(&edit(), Qt::Key_Space, Qt::ControlModifier);
  EXPECT_EQ(edit().completer()->completionCount(), 1);
  EXPECT_EQ(edit().completer()->currentCompletion(), "make_async_remote_copy");
  write("kernel a\n\nupper_half = 1\nb = upper");
  edit().moveCursor(QTextCursor::End);
  QTest::keyClick(&edit(), Qt::Key_Space, Qt::ControlModifier);
  EXPECT_EQ(edit().completer()->currentCompletion(), "upper_half") << "a name of the text";
}

TEST_F(KernelEditorTest, LinesAreWholeInANarrowDock) {
  write("kernel a\n\na = 1 " + QString("+ 1 ").repeated(80));
  EXPECT_FALSE(edit().horizontalScrollBar()->isVisible());
  const QTextBlock last = edit().document()->lastBlock();
  EXPECT_GT(edit().document()->documentLayout()->blockBoundingRect(last).height(), 1.0)
      << "more lines than one";
}

TEST_F(KernelEditorTest, ANewLineGoesAsFarInAsItsBlock) {
  write("kernel a\n\nwhen 1:");
  edit().moveCursor(QTextCursor::End);
  QTest::keyClick(&edit(), Qt::Key_Return);
  QTest::keyClicks(&edit(), "a = 1");
  QTest::keyClick(&edit(), Qt::Key_Return);
  QTest::keyClicks(&edit(), "b = 2");
  EXPECT_EQ(edit().toPlainText(), "kernel a\n\nwhen 1:\n    a = 1\n    b = 2");
}

// The reader lets the second copy overtake the first, which breaks the kernel with one receive semaphore.
TEST_F(KernelEditorTest, ChoicesOfTheReaderAreASchedule) {
  KernelTheatre& theatre = *panel().tabs()->theatre();
  panel().tabs()->setCurrentWidget(&theatre);
  theatre.begin();
  EXPECT_EQ(panel().player().steps(), 0);
  EXPECT_EQ(theatre.list()->count(), panel().player().shown()->layout.mesh.device_count())
      << "every device may enter";
  for (int step = 0; step < 400 && panel().player().frame().findings.empty(); ++step) {
    ASSERT_GT(theatre.list()->count(), 0) << theatre.said().toStdString();
    Q_EMIT theatre.list()->itemClicked(
        theatre.list()->item(0));  // devices first: copies land as late as they can
    ASSERT_EQ(panel().player().step(), step + 1);
  }
  EXPECT_TRUE(theatre.said().contains("shared_receive")) << theatre.said().toStdString();
  const int64_t steps = panel().player().steps();
  theatre.takeBack();
  EXPECT_EQ(panel().player().steps(), steps - 1);
  EXPECT_TRUE(panel().player().frame().findings.empty());
}

}  // namespace
}  // namespace shardscope::kernel_editor_test
