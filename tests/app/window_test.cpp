// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <QFileInfo>
#include <QKeyEvent>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include "app/window/shell/screenshot.h"
#include "app/window/widgets/export.h"
#include "tests/app/window_fixture.h"

namespace shardscope::window_test {
namespace {

void press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QKeyEvent down(QEvent::KeyPress, key, modifiers);
  QCoreApplication::sendEvent(widget, &down);
}

TEST_F(WindowTest, EveryPresetOpensRunsStepsToTheEndAndCloses) {
  for (const ExperimentPreset& preset : experiment_presets()) {
    SCOPED_TRACE(preset.name);
    open(preset.name);
    runAll();
    ASSERT_TRUE(clock().shown());
    ASSERT_GT(clock().beatCount(), 0);
    clock().setBeat(0);
    while (clock().beat() < clock().beatCount()) {
      const int before = clock().beat();
      clock().player().stepBy(1);
      ASSERT_GT(clock().beat(), before);
      for (RunCanvas* canvas : window->canvases()) canvas->scene();
    }
    EXPECT_GT(window->runsTable()->model()->rowCount(), 0);
    EXPECT_FALSE(window->runsTable()->verdictText().isEmpty());
  }
  EXPECT_TRUE(window->close());
}

TEST_F(WindowTest, EmptyCanvasesSayWhatTheyWillShow) {
  for (RunCanvas* canvas : window->canvases()) {
    ASSERT_FALSE(canvas->scene().texts().empty()) << canvas->view().id;
  }
}

TEST_F(WindowTest, MeshEditsAreUndoneAndRedone) {
  const Mesh before = window->bench().document().experiment().mesh;
  window->form()->mesh()->table()->item(0, 1)->setText("4");
  settle();
  const Mesh after = window->bench().document().experiment().mesh;
  ASSERT_EQ(after.axis_size(0), 4);
  window->bench().document().undoStack().undo();
  EXPECT_EQ(window->bench().document().experiment().mesh, before);
  EXPECT_EQ(window->form()->mesh()->table()->item(0, 1)->text(), QString::number(before.axis_size(0)));
  window->bench().document().undoStack().redo();
  EXPECT_EQ(window->bench().document().experiment().mesh, after);
}

TEST_F(WindowTest, ImpossibleMeshIsRefusedInPlaceAndTheOldOneStays) {
  const Mesh before = window->bench().document().experiment().mesh;
  window->form()->mesh()->table()->item(0, 1)->setText("0");
  settle();
  EXPECT_EQ(window->bench().document().experiment().mesh, before);
  EXPECT_FALSE(window->form()->mesh()->error().isEmpty());
  window->form()->mesh()->table()->item(0, 1)->setText("2");
  settle();
  EXPECT_TRUE(window->form()->mesh()->error().isEmpty());
}

TEST_F(WindowTest, StrategyThatCannotRunSaysWhyBesideItself) {
  Experiment e = window->bench().document().experiment();
  e.mesh = Mesh::parse("row=3,col=3").value();
  e.problem.m = e.problem.k = e.problem.n = 10;
  window->bench().document().change(e, "odd sizes");
  StrategyList* list = window->form()->strategies();
  ASSERT_TRUE(wait_for([&] { return list->reasonsKnown(); }));
  EXPECT_FALSE(list->reason("wang.os").isEmpty());
}

TEST_F(WindowTest, WhenNothingCanRunTheReasonStandsWhereTheResultWouldBe) {
  Experiment e = window->bench().document().experiment();
  e.problem.m = e.problem.k = e.problem.n = 1;
  e.runs = {RunRequest{}};
  e.runs[0].strategy = "wang.os";
  window->bench().document().change(e, "too small");
  runAll();
  bool said = false;
  for (const TextItem& text : window->timeline()->scene().texts())
    said = said || text.text == "Could not run";
  EXPECT_TRUE(said);
}

TEST_F(WindowTest, AxisDroppedOnADimensionShardsItAndUndoTakesItBack) {
  ShardingEditor* editor = window->form()->sharding();
  const Experiment before = window->bench().document().experiment();
  editor->dropAxis(0, 1, "row");
  const Experiment after = window->bench().document().experiment();
  ASSERT_FALSE(after.runs.empty());
  ASSERT_TRUE(after.runs[0].options.in_lhs);
  EXPECT_EQ(after.runs[0].options.in_lhs->dims[1].back(), "row");
  EXPECT_EQ(editor->spec(0)->text().toStdString(), after.runs[0].options.in_lhs->text());
  window->bench().document().undoStack().undo();
  EXPECT_EQ(window->bench().document().experiment(), before);
}

TEST_F(WindowTest, ShardingWithAnUnknownAxisIsRefusedInPlace) {
  const Experiment before = window->bench().document().experiment();
  QLineEdit* field = window->form()->sharding()->spec(0);
  field->setText("P('nowhere')");
  field->setModified(true);
  Q_EMIT field->editingFinished();
  EXPECT_EQ(window->bench().document().experiment(), before);
  EXPECT_TRUE(window->form()->sharding()->error().contains("nowhere"));
}

TEST_F(WindowTest, CancelLeavesTheWindowUsable) {
  window->bench().runAll();
  window->bench().jobs().cancel();
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  runAll();
  EXPECT_TRUE(clock().shown());
  EXPECT_GT(window->runsTable()->model()->rowCount(), 1);
}

TEST_F(WindowTest, JobStartedWhileAnotherRunsTakesItsPlace) {
  window->bench().runAll();
  Experiment e = window->bench().document().experiment();
  e.runs.resize(1);
  e.runs[0] = RunRequest{};
  e.runs[0].strategy = "wang.os";
  window->bench().document().change(e, "one strategy");
  runAll();
  EXPECT_EQ(window->bench().runs().current().size(), 1U);
  ASSERT_TRUE(clock().shown());
  EXPECT_EQ(clock().shown()->run->strategy, "wang.os");
}

TEST_F(WindowTest, OfTwoRunsAskedForTheNewerIsShown) {
  runAll();
  const auto rows = window->runsTable()->model()->rows();
  ASSERT_GT(rows.size(), 3U);
  const int64_t before = *clock().shown()->run->id;
  for (const RunSummary& row : rows) window->bench().presenter().show(row.id);
  EXPECT_EQ(*clock().shown()->run->id, before) << "showing does not wait";
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  EXPECT_EQ(*clock().shown()->run->id, rows.back().id);
}

TEST_F(WindowTest, TableSortsByAnyColumn) {
  runAll();
  QTableView* view = window->runsTable()->view();
  view->sortByColumn(RunsModel::time, Qt::AscendingOrder);
  const auto time = [&](int row) {
    return view->model()->index(row, RunsModel::time).data(RunsModel::kSortRole).toDouble();
  };
  const int rows = static_cast<int>(window->runsTable()->model()->rows().size());
  ASSERT_GT(rows, 2);
  EXPECT_LE(time(0), time(1));
  EXPECT_LE(time(1), time(rows - 1));
  view->sortByColumn(RunsModel::time, Qt::DescendingOrder);
  EXPECT_GE(time(0), time(1));
}

TEST_F(WindowTest, ItemModelsKeepTheirPromises) {
  QAbstractItemModelTester runs(window->runsTable()->model(),
                                QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester sorted(window->runsTable()->view()->model(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester query(window->sqlBox()->model(),
                                 QAbstractItemModelTester::FailureReportingMode::Fatal);
  runAll();
  EXPECT_GT(window->runsTable()->model()->rowCount(), 0);
}

TEST_F(WindowTest, SqlBoxAnswersAndRefusesToWrite) {
  runAll();
  bool answered = false;
  QObject::connect(window->sqlBox(), &SqlBox::answered, window.get(), [&] { answered = true; });
  window->sqlBox()->run("SELECT strategy, total_s FROM run_summary ORDER BY total_s");
  ASSERT_TRUE(wait_for([&] { return answered; }));
  EXPECT_EQ(window->sqlBox()->model()->rowCount(),
            static_cast<int>(window->runsTable()->model()->rows().size()));
  EXPECT_TRUE(window->sqlBox()->csv().startsWith("strategy,total_s\n"));
  answered = false;
  window->sqlBox()->run("DELETE FROM run");
  ASSERT_TRUE(wait_for([&] { return answered; }));
  EXPECT_FALSE(window->sqlBox()->message().isEmpty());
  EXPECT_FALSE(window->bench().runs().rows().empty());
}

TEST_F(WindowTest, ArrowKeysStepTheSharedClock) {
  runAll();
  showRunOf("wang.os");
  clock().setBeat(0);
  press(window->canvas("ring"), Qt::Key_Right);
  EXPECT_GE(clock().beat(), 1);
  press(window->timeline(), Qt::Key_Left);
  EXPECT_EQ(clock().beat(), 0);
}

TEST_F(WindowTest, SelectedEventMovesTheClockAndMarksItsProgramLine) {
  runAll();
  const auto& events = clock().shown()->run->timeline.events;
  ASSERT_FALSE(events.empty());
  ItemId item;
  item.kind = ItemId::Kind::event;
  item.event = static_cast<int32_t>(events.size()) - 1;
  item.instruction = events.back().instruction;
  clock().setBeat(0);
  clock().select(item);
  EXPECT_GE(window->programView()->lineOf(item.instruction), 0);
  EXPECT_FALSE(window->programView()->extraSelections().isEmpty());
  clock().clear();
  EXPECT_EQ(clock().selection().selected.kind, ItemId::Kind::none);
  clock().back();
  clock().forward();
  EXPECT_EQ(clock().selection().selected.event, item.event);
}

TEST_F(WindowTest, WheelZoomKeepsTheTimeUnderTheCursor) {
  runAll();
  TimelineCanvas* timeline = window->timeline();
  const float x = timeline->axis().left + timeline->axis().width * 0.6F;
  const Picoseconds before = timeline->axis().time_at(x);
  QWheelEvent wheel(QPointF(x, 60), timeline->mapToGlobal(QPointF(x, 60)), {}, {0, 480}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(timeline, &wheel);
  const TimeRange range = timeline->axis().range;
  EXPECT_LT(range.length(), clock().shown()->trace->total());
  EXPECT_NEAR(static_cast<double>(timeline->axis().time_at(x)), static_cast<double>(before),
              static_cast<double>(range.length()) / timeline->axis().width * 2);
}

TEST_F(WindowTest, BookmarksReturnToAPlace) {
  runAll();
  TimelineCanvas* timeline = window->timeline();
  press(timeline, Qt::Key_W);
  const TimelineViewport there = timeline->viewport();
  press(timeline, Qt::Key_3, Qt::ControlModifier);
  press(timeline, Qt::Key_Home);
  EXPECT_NE(timeline->viewport(), there);
  press(timeline, Qt::Key_3);
  EXPECT_EQ(timeline->viewport(), there);
}

TEST_F(WindowTest, IdleDrawsNoFrames) {
  runAll();
  settle(200);
  std::vector<int64_t> before;
  for (RunCanvas* canvas : window->canvases()) before.push_back(canvas->frames());
  settle(200);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(window->canvases()[i]->frames(), before[i]);
  EXPECT_GT(window->timeline()->frames(), 0);
}

TEST_F(WindowTest, SelectedRunsAreComparedOnOneAxis) {
  runAll();
  const auto& rows = window->runsTable()->model()->rows();
  ASSERT_GT(rows.size(), 1U);
  window->bench().presenter().compare({rows[0].id, rows[1].id});
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  ASSERT_TRUE(clock().comparison());
  auto* panel = static_cast<ComparePanel*>(window->showPanel("compare").widget);
  settle();
  EXPECT_FALSE(panel->canvas()->scene().rects().empty());
  EXPECT_EQ(panel->model()->rowCount(), static_cast<int>(clock().comparison()->difference.operations.size()));
  EXPECT_EQ(panel->verdict().toStdString().find(clock().comparison()->difference.verdict), 0U);
}

TEST_F(WindowTest, ARowOfTheComparisonGoesToItsOperationInAllRuns) {
  runAll();
  const auto& rows = window->runsTable()->model()->rows();
  ASSERT_GT(rows.size(), 2U);
  window->bench().presenter().compare({rows[2].id, rows[0].id, rows[1].id});
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  auto* panel = static_cast<ComparePanel*>(window->showPanel("compare").widget);
  settle();
  panel->table()->selectRow(1);
  EXPECT_EQ(panel->canvas()->viewport().operation, 1);
  const RunDifference& d = clock().comparison()->difference;
  EXPECT_EQ(panel->canvas()->viewport().range, compare_range_of(d, panel->canvas()->viewport(), 1));
  for (const auto form : {ComparePanel::Form::csv, ComparePanel::Form::markdown, ComparePanel::Form::latex})
    EXPECT_NE(panel->text(form).indexOf("product"), -1);
  EXPECT_TRUE(panel->text(ComparePanel::Form::command).startsWith("shardscope diff --db "));
}

TEST_F(WindowTest, ABarOfTheComparisonOpensItsOperationsAndTheirEventsAreWalked) {
  runAll();
  const auto& rows = window->runsTable()->model()->rows();
  ASSERT_GT(rows.size(), 1U);
  window->bench().presenter().compare({rows[0].id, rows[1].id});
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  auto* panel = static_cast<ComparePanel*>(window->showPanel("compare").widget);
  settle();
  const RunDifference& d = clock().comparison()->difference;
  const Scene& scene = panel->canvas()->scene();
  const auto bar = std::ranges::find_if(
      scene.accessible(), [](const AccessibleItem& item) { return item.name.starts_with("B−A exposed"); });
  ASSERT_NE(bar, scene.accessible().end());
  const double ratio = panel->canvas()->devicePixelRatio();
  QTest::mouseClick(
      panel->canvas(), Qt::LeftButton, Qt::NoModifier,
      QPointF((bar->rect.x + bar->rect.w / 2) / ratio, (bar->rect.y + bar->rect.h / 2) / ratio).toPoint());
  EXPECT_EQ(panel->ofTerm()->currentIndex(), static_cast<int>(Term::exposed) + 1);
  const std::vector<int> behind = operations_in(d, Term::exposed);
  ASSERT_FALSE(behind.empty());
  EXPECT_GT(panel->model()->rowCount(), static_cast<int>(behind.size())) << "and what they are together";
  EXPECT_EQ(panel->model()->operation(0), behind.front());
  panel->table()->selectRow(0);
  EXPECT_EQ(panel->canvas()->viewport().operation, behind.front());
  panel->canvas()->walk(1);
  const ItemId first = panel->canvas()->marks().selected;
  panel->canvas()->walk(1);
  const ItemId second = panel->canvas()->marks().selected;
  ASSERT_EQ(first.kind, ItemId::Kind::event);
  EXPECT_EQ(operation_of(d, static_cast<size_t>(first.index), first.instruction), behind.front());
  EXPECT_EQ(operation_of(d, static_cast<size_t>(second.index), second.instruction), behind.front());
  panel->canvas()->walk(-1);
  EXPECT_EQ(panel->canvas()->marks().selected, first);
}

TEST_F(WindowTest, WorkspaceAndExperimentSurviveSavingAndOpening) {
  runAll();
  QTemporaryDir folder;
  const size_t runs = window->bench().runs().rows().size();
  const Experiment before = window->bench().document().experiment();
  const QString toml = folder.filePath("e.toml");
  const QString database = folder.filePath("w.shardscope");
  ASSERT_TRUE(window->bench().document().save(toml).ok());
  window->bench().saveWorkspace(database);
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  EXPECT_EQ(window->bench().runs().rows().size(), runs);
  TestedWindow other(preferences);
  ASSERT_TRUE(other.bench().openFile(toml).ok());
  EXPECT_EQ(other.bench().document().experiment(), before);
  ASSERT_TRUE(other.bench().openFile(database).ok());
  EXPECT_EQ(other.bench().runs().rows().size(), runs);
  EXPECT_TRUE(wait_for([&] { return other.bench().clock().shown() != nullptr; }));
}

TEST_F(WindowTest, FileThatIsNotThereIsNamed) {
  const auto opened = window->bench().openFile("/nowhere/none.shardscope");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().text().find("/nowhere/none.shardscope"), std::string::npos);
}

TEST_F(WindowTest, ExportsWriteFiles) {
  runAll();
  QTemporaryDir folder;
  ASSERT_TRUE(export_picture(*window->timeline(), folder.filePath("t.svg")).ok());
  const auto yes = [](const QString&) { return true; };
  ASSERT_TRUE(export_picture(*window->canvas("ring"), folder.filePath("r.png")).ok());
  for (const char* report : {"r.html", "r.pdf", "r.tex"})
    ASSERT_TRUE(export_report(comparison_of(window->bench()), folder.filePath(report), "", yes).ok())
        << report;
  EXPECT_FALSE(export_report(comparison_of(window->bench()), folder.filePath("r.docx"), "", yes).ok());
  for (const char* name : {"t.svg", "r.png", "r.html", "r.pdf", "r.tex", "r-figures/timelines-1.pdf"})
    EXPECT_GT(QFileInfo(folder.filePath(name)).size(), 1000) << name;
}

TEST_F(WindowTest, ScreenshotIsTakenOfWindowAndOfOneView) {
  QTemporaryDir folder;
  for (const char* view : {"", "timeline"}) {
    bool done = false;
    const QString path = folder.filePath(QString("shot%1.png").arg(view));
    take_screenshot(*window, view, path, [&](const Result<void>& taken) {
      EXPECT_TRUE(taken.ok());
      done = true;
    });
    ASSERT_TRUE(wait_for([&] { return done; }));
    const QImage image(path);
    EXPECT_EQ(image.width(), window->width());
  }
}

}  // namespace
}  // namespace shardscope::window_test
