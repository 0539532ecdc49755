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

#include "engine/base/read_file.h"
#include "engine/program/module_form.h"
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
  HloTexts* texts() { return panel()->findChild<HloTexts*>(); }
  HloTables* tables() { return panel()->findChild<HloTables*>(); }
  HloShardingBox* sharding() { return panel()->findChild<HloShardingBox*>(); }
  HloOptionsForm* options() { return panel()->findChild<HloOptionsForm*>(); }
  HloStatus* status() { return panel()->findChild<HloStatus*>(); }
  HloSelector* selector() { return panel()->findChild<HloSelector*>(); }
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
    return texts()->source()->document()->findBlockByNumber(texts()->source()->lineOf(name)).text();
  }
  void typeAtEnd(const QString& text) {
    const auto before = panel()->explained();
    const auto problem = status()->problem();
    texts()->source()->moveCursor(QTextCursor::End);
    texts()->source()->insertPlainText(text);
    // A short text may be read between two looks.
    ASSERT_TRUE(wait_for(
        [&] { return panel()->busy() || panel()->explained() != before || status()->problem() != problem; },
        5'000));
    wait();
  }
};

TEST_F(HloPanelTest, SaysWhatToDoBeforeThereIsAModule) {
  // Every form that opens, and how to get one.
  const QString said = texts()->source()->placeholderText();
  EXPECT_TRUE(said.contains("paste a module"));
  for (const ModuleSource& source : module_sources()) {
    EXPECT_TRUE(said.contains(QString::fromStdString(source.from))) << source.title;
    for (const std::string& ending : source.endings)
      EXPECT_TRUE(said.contains("*." + QString::fromStdString(ending))) << ending;
  }
  EXPECT_EQ(panel()->presets()->count(), std::ssize(hlo_presets()));
  EXPECT_EQ(panel()->explained(), nullptr);
  EXPECT_TRUE(texts()->source()->isVisible());
}

TEST_F(HloPanelTest, APresetShowsItsProgramItsCollectivesAndWhy) {
  open("mlp");
  EXPECT_EQ(status()->problem(), "");
  const auto made = parse_program(panel()->partitionedText().toStdString());
  ASSERT_TRUE(made.ok()) << made.error().text();
  QTreeWidget* table = tables()->collectives();
  ASSERT_EQ(table->topLevelItemCount(), 1);
  EXPECT_EQ(table->topLevelItem(0)->text(0), "all-reduce");
  EXPECT_TRUE(status()->summary().startsWith("collectives 1 · sent ")) << status()->summary().toStdString();
  const ExplainedModule& explained = *panel()->explained();
  const CollectiveVolume volume = explained.volume(explained.collectives[0]);
  EXPECT_EQ(table->topLevelItem(0)->text(2), QString::fromStdString(format_bytes(volume.data)));
  EXPECT_EQ(table->topLevelItem(0)->text(3), QString::fromStdString(format_bytes(volume.sent)));
  EXPECT_TRUE(tables()->whyText().contains(QString::fromStdString(volume.text())));
  // The first one is selected: its sentence names rule, operand and source line.
  EXPECT_TRUE(tables()->whyText().contains("is there because of the rule"));
  EXPECT_TRUE(tables()->whyText().contains("mlp.py:14"));
  EXPECT_TRUE(texts()->source()->marked().contains("y"));
}

TEST_F(HloPanelTest, ALowWindowShowsTheChosenCollectiveAboveWhatIsSaidOfIt) {
  open("mlp");
  ASSERT_TRUE(
      wait_for([&] { return !tables()->alternative()->isHidden() && !tables()->alternative()->busy(); }));
  const QTreeWidget* table = tables()->collectives();
  for (const int height : {680, 720, 760, 800}) {
    window->resize(1280, height);
    settle();
    const QRect row = table->visualItemRect(table->topLevelItem(0));
    EXPECT_FALSE(tables()->whyText().isEmpty());
    EXPECT_TRUE(table->viewport()->rect().contains(row.bottomLeft())) << "in a window " << height << " high";
  }
}

TEST_F(HloPanelTest, ALineChosenOnOneSideMarksItsPartnersOnTheOther) {
  open("mlp");
  HloTextView* source = texts()->source();
  QTextCursor at(source->document()->findBlockByNumber(source->lineOf("h") - 1));
  source->setTextCursor(at);
  QTest::keyClick(source, Qt::Key_Down);
  EXPECT_EQ(source->marked(), QSet<QString>{"h"});
  const QSet<QString> made = texts()->made()->marked();
  ASSERT_FALSE(made.isEmpty());
  for (const QString& name : made) EXPECT_GE(texts()->made()->lineOf(name), 0) << name.toStdString();
  EXPECT_EQ(tables()->currentCollective(), -1);
  // h has no sharding of its own: its tiles are drawn, and why.
  ASSERT_TRUE(sharding()->tiles()->array());
  EXPECT_EQ(sharding()->tiles()->array()->sharding->text(), "{devices=[2,2]<=[4]}");
  EXPECT_TRUE(sharding()->originText().contains("because of"));
  const auto& links = texts()->links()->links();
  EXPECT_TRUE(std::ranges::any_of(links, [](const LineLink& l) { return l.chosen && l.left == "h"; }));
  // And back: the all-reduce is there for y.
  selector()->chooseMade(tables()->collectives()->topLevelItem(0)->text(1));
  EXPECT_EQ(source->marked(), QSet<QString>{"y"});
  EXPECT_EQ(tables()->currentCollective(), 0);
}

TEST_F(HloPanelTest, ALineOfStableHloLeadsToWhatIsMadeForIt) {
  const auto text = read_file(SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.mlir", 1 << 20);
  ASSERT_TRUE(text.ok());
  panel()->file().openText(QString::fromStdString(*text), "mlp.mlir");
  wait();
  ASSERT_NE(panel()->explained(), nullptr);
  HloTextView* source = texts()->source();
  int dots = 0;
  for (int line = 0; line < source->blockCount(); ++line) {
    if (source->lineText(line).find("stablehlo.dot_general") == std::string::npos) continue;
    const QString name = source->instructionAt(line);
    EXPECT_EQ(source->lineOf(name), line) << name.toStdString();
    source->setTextCursor(QTextCursor(source->document()->findBlockByNumber(line - 1)));
    QTest::keyClick(source, Qt::Key_Down);
    EXPECT_EQ(source->marked(), QSet<QString>{name});
    EXPECT_FALSE(texts()->made()->marked().isEmpty()) << name.toStdString();
    ++dots;
  }
  EXPECT_EQ(dots, 2);
}

TEST_F(HloPanelTest, AnEditedShardingChangesProgramAndCostAndIsUndone) {
  open("mlp");
  const QString text = texts()->source()->toPlainText(), program = panel()->partitionedText();
  selector()->chooseSource("w1");
  tables()->tabs()->setCurrentWidget(sharding());  // in the low dock a tab
  QLineEdit* field = sharding()->field();
  EXPECT_TRUE(field->text().startsWith("{devices=[1,2,2]"));
  field->setText("P('x',None)");
  QTest::keyClick(field, Qt::Key_Return);
  wait();
  EXPECT_TRUE(lineOfSource("w1").contains("sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}"))
      << lineOfSource("w1").toStdString();
  EXPECT_NE(panel()->partitionedText(), program);
  EXPECT_TRUE(status()->summary().contains("collectives 1 → ")) << status()->summary().toStdString();
  EXPECT_GT(tables()->collectives()->topLevelItemCount(), 1);
  ASSERT_TRUE(sharding()->undoButton()->isEnabled());
  QTest::mouseClick(sharding()->undoButton(), Qt::LeftButton);
  EXPECT_EQ(texts()->source()->toPlainText(), text);
  ASSERT_TRUE(wait_for([&] { return panel()->partitionedText() == program; }, 10'000));
  EXPECT_TRUE(status()->summary().contains("→ 1 ·")) << status()->summary().toStdString();
  QTest::mouseClick(sharding()->redoButton(), Qt::LeftButton);
  EXPECT_NE(texts()->source()->toPlainText(), text);
}

TEST_F(HloPanelTest, F2EditsTheShardingInItsLine) {
  open("fsdp_gather");
  HloTextView* source = texts()->source();
  const QString name =
      QString::fromStdString(panel()->explained()->module().entry_computation().instructions.front().name);
  source->setTextCursor(QTextCursor(source->document()->findBlockByNumber(source->lineOf(name))));
  QTest::keyClick(source, Qt::Key_F2);
  QLineEdit* field = source->shardingField();
  ASSERT_TRUE(field->isVisible());
  EXPECT_TRUE(lineOfSource(name).contains("sharding=" + field->text()));
  const QString before = source->toPlainText();
  field->setText("P('nowhere')");
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(field->isVisible());
  EXPECT_TRUE(sharding()->refusal().contains("nowhere")) << sharding()->refusal().toStdString();
  EXPECT_EQ(source->toPlainText(), before);
  field->setText("{replicated}");
  QTest::keyClick(field, Qt::Key_Return);
  wait();
  EXPECT_FALSE(field->isVisible());
  EXPECT_TRUE(lineOfSource(name).contains("sharding={replicated}"));
}

TEST_F(HloPanelTest, BadTextSaysWhereAndKeepsTheText) {
  open("mlp");
  const int collectives = tables()->collectives()->topLevelItemCount();
  typeAtEnd("\n%broken = f32[2] add(");
  const QString text = texts()->source()->toPlainText();
  EXPECT_TRUE(status()->problem().contains("mlp.hlo:")) << status()->problem().toStdString();
  EXPECT_FALSE(texts()->source()->extraSelections().isEmpty());
  EXPECT_EQ(tables()->collectives()->topLevelItemCount(), collectives);  // the last good ones stay
  EXPECT_EQ(texts()->source()->toPlainText(), text);
  panel()->undoStack().undo();
  ASSERT_TRUE(wait_for([&] { return status()->problem().isEmpty(); }, 10'000));
}

TEST_F(HloPanelTest, ATextThatIsCutIsReadUpToItsEnd) {
  open("pjit_case_2");
  EXPECT_TRUE(status()->problem().startsWith("Read up to its end")) << status()->problem().toStdString();
  EXPECT_GT(tables()->warnings()->topLevelItemCount(), 0);
}

TEST_F(HloPanelTest, RematerializationsAreGroupedByWhatTheyTurnIntoWhat) {
  panel()->file().openText(
      "HloModule m\nENTRY main {\n  x = f32[12,12] parameter(0), sharding={devices=[2,3]<=[6]}\n"
      "  a = f32[12,12] copy(x), sharding={devices=[3,2]<=[6]}\n"
      "  b = f32[12,12] add(x, x), sharding={devices=[2,3]<=[6]}\n"
      "  c = f32[12,12] copy(b), sharding={devices=[3,2]<=[6]}\n"
      "  ROOT y = f32[12,12] add(a, c), sharding={devices=[3,2]<=[6]}\n}\n",
      "m.hlo");
  wait();
  QTreeWidget* warnings = tables()->warnings();
  ASSERT_EQ(warnings->topLevelItemCount(), 1);
  QTreeWidgetItem* kind = warnings->topLevelItem(0);
  EXPECT_TRUE(kind->text(0).contains("×2")) << kind->text(0).toStdString();
  ASSERT_EQ(kind->childCount(), 2);
  EXPECT_TRUE(kind->child(0)->text(0).contains("Involuntary full rematerialization"));
  EXPECT_TRUE(kind->child(0)->text(1).contains("bring it to {"));
  warnings->setCurrentItem(kind->child(1));
  EXPECT_EQ(texts()->source()->marked().size(), 1);
}

TEST_F(HloPanelTest, OptionsChangeWhatIsMade) {
  open("torch_matmul");
  const QString current = panel()->partitionedText();
  EXPECT_FALSE(current.contains("convolution("));
  options()->dialect()->setCurrentText("tpu2022");
  Q_EMIT options()->dialect()->activated(options()->dialect()->currentIndex());
  wait();
  EXPECT_TRUE(panel()->partitionedText().contains("convolution("));
  options()->devices()->setValue(3);
  wait();
  EXPECT_FALSE(status()->problem().isEmpty());
  options()->devices()->setValue(0);
  wait();
  EXPECT_EQ(status()->problem(), "");
}

TEST_F(HloPanelTest, OptionsAreUndoneInTurnWithTheText) {
  open("torch_matmul");
  const QString text = texts()->source()->toPlainText(), current = panel()->partitionedText();
  const QString dialect = options()->dialect()->currentText();
  EXPECT_FALSE(panel()->undoStack().canUndo());
  options()->dialect()->setCurrentText("tpu2022");
  Q_EMIT options()->dialect()->activated(options()->dialect()->currentIndex());
  wait();
  const QString older = panel()->partitionedText();
  EXPECT_NE(older, current);
  typeAtEnd("\n\n");
  options()->propagate()->setChecked(false);
  wait();
  QTest::keySequence(texts()->source(), QKeySequence::Undo);
  EXPECT_TRUE(options()->propagate()->isChecked());
  EXPECT_NE(texts()->source()->toPlainText(), text);
  QTest::keySequence(texts()->source(), QKeySequence::Undo);
  EXPECT_EQ(texts()->source()->toPlainText(), text);
  EXPECT_EQ(options()->dialect()->currentText(), "tpu2022");
  QTest::keySequence(texts()->source(), QKeySequence::Undo);
  EXPECT_EQ(options()->dialect()->currentText(), dialect);
  EXPECT_FALSE(panel()->undoStack().canUndo());
  ASSERT_TRUE(wait_for([&] { return panel()->partitionedText() == current; }, 10'000));
  QTest::keySequence(texts()->source(), QKeySequence::Redo);
  ASSERT_TRUE(wait_for([&] { return panel()->partitionedText() == older; }, 10'000));
}

TEST_F(HloPanelTest, RunProvesTheModuleAndShowsItLinked) {
  open("moe_dispatch");
  ASSERT_GT(tables()->collectives()->topLevelItemCount(), 1);
  panel()->run();
  wait();
  EXPECT_TRUE(panel()->job()->message().contains("equal bit for bit"))
      << panel()->job()->message().toStdString();
  ASSERT_TRUE(wait_for([&] {
    return clock().shown() && !clock().shown()->telling && clock().shown()->run->strategy == "hlo";
  }));
  settle();
  const auto selected = [&] {
    const int32_t k = clock().selection().selected.instruction;
    return k < 0 ? std::string() : clock().shown()->run->program.by_global_index(k).name;
  };
  QTreeWidget* table = tables()->collectives();
  table->setCurrentItem(table->topLevelItem(1));
  EXPECT_EQ(selected(), table->topLevelItem(1)->text(1).toStdString());
  // The other way round: what is selected in the timeline becomes the table's row.
  const Program& program = clock().shown()->run->program;
  for (int32_t k = 0; k < program.instruction_count(); ++k) {
    if (program.by_global_index(k).name != table->topLevelItem(0)->text(1).toStdString()) continue;
    clock().select({.kind = ItemId::Kind::instruction, .instruction = k});
  }
  EXPECT_EQ(tables()->currentCollective(), 0);
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
  EXPECT_EQ(panel()->explained()->module().name, "own");
  EXPECT_EQ(panel()->file().name(), "own.hlo");
  EXPECT_FALSE(window->open(folder.filePath("missing.hlo")).ok());
  QApplication::clipboard()->setText("HloModule pasted\nENTRY e { ROOT p = f32[8] parameter(0) }\n");
  window->action("hlo.paste")->trigger();
  wait();
  EXPECT_EQ(panel()->explained()->module().name, "pasted");
}

TEST_F(HloPanelTest, TheTableIsExportedRowByRow) {
  open("moe_dispatch");
  const QString csv = collectives_csv(*panel()->explained());
  EXPECT_EQ(csv.count('\n'), tables()->collectives()->topLevelItemCount() + 1);
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
  EXPECT_EQ(tables()->tabs()->indexOf(sharding()), -1);
  EXPECT_TRUE(sharding()->isVisible());
  EXPECT_TRUE(tables()->collectives()->isVisible());
  dock->resize(1200, 300);
  settle();
  EXPECT_GE(tables()->tabs()->indexOf(sharding()), 0);
  QTest::keyClick(tables()->collectives(), Qt::Key_F2);
  EXPECT_TRUE(sharding()->isVisible());
}

TEST_F(HloPanelTest, EveryPresetOpensAndCloses) {
  for (int k = 0; k < panel()->presets()->count(); ++k) {
    open(panel()->presets()->itemText(k));
    EXPECT_FALSE(status()->summary().isEmpty() && status()->problem().isEmpty())
        << panel()->presets()->itemText(k).toStdString();
  }
}

}  // namespace
}  // namespace shardscope::hlo_panel_test
