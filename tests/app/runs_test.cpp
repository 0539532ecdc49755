// SPDX-License-Identifier: Apache-2.0
// The table of runs: columns, filter, groups, what its user says of runs, deleting, bringing in, copying.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/results/bring_in.h"
#include "app/window/results/label_form.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/report/document/writers.h"
#include "tests/app/window_fixture.h"

namespace shardscope::runs_test {
namespace {

class RunsTest : public WindowTest {
 protected:
  void SetUp() override {
    preferences.keep("runs_columns", {});
    WindowTest::SetUp();
    runAll();
    table = window->runsTable();
    window->showPanel("runs");
    table->view()->setFocus();
    settle();
  }
  RunEdits& edits() { return window->bench().edits(); }
  const RunStore& store() { return window->bench().runs(); }
  int64_t idOf(const std::string& strategy) {
    for (const RunSummary& row : store().rows())
      if (row.strategy == strategy) return row.id;
    return -1;
  }
  int lineOf(int64_t id) {
    for (int row = 0; row < table->list()->rowCount(); ++row)
      if (table->list()->index(row, 0).data(RunsModel::kRunIdRole).toLongLong() == id) return row;
    return -1;
  }
  void choose(int64_t id, int column = RunsModel::strategy) {
    table->view()->clearSelection();
    table->view()->setCurrentIndex(table->list()->index(lineOf(id), column));
    settle();
  }
  void settled() {
    ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
    settle(80);
  }
  RunsTable* table = nullptr;
};

TEST_F(RunsTest, ColumnsOfTheTableAreThoseOfTheList) {
  const RunsModel* model = table->model();
  ASSERT_EQ(run_columns().size(), static_cast<size_t>(model->columnCount()));
  EXPECT_EQ(*find_run_column("x_best"), static_cast<size_t>(RunsModel::ratio));
  EXPECT_EQ(*find_run_column("numbers"), static_cast<size_t>(RunsModel::numerics));
  EXPECT_EQ(*find_run_column("problem"), static_cast<size_t>(RunsModel::problem));
  EXPECT_EQ(*find_run_column("from"), static_cast<size_t>(RunsModel::from));
  for (int c = 0; c < model->columnCount(); ++c) {
    EXPECT_FALSE(model->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty()) << c;
    EXPECT_FALSE(model->headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) << c;
  }
  const QModelIndex row = model->index(0, 0);
  EXPECT_TRUE(row.siblingAtColumn(RunsModel::link).data().toString().contains("GB/s"));
  EXPECT_TRUE(row.siblingAtColumn(RunsModel::problem).data().toString().startsWith("["));
}

TEST_F(RunsTest, ModelsOfTheTableKeepTheirPromises) {
  const QAbstractItemModelTester list(table->list(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  table->bar()->filter()->setText("os");
  table->bar()->groupBy()->setCurrentIndex(1);
  table->list()->fold(0, true);
  table->list()->fold(0, false);
  table->bar()->filter()->clear();
  EXPECT_GT(table->list()->rowCount(), 1);
}

TEST_F(RunsTest, AFilterShowsWhatMatchesAndSaysWhereItIsWrong) {
  const int all = table->list()->rowCount();
  table->bar()->filter()->setText("strategy:wang time<1s");
  ASSERT_GT(table->list()->rowCount(), 0);
  EXPECT_LT(table->list()->rowCount(), all);
  for (int row = 0; row < table->list()->rowCount(); ++row)
    EXPECT_TRUE(table->list()->index(row, RunsModel::strategy).data().toString().contains("wang"));
  const int matching = table->list()->rowCount();
  table->bar()->filter()->setText("strategy:wang tme<1s");
  EXPECT_TRUE(table->bar()->said().startsWith("at character 15: there is no column 'tme'"))
      << table->bar()->said().toStdString();
  EXPECT_EQ(table->list()->rowCount(), matching) << "the rows stay as the last right filter left them";
  table->bar()->filter()->clear();
  EXPECT_EQ(table->list()->rowCount(), all);
}

TEST_F(RunsTest, GroupsSayHowManyAndWhichIsBestAndFold) {
  table->bar()->groupBy()->setCurrentIndex(table->bar()->groupBy()->findData("strategy"));
  RunsList* list = table->list();
  ASSERT_TRUE(list->isGroup(0));
  const QString line = list->index(0, 0).data(RunsModel::kLineRole).toString();
  EXPECT_TRUE(line.contains("1 run   best ")) << line.toStdString();
  const int rows = list->rowCount();
  table->view()->setCurrentIndex(list->index(0, 0));
  QTest::keyClick(table->view(), Qt::Key_Return);
  EXPECT_EQ(list->rowCount(), rows - 1);
  EXPECT_TRUE(list->isFolded(0));
  const QJsonObject state = table->state();
  table->restore({});
  EXPECT_FALSE(list->isGroup(0));
  table->restore(state);
  EXPECT_TRUE(list->isFolded(0));
  EXPECT_EQ(list->rowCount(), rows - 1);
}

TEST_F(RunsTest, NoCellIsCutShort) {
  for (const char* padding : {"0px", "6px", "20px"}) {
    table->view()->setStyleSheet(QString("QTableView::item { padding: 2px %1; }").arg(padding));
    table->columns()->fit();
    for (int row = 0; row < table->list()->rowCount(); ++row)
      for (const int column : {RunsModel::strategy, RunsModel::mesh, RunsModel::time, RunsModel::exposed}) {
        const QModelIndex cell = table->list()->index(row, column);
        if (cell.data(RunsModel::kLineRole).isValid()) continue;
        EXPECT_GE(table->view()->columnWidth(column), table->view()->sizeHintForIndex(cell).width())
            << padding << ": " << cell.data().toString().toStdString();
      }
  }
}

// Runs come while another dock stands before the table.
TEST_F(RunsTest, NoCellIsCutShortWhereColumnsAreFittedBeforeTheyAreSeen) {
  QWidget styled;
  styled.setStyleSheet("QTableView::item { padding: 2px 20px; }");
  auto* unseen = new RunsTable(edits(), &styled);
  std::set<int64_t> current;
  for (const RunSummary& row : store().rows()) current.insert(row.id);
  unseen->setRows(store().rows(), current, {});
  unseen->columns()->fit();
  std::vector<int> widths;
  for (int column = 0; column < RunsModel::column_count; ++column)
    widths.push_back(unseen->view()->columnWidth(column));
  styled.show();
  settle();
  ASSERT_GT(unseen->list()->rowCount(), 1);
  for (int row = 0; row < unseen->list()->rowCount(); ++row)
    for (const int column : {RunsModel::strategy, RunsModel::mesh, RunsModel::time, RunsModel::exposed}) {
      const QModelIndex cell = unseen->list()->index(row, column);
      EXPECT_GE(widths[static_cast<size_t>(column)], unseen->view()->sizeHintForIndex(cell).width())
          << cell.data().toString().toStdString();
    }
}

// How many pixels of a heading are not its background.
int ink_of(QHeaderView* header, int column) {
  const QImage image = header->viewport()->grab().toImage();
  const int left = header->sectionViewportPosition(column) + 1,
            right = left + header->sectionSize(column) - 2;
  const QRgb background = image.pixel(left, 1);
  int ink = 0;
  for (int y = 1; y + 2 < image.height(); ++y) {  // above the rule under it
    for (int x = left; x < right; ++x) ink += image.pixel(x, y) != background ? 1 : 0;
  }
  return ink;
}

TEST_F(RunsTest, NoHeadingIsCutShort) {
  QHeaderView* header = table->view()->horizontalHeader();
  for (int column = 0; column < header->count(); ++column) {
    if (!header->isSectionHidden(column)) {
      EXPECT_GE(header->sectionSize(column), heading_width(*table->view(), column)) << column;
    }
  }
}

TEST_F(RunsTest, NoHeadingIsCutShortInTheComparison) {
  window->bench().presenter().compare({table->model()->rows()[0].id, table->model()->rows()[1].id});
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  window->showPanel("compare");
  settle();
  QTableView* operations = window->findChild<ComparePanel*>()->table();
  QHeaderView* header = operations->horizontalHeader();
  ASSERT_GT(header->count(), 4);
  for (int column = 0; column < 5 && header->sectionViewportPosition(column) + 300 < header->width();
       ++column) {
    const int fitted = ink_of(header, column);
    operations->setColumnWidth(column, operations->columnWidth(column) + 80);
    EXPECT_EQ(fitted, ink_of(header, column))
        << operations->model()->headerData(column, Qt::Horizontal).toString().toStdString();
    operations->setColumnWidth(column, operations->columnWidth(column) - 80);
  }
}

TEST_F(RunsTest, ColumnsAreChosenMovedAndSizedAndRemembered) {
  QHeaderView* header = table->view()->horizontalHeader();
  QMenu* menu = table->columns()->menu(table);
  for (QAction* action : menu->actions())
    if (action->text() == "idle") action->trigger();
  EXPECT_TRUE(header->isSectionHidden(RunsModel::idle));
  header->moveSection(header->visualIndex(RunsModel::tags), 1);
  header->resizeSection(RunsModel::mesh, 222);
  table->view()->sortByColumn(RunsModel::exposed, Qt::DescendingOrder);
  runAll();
  EXPECT_EQ(table->view()->columnWidth(RunsModel::mesh), 222) << "new runs leave it";
  RunsTable other(edits());
  other.columns()->restore(preferences.kept("runs_columns"));
  EXPECT_TRUE(other.view()->isColumnHidden(RunsModel::idle));
  EXPECT_EQ(other.view()->horizontalHeader()->visualIndex(RunsModel::tags), 1);
  EXPECT_EQ(other.view()->columnWidth(RunsModel::mesh), 222);
  EXPECT_EQ(other.list()->order().column, static_cast<size_t>(RunsModel::exposed));
  EXPECT_TRUE(other.list()->order().descending);
  other.columns()->restore({});
  EXPECT_FALSE(other.view()->isColumnHidden(RunsModel::idle));
  EXPECT_TRUE(other.view()->isColumnHidden(RunsModel::created));
}

TEST_F(RunsTest, F2NamesARunInPlaceAndUndoTakesItBack) {
  const int64_t id = idOf("wang.os");
  choose(id, RunsModel::name);
  QTest::keyClick(table->view(), Qt::Key_F2);
  auto* editor = table->view()->viewport()->findChild<QLineEdit*>();
  ASSERT_NE(editor, nullptr);
  QTest::keyClicks(editor, "baseline");
  QTest::keyClick(editor, Qt::Key_Return);
  settled();
  EXPECT_EQ(store().row(id)->given.name, "baseline");
  ASSERT_TRUE(wait_for([&] {
    const auto runs = store().workspace()->runs();
    return runs.ok() &&
           std::ranges::any_of(*runs, [](const RunSummary& r) { return r.given.name == "baseline"; });
  })) << "it is in the journal at once";
  edits().undoStack().undo();
  EXPECT_EQ(store().row(id)->given.name, "");
  edits().undoStack().redo();
  EXPECT_EQ(store().row(id)->given.name, "baseline");
}

TEST_F(RunsTest, TheFormTakesNameTagsAndNoteAndHeadingsSayTheName) {
  const int64_t id = idOf("wang.os"), other = idOf("collective.os");
  window->bench().presenter().compare({id, other});
  settled();
  choose(id);
  table->editLabel();
  auto* form = table->findChild<LabelForm*>();
  ASSERT_NE(form, nullptr);
  form->name()->setText("mine");
  form->tags()->setText("slow paper");
  form->note()->setPlainText("for the talk");
  form->accept();
  ASSERT_TRUE(wait_for([&] {
    const ShownRunPtr& shown = clock().shown();
    return shown && shown->run->given.name == "mine";
  }));
  EXPECT_EQ(store().row(id)->given.tags, (std::vector<std::string>{"paper", "slow"}));
  window->bench().presenter().compare({id, other});
  ASSERT_TRUE(wait_for([&] { return clock().comparison() != nullptr; }));
  EXPECT_EQ(clock().comparison()->difference.runs[0].label, "mine");
  const std::string csv = report_markdown(make_report({"", {store().known().at(id)}, {}}, {}), {});
  EXPECT_NE(csv.find("wang.os (mine)"), std::string::npos);
  table->bar()->filter()->setText("tag:paper");
  EXPECT_EQ(table->list()->rowCount(), 1);
}

TEST_F(RunsTest, DeletedRunsComeBackWithEverything) {
  const int64_t id = idOf("wang.os");
  edits().label(id, {"kept", {"a"}, "note", ""});
  settled();
  const auto before = store().rows();
  const auto current = store().current();
  const RunPtr was = store().workspace()->load(id).value();
  choose(id);
  settled();
  QTest::keyClick(table->view(), Qt::Key_Delete);
  settled();
  EXPECT_EQ(store().row(id), nullptr);
  EXPECT_EQ(lineOf(id), -1);
  ASSERT_TRUE(clock().shown());
  EXPECT_NE(clock().shown()->run->id, id) << "another one is shown";
  ASSERT_TRUE(store().workspace()->wait().ok());
  EXPECT_EQ(store().workspace()->runs().value().size(), before.size() - 1);
  edits().undoStack().undo();
  settled();
  EXPECT_EQ(store().rows(), before);
  EXPECT_EQ(store().current(), current);
  ASSERT_TRUE(store().workspace()->wait().ok());
  const RunPtr back = store().workspace()->load(id).value();
  EXPECT_EQ(back->given.name, "kept");
  EXPECT_EQ(back->timeline.events.size(), was->timeline.events.size());
}

TEST_F(RunsTest, AllThatAFilterShowsAreDeletedAtOnce) {
  const size_t all = store().rows().size();
  table->bar()->filter()->setText("wang");
  const auto wang = static_cast<size_t>(table->list()->rowCount());
  ASSERT_GT(wang, 1U);
  table->view()->selectAll();
  settled();
  QTest::keyClick(table->view(), Qt::Key_Delete);
  settled();
  EXPECT_EQ(store().rows().size(), all - wang);
  edits().undoStack().undo();
  EXPECT_EQ(store().rows().size(), all);
}

TEST_F(RunsTest, AFileKeepsDeletedRunsUntilItIsSaved) {
  QTemporaryDir folder;
  const QString file = folder.filePath("a.shardscope");
  window->bench().saveWorkspace(file);
  ASSERT_TRUE(wait_for([&] { return window->bench().document().file() == file; }));
  settled();
  const size_t all = store().rows().size();
  edits().remove({store().rows().front().id});
  EXPECT_EQ(edits().undoStack().undoText(), "delete 1 run");
  EXPECT_TRUE(window->bench().state().unsaved());
  EXPECT_TRUE(window->isWindowModified());
  ASSERT_TRUE(window->open(file).ok());  // left unsaved, and opened again
  EXPECT_TRUE(wait_for([&] { return store().rows().size() == all; }, 5000)) << store().rows().size();
  settled();
  edits().remove({store().rows().front().id});
  ASSERT_TRUE(window->bench().state().save().ok());
  EXPECT_FALSE(window->bench().state().unsaved());
  ASSERT_TRUE(window->open(file).ok());
  settled();
  EXPECT_EQ(store().rows().size(), all - 1);
}

TEST_F(RunsTest, RunsOfAnotherWorkspaceAreBroughtInWithTheirDataAndUndone) {
  QTemporaryDir folder;
  const QString file = folder.filePath("other.shardscope");
  int64_t id = 0;
  {
    const auto other = Workspace::open(file.toStdString()).value();
    for (const char* strategy : {"wang.os", "psum"}) {
      auto run = std::make_shared<shardscope::Run>(*store().known().at(idOf("wang.os")));
      run->strategy = strategy;
      run->given.name = "theirs";
      id = other->record(run).value();
    }
    ASSERT_TRUE(other->wait().ok());
  }
  const auto before = store().rows();
  auto* dialog = new BringIn(file, window.get());
  QObject::connect(dialog, &BringIn::wanted, &edits(), &RunEdits::bringIn);
  ASSERT_TRUE(wait_for([&] { return dialog->list()->rowCount() == 2; }));
  dialog->view()->selectRow(1);
  dialog->accept();
  ASSERT_TRUE(wait_for([&] { return store().rows().size() == before.size() + 1; }));
  settled();
  const RunSummary brought = store().rows().back();
  EXPECT_EQ(brought.strategy, "psum");
  EXPECT_EQ(brought.given.name, "theirs");
  EXPECT_EQ(brought.given.origin, "other.shardscope, run " + std::to_string(id));
  EXPECT_FALSE(store().workspace()->load(brought.id).value()->timeline.events.empty());
  edits().undoStack().undo();
  EXPECT_EQ(store().rows(), before);
  edits().undoStack().redo();
  EXPECT_EQ(store().rows().back(), brought);
}

TEST_F(RunsTest, TheTableIsCopiedAsItIsShown) {
  table->bar()->filter()->setText("strategy=wang.os");
  QHeaderView* header = table->view()->horizontalHeader();
  for (int c = 0; c < RunsModel::column_count; ++c)
    header->setSectionHidden(c, c != RunsModel::strategy && c != RunsModel::mesh);
  edits().label(idOf("wang.os"), {"=1+1", {}, "", ""});
  header->setSectionHidden(RunsModel::name, false);
  settled();
  table->view()->setFocus();
  QTest::keyClick(table->view(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString().substr(0, 39),
            std::string("strategy,mesh,name\nwang.os,\"row=2,col=4\",'=1+1").substr(0, 39));
  EXPECT_TRUE(text(table_of(*table->view()), TableForm::latex).contains("\\toprule"));
  EXPECT_TRUE(text(table_of(*table->view()), TableForm::markdown).startsWith("| strategy | mesh | name |"));
}

TEST_F(RunsTest, ListingAsksNoFile) {
  // A workspace that cannot be read any more is listed as it was.
  const auto rows = store().rows();
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(&store().rows(), &store().rows());
  window->bench().runsChanged();
  EXPECT_EQ(table->model()->rows().size(), store().current().size());
  ASSERT_TRUE(store().workspace()->wait().ok());
  EXPECT_EQ(store().workspace()->runs().value(), rows) << "the list and the file say the same";
}

}  // namespace
}  // namespace shardscope::runs_test
