// SPDX-License-Identifier: Apache-2.0
// A bug watched in the Kernel dock: chosen, found, jumped to, mended; and a run opened down into a chip.
#include "app/window/chip/kernel_panel.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <set>

#include "app/window/widgets/export.h"
#include "tests/app/kernel_fixture.h"

namespace shardscope::kernel_panel_test {
namespace {

TEST_F(KernelPanelTest, EveryKernelIsOffered) {
  EXPECT_EQ(panel().form()->kernel()->count(), static_cast<int>(kernels::catalogue().size()));
  const int broken = panel().form()->kernel()->findData("ag.ring.one_semaphore");
  EXPECT_TRUE(panel().form()->kernel()->itemText(broken).startsWith("✗"));
  EXPECT_TRUE(
      panel().form()->kernel()->itemData(broken, Qt::ToolTipRole).toString().contains("mended by ag.ring"));
  EXPECT_TRUE(says(*panel().canvas(), "before the first of"));
  EXPECT_TRUE(says(*panel().canvas(), "One receive semaphore for all steps")) << "its lesson";
}

TEST_F(KernelPanelTest, AFailingScheduleIsFoundShownAndMended) {
  search();
  ASSERT_TRUE(panel().tabs()->findings()->result());
  EXPECT_EQ(panel().tabs()->findings()->result()->schedules, 300);
  EXPECT_GT(panel().tabs()->findings()->result()->findings.size(), 0U);
  ASSERT_FALSE(player().findings().empty()) << "the first that fails is loaded";
  ASSERT_NE(player().finding(), nullptr);
  EXPECT_EQ(player().finding()->kind, FindingKind::shared_receive);
  EXPECT_EQ(player().step(), player().finding()->step + 1);
  EXPECT_TRUE(says(*panel().canvas(), "shared_receive, noticed in step"));
  EXPECT_TRUE(says(*panel().canvas(), "What is missing: "));

  panel().tabs()->twin()->button()->click();
  ASSERT_TRUE(wait_for([&] { return panel().tabs()->twin()->player().canStep(); }));
  settle();
  EXPECT_TRUE(panel().tabs()->twin()->canvas()->isVisible());
  EXPECT_TRUE(panel().tabs()->twin()->player().findings().empty());
  EXPECT_EQ(panel().tabs()->twin()->player().shown()->choice.kernel, "ag.ring");
  EXPECT_EQ(panel().tabs()->twin()->player().shown()->choice.seed, player().shown()->choice.seed);
  EXPECT_EQ(panel().tabs()->twin()->player().step(), player().step());
  player().stepBy(3);
  EXPECT_EQ(panel().tabs()->twin()->player().step(), player().step()) << "both at once";
  panel().tabs()->twin()->button()->click();
  EXPECT_FALSE(panel().tabs()->twin()->canvas()->isVisible());
}

TEST_F(KernelPanelTest, AnotherKernelEndsTheSearch) {
  panel().tabs()->findings()->schedules()->setValue(100000);
  panel().tabs()->findings()->search();
  ASSERT_TRUE(panel().tabs()->findings()->job()->busy());
  choose("permute", "4");
  EXPECT_FALSE(panel().tabs()->findings()->job()->busy());
  EXPECT_FALSE(panel().tabs()->findings()->result());
  EXPECT_EQ(player().shown()->choice.kernel, "permute");
}

TEST_F(KernelPanelTest, ACancelledSearchKeepsWhatItFound) {
  panel().tabs()->findings()->schedules()->setValue(100000);
  panel().tabs()->findings()->search();
  ASSERT_TRUE(wait_for([&] { return panel().tabs()->findings()->result().has_value(); }));
  panel().tabs()->findings()->job()->cancelButton()->click();
  ASSERT_TRUE(wait_for([&] { return !panel().tabs()->findings()->job()->busy(); }));
  loaded();
  ASSERT_TRUE(panel().tabs()->findings()->result());
  EXPECT_LT(panel().tabs()->findings()->result()->schedules, 100000);
  EXPECT_NE(player().finding(), nullptr) << "the first that failed";
}

TEST_F(KernelPanelTest, KeysScrubAndJumpToFindings) {
  search();
  KernelCanvas* canvas = panel().canvas();
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Home);
  EXPECT_EQ(player().step(), 0);
  QTest::keyClick(canvas, Qt::Key_Right);
  QTest::keyClick(canvas, Qt::Key_Period);
  QTest::keyClick(canvas, Qt::Key_PageDown);
  EXPECT_EQ(player().step(), 3);
  QTest::keyClick(canvas, Qt::Key_Left);
  EXPECT_EQ(player().step(), 2);
  QTest::keyClick(canvas, Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(player().step(), 12);
  QTest::keyClick(canvas, Qt::Key_End);
  EXPECT_EQ(player().step(), player().steps());
  QTest::keyClick(canvas, Qt::Key_Escape);
  EXPECT_EQ(player().finding(), nullptr);
  QTest::keyClick(canvas, Qt::Key_BracketRight);
  ASSERT_NE(player().finding(), nullptr);
  EXPECT_EQ(player().step(), player().finding()->step + 1);
  QTest::keyClick(canvas, Qt::Key_Escape);
  window->action("kernel.previous_finding")->trigger();
  EXPECT_EQ(player().findingPlace(), static_cast<int>(player().findings().size()) - 1);
  QTest::keyClick(canvas, Qt::Key_Space);
  EXPECT_TRUE(player().playing());
  QTest::keyClick(canvas, Qt::Key_Space);
  EXPECT_FALSE(player().playing());
}

TEST_F(KernelPanelTest, PlayingGoesOnToTheEnd) {
  panel().stepBar()->moments().setSpeed(4);
  player().setStep(player().steps() - 3);
  player().play(true);
  ASSERT_TRUE(wait_for([&] { return !player().playing(); }));
  EXPECT_EQ(player().step(), player().steps());
}

TEST_F(KernelPanelTest, RowsOfTheFindingsGoToTheirSteps) {
  search();
  QTreeWidgetItem* finding = panel().tabs()->findings()->tree()->topLevelItem(0)->child(0);
  ASSERT_NE(finding, nullptr);
  ASSERT_GE(finding->childCount(), 2);
  QTreeWidgetItem* access = finding->child(0);
  EXPECT_EQ(finding->text(2), QString::number(player().findings().front().step + 1)) << "counted from one";
  Q_EMIT panel().tabs()->findings()->tree()->itemClicked(access, 0);
  EXPECT_EQ(player().step(), player().findings().front().first.step + 1);
  EXPECT_EQ(player().findingPlace(), 0) << "its lines and devices stay marked";
  QTreeWidgetItem* other = panel().tabs()->findings()->tree()->topLevelItem(1)->child(0);
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->text(2).contains("first seed"));
}

TEST_F(KernelPanelTest, TheFormChoosesAndRefusesInPlace) {
  KernelForm* form = panel().form();
  form->kernel()->setCurrentIndex(form->kernel()->findData("ag.bidi.halves"));
  loaded();
  EXPECT_EQ(player().shown()->choice.kernel, "ag.bidi.halves");
  EXPECT_TRUE(player().findings().empty());
  EXPECT_EQ(player().shown()->layout.mesh.device_count(), 4) << "the same ring";
  const int64_t steps = player().steps();
  form->more()->setChecked(true);
  ASSERT_TRUE(form->size("rows")->isVisible());
  EXPECT_FALSE(form->size("bm")->isVisible()) << "it reads no tiles";
  form->size("rows")->setText("7");
  Q_EMIT form->size("rows")->editingFinished();
  loaded();
  EXPECT_FALSE(form->problem().isEmpty()) << "halves of an odd number of rows";
  EXPECT_EQ(player().steps(), steps) << "the last good picture stays";
  form->size("rows")->setText("x");
  Q_EMIT form->size("rows")->editingFinished();
  EXPECT_TRUE(form->problem().contains("whole number"));
  form->size("rows")->setText("16");
  Q_EMIT form->size("rows")->editingFinished();
  loaded();
  EXPECT_TRUE(form->problem().isEmpty());
  EXPECT_EQ(player().shown()->choice.options.rows, 16);
}

TEST_F(KernelPanelTest, ARandomScheduleIsAnotherOne) {
  const uint64_t before = player().shown()->choice.seed;
  window->action("kernel.random")->trigger();
  loaded();
  EXPECT_NE(player().shown()->choice.seed, before);
  EXPECT_EQ(player().step(), 0);
}

TEST_F(KernelPanelTest, TilesAreTimedAndTaken) {
  choose("matmul.tiled", "");
  KernelForm* form = panel().form();
  for (const char* size : {"m", "k", "n"}) {
    form->size(size)->setText("2048");
    Q_EMIT form->size(size)->editingFinished();
  }
  loaded();
  KernelTiles* tiles = panel().tabs()->tiles();
  tiles->values(0)->setText("512,1024");
  tiles->values(1)->setText("512");
  tiles->values(2)->setText("1024,2048");
  tiles->run();
  ASSERT_TRUE(wait_for([&] { return !tiles->job()->busy(); }));
  ASSERT_EQ(tiles->table()->topLevelItemCount(), 4);
  std::set<QString> verdicts;
  for (int i = 0; i < 4; ++i) verdicts.insert(tiles->table()->topLevelItem(i)->text(3));
  EXPECT_TRUE(verdicts.count("fits") == 1 && verdicts.count("does not fit vmem") == 1);
  Q_EMIT tiles->table()->itemDoubleClicked(tiles->table()->topLevelItem(0), 0);
  loaded();
  EXPECT_EQ(player().shown()->choice.options.bk, 512);
  EXPECT_TRUE(player().shown()->time);
  choose("ag.ring", "4");
  EXPECT_FALSE(tiles->job()->startButton()->isEnabled());
}

TEST_F(KernelPanelTest, TimeSaysWhatItIsOnTheChip) {
  panel().tabs()->setCurrentWidget(panel().tabs()->timeCanvas());
  settle();
  EXPECT_TRUE(says(*panel().tabs()->timeCanvas(), "bound by"));
  EXPECT_TRUE(says(*panel().tabs()->timeCanvas(), "vmem up to"));
}

TEST_F(KernelPanelTest, ARunIsOpenedDownIntoTheChipAndBack) {
  window->docks().setPage("explore");
  runAll();
  showRunOf("wang.os");
  const Program& program = clock().shown()->run->program;
  int32_t dot = -1, slice = -1;
  for (int32_t i = 0; i < program.instruction_count(); ++i) {
    if (program.by_global_index(i).opcode == Opcode::dot) dot = i;
    if (program.by_global_index(i).opcode == Opcode::parameter) slice = i;
  }
  ASSERT_GE(dot, 0);
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.instruction = dot;
  clock().select(item);
  window->action("kernel.open_in_chip")->trigger();
  loaded();
  EXPECT_EQ(player().shown()->choice.kernel, "matmul.tiled");
  ASSERT_TRUE(player().shown()->time);
  const auto stands = kernels::stand_in(program, InstructionId(dot));
  const auto timed = kernels::time_of(*stands, *find_hardware(player().shown()->choice.hardware));
  EXPECT_EQ(player().shown()->time->total, timed->total) << "as a run timed by kernels has it";
  ASSERT_TRUE(panel().backButton()->isVisible());
  EXPECT_TRUE(panel().backButton()->text().contains("wang.os"));
  panel().backButton()->click();
  settle();
  EXPECT_FALSE(panel().backButton()->isVisible());
  EXPECT_TRUE(window->programView()->isVisible());
  EXPECT_EQ(clock().selection().selected.instruction, dot) << "where one was";

  ASSERT_GE(slice, 0);
  open_in_chip(window->context(), slice);
  EXPECT_TRUE(window->statusBar()->currentMessage().contains("No kernel stands for it"));
  clock().clear();
  open_in_chip(window->context());
  EXPECT_TRUE(window->statusBar()->currentMessage().contains("Select a product or a collective"));
}

TEST_F(KernelPanelTest, TheProgramsMenuOffersTheKernelOrSaysWhyNot) {
  window->docks().setPage("explore");
  runAll();
  showRunOf("wang.os");
  ProgramView* view = window->programView();
  const Program& program = clock().shown()->run->program;
  const auto offered = [&](Opcode opcode) {
    int line = -1;
    for (int32_t i = 0; i < program.instruction_count() && line < 0; ++i) {
      if (program.by_global_index(i).opcode == opcode) line = view->lineOf(i);
    }
    const QTextCursor cursor(view->document()->findBlockByNumber(line));
    view->setTextCursor(cursor);
    view->ensureCursorVisible();
    Q_EMIT view->customContextMenuRequested(view->cursorRect(cursor).center());
    QString text;
    for (QMenu* menu : view->findChildren<QMenu*>()) {
      if (!menu->actions().isEmpty()) text = menu->actions().last()->text();
      menu->close();
    }
    settle();
    return text;
  };
  EXPECT_EQ(offered(Opcode::dot), "Open in the chip: matmul.tiled");
  EXPECT_TRUE(offered(Opcode::parameter).startsWith("Not in the chip: "));
}

TEST_F(KernelPanelTest, AnEventsLineIsShownInTheText) {
  Q_EMIT panel().tabs()->timeCanvas()->lineChosen(5);
  EXPECT_EQ(panel().canvas()->viewport().selected.index, 5);
  EXPECT_EQ(panel().canvas()->viewport().selected.kind, ItemId::Kind::instruction);
}

TEST_F(KernelPanelTest, LookedAtForTheFirstTimeItGetsRoom) {
  EXPECT_GT(window->docks().find("kernel")->dock->height(), window->height() * 4 / 10);
}

TEST_F(KernelPanelTest, TheChoiceOutlivesTheWindow) {
  choose("ar.two_slot.no_capacity", "6");
  const QString text = preferences.settings().value("kernel").toString();
  const auto read = parse_choice(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, player().shown()->choice);
  EXPECT_FALSE(parse_choice("kernel=gone;mesh=4"));
  TestedWindow again(preferences);
  EXPECT_EQ(again.kernel()->form()->choice().kernel, "ar.two_slot.no_capacity");
}

TEST_F(KernelPanelTest, ThePictureIsExported) {
  QTemporaryDir folder;
  panel().canvas()->setFocus();
  for (const char* name : {"k.svg", "k.png"}) {
    ASSERT_TRUE(export_picture(*panel().pictureCanvas(), folder.filePath(name)).ok());
    EXPECT_GT(QFileInfo(folder.filePath(name)).size(), 1000);
  }
}

TEST_F(KernelPanelTest, ClicksLiftDevicesOutAndDragsPan) {
  KernelCanvas* canvas = panel().canvas();
  player().setStep(player().steps() / 2);
  ItemId device;
  device.kind = ItemId::Kind::device;
  device.device = 2;
  canvas->select(device);
  EXPECT_EQ(canvas->viewport().selected, device);
  canvas->zoomBy(2);
  EXPECT_EQ(canvas->viewport().zoom, 2);
  QTest::keyClick(canvas, Qt::Key_F);
  EXPECT_EQ(canvas->viewport().zoom, 1);
  canvas->scrollLines(4);
  EXPECT_GT(canvas->viewport().first_line, 0);
}

}  // namespace
}  // namespace shardscope::kernel_panel_test
