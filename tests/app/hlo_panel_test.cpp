// SPDX-License-Identifier: Apache-2.0
// The HLO dock through the real window: modules opened, typed and edited, collectives and why, the run.
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <algorithm>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_presets.h"
#include "tests/app/window_fixture.h"

namespace shardscope::hlo_panel_test {
namespace {

class HloPanelTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->showPanel("hlo");
    settle();
  }
  HloPanel* panel() { return window->hlo(); }
  void wait() {
    // Typed text is read after a pause.
    settle(20);
    ASSERT_TRUE(wait_for([&] { return !panel()->busy(); }));
    settle();
  }
  void open(const QString& preset) {
    panel()->openPreset(preset);
    wait();
    ASSERT_NE(panel()->explained(), nullptr);
  }
  QString lineOfSource(const QString& name) {
    return panel()->source()->document()->findBlockByNumber(panel()->source()->lineOf(name)).text();
  }
  void typeAtEnd(const QString& text) {
    panel()->source()->moveCursor(QTextCursor::End);
    panel()->source()->insertPlainText(text);
    ASSERT_TRUE(wait_for([&] { return panel()->busy(); }, 5'000));
    wait();
  }
};

TEST_F(HloPanelTest, SaysWhatToDoBeforeThereIsAModule) {
  EXPECT_TRUE(panel()->source()->placeholderText().contains("paste a module"));
  EXPECT_EQ(panel()->presets()->count(), std::ssize(hlo_presets()));
  EXPECT_EQ(panel()->explained(), nullptr);
  EXPECT_TRUE(panel()->source()->isVisible());
}

TEST_F(HloPanelTest, APresetShowsItsProgramItsCollectivesAndWhy) {
  open("mlp");
  EXPECT_EQ(panel()->problem(), "");
  const auto made = parse_program(panel()->partitionedText().toStdString());
  ASSERT_TRUE(made.ok()) << made.error().text();
  QTreeWidget* table = panel()->tables()->collectives();
  ASSERT_EQ(table->topLevelItemCount(), 1);
  EXPECT_EQ(table->topLevelItem(0)->text(0), "all-reduce");
  EXPECT_TRUE(panel()->summary().startsWith("collectives 1 · sent ")) << panel()->summary().toStdString();
  // The first one is selected: its sentence names rule, operand and source line.
  EXPECT_TRUE(panel()->tables()->whyText().contains("is there because of the rule"));
  EXPECT_TRUE(panel()->tables()->whyText().contains("mlp.py:14"));
  EXPECT_TRUE(panel()->source()->marked().contains("y"));
}

TEST_F(HloPanelTest, ALineChosenOnOneSideMarksItsPartnersOnTheOther) {
  open("mlp");
  HloTextView* source = panel()->source();
  QTextCursor at(source->document()->findBlockByNumber(source->lineOf("h") - 1));
  source->setTextCursor(at);
  QTest::keyClick(source, Qt::Key_Down);
  EXPECT_EQ(source->marked(), QSet<QString>{"h"});
  const QSet<QString> made = panel()->made()->marked();
  ASSERT_FALSE(made.isEmpty());
  for (const QString& name : made) EXPECT_GE(panel()->made()->lineOf(name), 0) << name.toStdString();
  EXPECT_EQ(panel()->tables()->currentCollective(), -1);
  // h has no sharding of its own: its tiles are drawn, and why.
  ASSERT_TRUE(panel()->sharding()->tiles()->array());
  EXPECT_EQ(panel()->sharding()->tiles()->array()->sharding->text(), "{devices=[2,2]<=[4]}");
  EXPECT_TRUE(panel()->sharding()->originText().contains("because of"));
  const auto& links = panel()->links()->links();
  EXPECT_TRUE(std::ranges::any_of(links, [](const LineLink& l) { return l.chosen && l.left == "h"; }));
  // And back: the all-reduce is there for y.
  panel()->chooseMade(panel()->tables()->collectives()->topLevelItem(0)->text(1));
  EXPECT_EQ(source->marked(), QSet<QString>{"y"});
  EXPECT_EQ(panel()->tables()->currentCollective(), 0);
}

TEST_F(HloPanelTest, AnEditedShardingChangesProgramAndCostAndIsUndone) {
  open("mlp");
  const QString text = panel()->source()->toPlainText(), program = panel()->partitionedText();
  panel()->chooseSource("w1");
  panel()->tables()->tabs()->setCurrentWidget(panel()->sharding());  // in the low dock a tab
  QLineEdit* field = panel()->sharding()->field();
  EXPECT_TRUE(field->text().startsWith("{devices=[1,2,2]"));
  field->setText("P('x',None)");
  QTest::keyClick(field, Qt::Key_Return);
  wait();
  EXPECT_TRUE(lineOfSource("w1").contains("sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}"))
      << lineOfSource("w1").toStdString();
  EXPECT_NE(panel()->partitionedText(), program);
  EXPECT_TRUE(panel()->summary().contains("collectives 1 → ")) << panel()->summary().toStdString();
  EXPECT_GT(panel()->tables()->collectives()->topLevelItemCount(), 1);
  ASSERT_TRUE(panel()->sharding()->undoButton()->isEnabled());
  QTest::mouseClick(panel()->sharding()->undoButton(), Qt::LeftButton);
  EXPECT_EQ(panel()->source()->toPlainText(), text);
  ASSERT_TRUE(wait_for([&] { return panel()->partitionedText() == program; }, 10'000));
  EXPECT_TRUE(panel()->summary().contains("→ 1 ·")) << panel()->summary().toStdString();
  QTest::mouseClick(panel()->sharding()->redoButton(), Qt::LeftButton);
  EXPECT_NE(panel()->source()->toPlainText(), text);
}

TEST_F(HloPanelTest, F2EditsTheShardingInItsLine) {
  open("fsdp_gather");
  HloTextView* source = panel()->source();
  const QString name =
      QString::fromStdString(panel()->explained()->module.entry_computation().instructions.front().name);
  source->setTextCursor(QTextCursor(source->document()->findBlockByNumber(source->lineOf(name))));
  QTest::keyClick(source, Qt::Key_F2);
  QLineEdit* field = source->shardingField();
  ASSERT_TRUE(field->isVisible());
  EXPECT_TRUE(lineOfSource(name).contains("sharding=" + field->text()));
  const QString before = source->toPlainText();
  field->setText("P('nowhere')");
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(field->isVisible());
  EXPECT_TRUE(panel()->sharding()->refusal().contains("nowhere"))
      << panel()->sharding()->refusal().toStdString();
  EXPECT_EQ(source->toPlainText(), before);
  field->setText("{replicated}");
  QTest::keyClick(field, Qt::Key_Return);
  wait();
  EXPECT_FALSE(field->isVisible());
  EXPECT_TRUE(lineOfSource(name).contains("sharding={replicated}"));
}

TEST_F(HloPanelTest, BadTextSaysWhereAndKeepsTheText) {
  open("mlp");
  const int collectives = panel()->tables()->collectives()->topLevelItemCount();
  typeAtEnd("\n%broken = f32[2] add(");
  const QString text = panel()->source()->toPlainText();
  EXPECT_TRUE(panel()->problem().contains("mlp.hlo:")) << panel()->problem().toStdString();
  EXPECT_FALSE(panel()->source()->extraSelections().isEmpty());
  EXPECT_EQ(panel()->tables()->collectives()->topLevelItemCount(), collectives);  // the last good ones stay
  EXPECT_EQ(panel()->source()->toPlainText(), text);
  panel()->source()->undo();
  ASSERT_TRUE(wait_for([&] { return panel()->problem().isEmpty(); }, 10'000));
}

TEST_F(HloPanelTest, ATextThatIsCutIsReadUpToItsEnd) {
  open("pjit_case_2");
  EXPECT_TRUE(panel()->problem().startsWith("Read up to its end")) << panel()->problem().toStdString();
  EXPECT_GT(panel()->tables()->warnings()->topLevelItemCount(), 0);
}

TEST_F(HloPanelTest, RematerializationsAreGroupedByWhatTheyTurnIntoWhat) {
  panel()->openText(
      "HloModule m\nENTRY main {\n  x = f32[12,12] parameter(0), sharding={devices=[2,3]<=[6]}\n"
      "  a = f32[12,12] copy(x), sharding={devices=[3,2]<=[6]}\n"
      "  b = f32[12,12] add(x, x), sharding={devices=[2,3]<=[6]}\n"
      "  c = f32[12,12] copy(b), sharding={devices=[3,2]<=[6]}\n"
      "  ROOT y = f32[12,12] add(a, c), sharding={devices=[3,2]<=[6]}\n}\n",
      "m.hlo");
  wait();
  QTreeWidget* warnings = panel()->tables()->warnings();
  ASSERT_EQ(warnings->topLevelItemCount(), 1);
  QTreeWidgetItem* kind = warnings->topLevelItem(0);
  EXPECT_TRUE(kind->text(0).contains("×2")) << kind->text(0).toStdString();
  ASSERT_EQ(kind->childCount(), 2);
  EXPECT_TRUE(kind->child(0)->text(0).contains("Involuntary full rematerialization"));
  EXPECT_TRUE(kind->child(0)->text(1).contains("bring it to {"));
  warnings->setCurrentItem(kind->child(1));
  EXPECT_EQ(panel()->source()->marked().size(), 1);
}

TEST_F(HloPanelTest, OptionsChangeWhatIsMade) {
  open("torch_matmul");
  const QString current = panel()->partitionedText();
  EXPECT_FALSE(current.contains("convolution("));
  panel()->options()->dialect()->setCurrentText("tpu2022");
  Q_EMIT panel()->options()->dialect()->activated(panel()->options()->dialect()->currentIndex());
  wait();
  EXPECT_TRUE(panel()->partitionedText().contains("convolution("));
  panel()->options()->devices()->setValue(3);
  wait();
  EXPECT_FALSE(panel()->problem().isEmpty());
  panel()->options()->devices()->setValue(0);
  wait();
  EXPECT_EQ(panel()->problem(), "");
}

TEST_F(HloPanelTest, RunProvesTheModuleAndShowsItLinked) {
  open("moe_dispatch");
  ASSERT_GT(panel()->tables()->collectives()->topLevelItemCount(), 1);
  panel()->run();
  wait();
  EXPECT_TRUE(panel()->job()->message().contains("equal bit for bit"))
      << panel()->job()->message().toStdString();
  ASSERT_TRUE(wait_for([&] { return clock().shown() && clock().shown()->run->strategy == "hlo"; }));
  settle();
  const auto selected = [&] {
    const int32_t k = clock().selection().selected.instruction;
    return k < 0 ? std::string() : clock().shown()->run->program.by_global_index(k).name;
  };
  QTreeWidget* table = panel()->tables()->collectives();
  table->setCurrentItem(table->topLevelItem(1));
  EXPECT_EQ(selected(), table->topLevelItem(1)->text(1).toStdString());
  // The other way round: what is selected in the timeline becomes the table's row.
  const Program& program = clock().shown()->run->program;
  for (int32_t k = 0; k < program.instruction_count(); ++k) {
    if (program.by_global_index(k).name != table->topLevelItem(0)->text(1).toStdString()) continue;
    clock().select({.kind = ItemId::Kind::instruction, .instruction = k});
  }
  EXPECT_EQ(panel()->tables()->currentCollective(), 0);
}

TEST_F(HloPanelTest, FilesAndTheClipboardAreModulesToo) {
  QTemporaryDir folder;
  const QString path = folder.filePath("own.hlo");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("HloModule own\nENTRY e { ROOT p = f32[8] parameter(0), sharding={devices=[2]<=[2]} }\n");
  file.close();
  ASSERT_TRUE(window->open(path).ok());
  wait();
  ASSERT_NE(panel()->explained(), nullptr);
  EXPECT_EQ(panel()->explained()->module.name, "own");
  EXPECT_EQ(panel()->moduleName(), "own.hlo");
  EXPECT_FALSE(window->open(folder.filePath("missing.hlo")).ok());
  QApplication::clipboard()->setText("HloModule pasted\nENTRY e { ROOT p = f32[8] parameter(0) }\n");
  window->action("hlo.paste")->trigger();
  wait();
  EXPECT_EQ(panel()->explained()->module.name, "pasted");
}

TEST_F(HloPanelTest, TheTableIsExportedRowByRow) {
  open("moe_dispatch");
  const QString csv = panel()->csv();
  EXPECT_EQ(csv.count('\n'), panel()->tables()->collectives()->topLevelItemCount() + 1);
  EXPECT_TRUE(csv.contains("all-to-all") || csv.contains("all-gather"));
  window->action("hlo.copy")->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), panel()->partitionedText());
}

TEST_F(HloPanelTest, TheShardingHasAPlaceOfItsOwnWhereThereIsRoom) {
  open("mlp");
  auto* dock = window->docks().find("hlo")->dock;
  dock->setFloating(true);
  dock->resize(1200, 900);
  settle();
  EXPECT_EQ(panel()->tables()->tabs()->indexOf(panel()->sharding()), -1);
  EXPECT_TRUE(panel()->sharding()->isVisible());
  EXPECT_TRUE(panel()->tables()->collectives()->isVisible());
  dock->resize(1200, 300);
  settle();
  EXPECT_GE(panel()->tables()->tabs()->indexOf(panel()->sharding()), 0);
  QTest::keyClick(panel()->tables()->collectives(), Qt::Key_F2);
  EXPECT_TRUE(panel()->sharding()->isVisible());
}

TEST_F(HloPanelTest, EveryPresetOpensAndCloses) {
  for (int k = 0; k < panel()->presets()->count(); ++k) {
    open(panel()->presets()->itemText(k));
    EXPECT_FALSE(panel()->summary().isEmpty() && panel()->problem().isEmpty())
        << panel()->presets()->itemText(k).toStdString();
  }
}

}  // namespace
}  // namespace shardscope::hlo_panel_test
