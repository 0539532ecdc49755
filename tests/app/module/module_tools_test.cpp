// SPDX-License-Identifier: Apache-2.0
// What the Module page tells and does beside its texts: outline, what if not, forms of a sharding, comparing,
// options, stopping.
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>

#include "app/window/module/hlo_diff.h"
#include "app/window/module/jax_writer.h"
#include "app/window/widgets/fit_columns.h"
#include "engine/program/source/shard_map_source.h"
#include "engine/session/modules/module_source.h"
#include "tests/app/module/big_module.h"
#include "tests/app/window_fixture.h"

namespace shardscope::module_tools_test {
namespace {

constexpr const char* kMlir =
    "module @m attributes {mhlo.num_partitions = 4 : i32} {\n sdy.mesh @grid = <[\"d\"=2, \"m\"=2]>\n"
    " func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{\"d\"}, {}]>}, "
    "%arg1: tensor<4x6xf32>) -> tensor<8x6xf32> {\n"
    " %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4x6xf32>) -> tensor<8x6xf32>\n return %0 : tensor<8x6xf32>\n }\n}\n";

class ModuleTools : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->resize(1500, 1000);
    window->showPanel("hlo");
    settle();
  }
  HloPanel* panel() { return window->hlo(); }
  HloTexts* texts() { return panel()->findChild<HloTexts*>(); }
  HloTables* tables() { return panel()->findChild<HloTables*>(); }
  HloShardingBox* sharding() { return panel()->findChild<HloShardingBox*>(); }
  HloSelector* selector() { return panel()->findChild<HloSelector*>(); }
  HloOptionsForm* options() { return panel()->findChild<HloOptionsForm*>(); }
  void wait() {
    settle(20);
    ASSERT_TRUE(wait_for([&] { return !panel()->busy(); }));
    settle();
  }
  void open(const QString& preset) {
    panel()->openPreset(preset);
    wait();
    ASSERT_NE(panel()->explained(), nullptr);
  }
  // Answers the next question for a file, whenever it comes.
  void answer(const QString& path) {
    auto* timer = new QTimer(window.get());
    QObject::connect(timer, &QTimer::timeout, timer, [timer, path] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->deleteLater();
      dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
      static_cast<QDialog*>(dialog)->accept();
    });
    timer->start(10);
  }
  static std::string read(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll().toStdString();
  }
  QTemporaryDir folder;
};

TEST_F(ModuleTools, TheOutlineGoesToTheTextAndFollowsIt) {
  open("compiled_layer");
  auto* outline = panel()->findChild<HloOutline*>();
  ASSERT_GT(outline->tree()->topLevelItemCount(), 0);
  const auto& entry = panel()->explained()->module().entry_computation();
  EXPECT_EQ(outline->tree()->topLevelItem(0)->text(0).toStdString(), entry.name);
  QTreeWidgetItem* last = outline->tree()->topLevelItem(outline->tree()->topLevelItemCount() - 1);
  Q_EMIT outline->tree()->itemClicked(last, 0);
  ASSERT_EQ(texts()->source()->marked().size(), 1);
  const QString name = QString::fromStdString(entry.instructions.back().name);
  selector()->chooseSource(name);
  ASSERT_NE(outline->tree()->currentItem(), nullptr);
  EXPECT_GE(panel()->explained()->module().instruction_count(),
            outline->tree()->currentItem()->text(1).toInt());
  outline->filter()->setText("no such scope");
  EXPECT_EQ(outline->tree()->topLevelItemCount(), 0);
  outline->filter()->setText("");
  EXPECT_GT(outline->tree()->topLevelItemCount(), 0);
}

TEST_F(ModuleTools, SayWhatTheModuleWouldCostWithoutACollectiveAndDoWithoutIt) {
  open("mlp");
  EXPECT_TRUE(tables()->collectives()->topLevelItem(0)->text(5).endsWith('%'));
  HloAlternative* what_if = tables()->alternative();
  ASSERT_TRUE(wait_for([&] { return !what_if->applyButton()->isHidden(); })) << what_if->text().toStdString();
  EXPECT_TRUE(what_if->text().startsWith("Without it, with ")) << what_if->text().toStdString();
  const QString before = texts()->plainText();
  what_if->applyButton()->click();
  wait();
  EXPECT_NE(texts()->plainText(), before);
  panel()->undoStack().undo();
  EXPECT_EQ(texts()->plainText(), before);
}

TEST_F(ModuleTools, ASortedTableStillTellsTheRightCollective) {
  open("moe_dispatch");
  QTreeWidget* table = tables()->collectives();
  ASSERT_GT(table->topLevelItemCount(), 1);
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    table->sortByColumn(2, order);
    for (int row = 0; row < table->topLevelItemCount(); ++row) {
      table->setCurrentItem(table->topLevelItem(row));
      const auto& shown =
          panel()->explained()->collectives[static_cast<size_t>(tables()->currentCollective())];
      EXPECT_EQ(table->topLevelItem(row)->text(1).toStdString(), shown.origin.name);
    }
  }
}

TEST_F(ModuleTools, AShardingIsShownAndTakenInThreeForms) {
  open("mlp");
  tables()->tabs()->setCurrentWidget(sharding());
  selector()->chooseSource("x");
  EXPECT_EQ(
      sharding()->formsText(),
      "{devices=[2,1,2]<=[4] last_tile_dim_replicate}\nP('x', None)\n#sdy.sharding<@mesh, [{\"x\"}, {}]>");
  const auto type = [&](const QString& text) {
    sharding()->field()->setText(text);
    QTest::keyClick(sharding()->field(), Qt::Key_Return);
    wait();
    selector()->chooseSource("x");
  };
  type("#sdy.sharding<@mesh, [{}, {\"y\"}]>");
  EXPECT_TRUE(sharding()->formsText().contains("P(None, 'y')")) << sharding()->formsText().toStdString();
  type("P(('x','y'),None)");
  EXPECT_TRUE(sharding()->formsText().contains("[{\"x\", \"y\"}, {}]"))
      << sharding()->formsText().toStdString();
  sharding()->field()->setText("<@mesh, [{x}]>");
  QTest::keyClick(sharding()->field(), Qt::Key_Return);
  EXPECT_TRUE(sharding()->refusal().contains("column 11")) << sharding()->refusal().toStdString();
}

TEST_F(ModuleTools, AnArgumentOfStableHloIsShardedInItsOwnText) {
  panel()->file().openText(kMlir, "m.mlir");
  wait();
  ASSERT_NE(panel()->explained(), nullptr);
  tables()->tabs()->setCurrentWidget(sharding());
  selector()->chooseSource("arg1");
  sharding()->field()->setText("P(None,'m')");
  QTest::keyClick(sharding()->field(), Qt::Key_Return);
  wait();
  EXPECT_TRUE(texts()->plainText().contains(
      "%arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {\"m\"}]>}"))
      << texts()->plainText().toStdString();
  panel()->undoStack().undo();
  EXPECT_EQ(texts()->plainText(), kMlir);
  wait();
  selector()->chooseSource(
      QString::fromStdString(panel()->explained()->module().entry_computation().instructions.back().name));
  sharding()->field()->setText("P('d')");
  QTest::keyClick(sharding()->field(), Qt::Key_Return);
  EXPECT_TRUE(sharding()->refusal().contains("sharding_constraint")) << sharding()->refusal().toStdString();
}

TEST_F(ModuleTools, IsComparedWithItsPartitionedProgramAndOthers) {
  open("mlp");
  window->action("hlo.diff")->trigger();
  auto* diff = window->findChild<HloDiff*>();
  ASSERT_NE(diff, nullptr);
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  const auto row = diff->counts()->findItems("all-reduce", Qt::MatchExactly);
  ASSERT_EQ(row.size(), 1);
  EXPECT_EQ(row[0]->text(3), "+1");
  EXPECT_TRUE(diff->after()->marked().contains("all-reduce"));
  for (QTreeWidget* each : {diff->counts(), diff->lines()})
    for (int column = 0; column + 1 < each->columnCount(); ++column)
      EXPECT_GE(each->columnWidth(column), heading_width(*each, column)) << column;
  diff->compare({"itself", panel()->file().text()});
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  EXPECT_TRUE(diff->said().contains("equal"));
  EXPECT_EQ(diff->counts()->topLevelItemCount(), 0);
  diff->compare({"nothing", std::make_shared<const IndexedText>("no module")});
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  EXPECT_TRUE(diff->said().contains("nothing:1")) << diff->said().toStdString();
  diff->close();
}

TEST_F(ModuleTools, AFileToCompareWithIsReadBesideTheWindowsThread) {
  open("mlp");
  window->action("hlo.diff")->trigger();
  auto* diff = window->findChild<HloDiff*>();
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  const QString path = folder.filePath("other.hlo");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  const std::string text = panel()->file().text()->text();
  file.write(text.data(), static_cast<qint64>(text.size()));
  file.close();
  answer(path);
  Q_EMIT diff->others()->activated(diff->others()->count() - 1);
  EXPECT_TRUE(diff->busy()) << "it is not read by the call";
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  EXPECT_TRUE(diff->said().contains("equal")) << diff->said().toStdString();
  EXPECT_EQ(diff->after()->text()->text(), text);
  diff->compare({"gone.hlo", nullptr, []() -> Result<IndexedTextPtr> { return io_error("no such file"); }});
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  EXPECT_TRUE(diff->said().contains("no such file")) << diff->said().toStdString();
  diff->close();
}

TEST_F(ModuleTools, TheModuleAndTheShownRunAreWrittenAsJaxCode) {
  open("mlp");
  const QString path = folder.filePath("mlp.py");
  answer(path);
  window->action("hlo.jax")->trigger();
  auto* writer = window->findChild<JaxWriter*>();
  ASSERT_NE(writer, nullptr);
  EXPECT_TRUE(writer->busy()) << "it is not written by the call";
  ASSERT_TRUE(wait_for([&] { return QFile::exists(path) && !writer->busy(); }));
  const auto expected = module_source(panel()->explained()->stages, {});
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(read(path), *expected);
  EXPECT_NE(expected->find("shard_map"), std::string::npos);

  panel()->run();
  wait();
  ASSERT_TRUE(wait_for([&] { return window->bench().clock().shown() != nullptr; }));
  const QString of_run = folder.filePath("run.py");
  answer(of_run);
  window->action("export.jax")->trigger();
  ASSERT_TRUE(wait_for([&] { return QFile::exists(of_run) && !writer->busy(); }));
  const RunPtr run = window->bench().clock().shown()->run;
  EXPECT_EQ(read(of_run), *shard_map_source(run->program, run->strategy));
}

TEST_F(ModuleTools, EveryFieldOfAModulesRunIsAnOptionThatIsUndone) {
  open("mlp");
  auto* mesh = qobject_cast<QLineEdit*>(options()->editor("mesh"));
  ASSERT_NE(mesh, nullptr);
  EXPECT_FALSE(mesh->isVisible());
  options()->moreButton()->setChecked(true);
  EXPECT_TRUE(mesh->isVisible());
  mesh->setText("a=2,b=2");
  Q_EMIT mesh->editingFinished();
  wait();
  EXPECT_EQ(panel()->explained()->timed->mesh.text(), "a=2,b=2");
  EXPECT_EQ(read_choice(json(options()->choice())), options()->choice());
  panel()->undoStack().undo();
  wait();
  EXPECT_EQ(mesh->text(), "");
  EXPECT_EQ(panel()->explained()->timed->mesh.text(), "x=2,y=2");
}

TEST_F(ModuleTools, ReadingABigModuleSaysHowFarItIs) {
  std::vector<double> told;
  HloReader own;
  QObject::connect(&own, &HloReader::progress, [&](const QString&, double part) { told.push_back(part); });
  bool ended = false;
  QObject::connect(&own, &HloReader::finished, [&] { ended = true; });
  own.read(std::make_shared<const IndexedText>(big_module(8'000)), "big.hlo", {});
  ASSERT_TRUE(wait_for([&] { return ended; }));
  EXPECT_GT(told.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LE(told.back(), 1.0);
}

TEST_F(ModuleTools, EscStopsAPartitionAndTheTextStays) {
  panel()->file().openText(QString::fromStdString(big_module(30'000)), "large.hlo");
  ASSERT_TRUE(wait_for([&] { return panel()->job()->busy(); }));
  texts()->readOnly()->setFocus();
  QTest::keyClick(texts()->readOnly(), Qt::Key_Escape);
  EXPECT_FALSE(panel()->busy());
  EXPECT_EQ(texts()->readOnly()->text()->lineCount(), 30'001);
  open("mlp");  // and the thread is free for the next one
}

}  // namespace
}  // namespace shardscope::module_tools_test
