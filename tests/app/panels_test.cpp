// SPDX-License-Identifier: Apache-2.0
// The docks with jobs of their own: tuner, crossover, error growth, calibration.
#include <QAbstractButton>
#include <QTest>
#include <algorithm>
#include <set>

#include "tests/app/window_fixture.h"

namespace shardscope::panels_test {
namespace {

class PanelsTest : public WindowTest {
 protected:
  // Opened by its word, run to the end.
  TestedWindow::Panel ran(const QString& view) {
    const TestedWindow::Panel panel = window->showPanel(view);
    EXPECT_NE(panel.widget, nullptr);
    panel.run();
    EXPECT_TRUE(wait_for([&] { return !panel.job->busy(); }));
    settle();
    return panel;
  }
  bool says(PictureCanvas* chart, const std::string& part) {
    const Scene& scene = chart->scene();
    return std::ranges::any_of(scene.texts(),
                               [&](const TextItem& t) { return t.text.find(part) != std::string::npos; });
  }
  void waitForRuns() {
    ASSERT_TRUE(wait_for(
        [&] { return !window->bench().jobs().running() && !window->bench().presenter().preparing(); }));
    settle();
  }
};

TEST_F(PanelsTest, EveryPanelOpensByItsWordAndSaysWhatItWillShow) {
  for (const Dock& dock : docks()) {
    const TestedWindow::Panel panel = window->showPanel(dock.id);
    ASSERT_NE(panel.widget, nullptr) << dock.id.toStdString();
    EXPECT_TRUE(panel.widget->isVisible()) << dock.id.toStdString();
  }
  EXPECT_TRUE(says(window->tuner()->chart(), "The tuner tries every mesh shape"));
  EXPECT_TRUE(says(window->crossover()->chart(), "Crossovers"));
  EXPECT_TRUE(says(window->errorGrowth()->chart(), "Error growth"));
  EXPECT_EQ(window->showPanel("nothing").widget, nullptr);
}

TEST_F(PanelsTest, StudiesSayWhatTheyAreForAndFitTheirPage) {
  for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
    window->resize(size);
    for (const char* id : {"tuner", "crossover", "calibration"}) {
      auto* study = qobject_cast<StudyPanel*>(window->showPanel(id).widget);
      ASSERT_NE(study, nullptr) << id;
      QCoreApplication::processEvents();
      EXPECT_GT(study->purpose().size(), 40) << id;
      int fields = 0;
      for (const QWidget* field : study->findChildren<QWidget*>()) {
        const bool typed = qobject_cast<const QLineEdit*>(field) != nullptr ||
                           qobject_cast<const QComboBox*>(field) != nullptr ||
                           qobject_cast<const QAbstractButton*>(field) != nullptr;
        if (!typed || !field->isVisible()) continue;
        const QRect at(field->mapTo(study, QPoint(0, 0)), field->size());
        EXPECT_TRUE(study->rect().contains(at))
            << id << " at " << size.width() << ": " << field->accessibleName().toStdString();
        EXPECT_GE(field->width(), field->minimumSizeHint().width()) << id;
        ++fields;
      }
      EXPECT_GT(fields, 2) << id;
    }
  }
  EXPECT_TRUE(window->tuner()->purpose().contains("MFU"));
  window->tuner()->model()->setCurrentText("gpt3");
  window->tuner()->chips()->setText("64");
  EXPECT_TRUE(window->tuner()->purpose().contains("131,072 tokens = batch 64 × sequence 2,048"))
      << window->tuner()->purpose().toStdString();
}

TEST_F(PanelsTest, CandidatesOnOneMeshAreToldApart) {
  TunerPanel* tuner = window->tuner();
  tuner->model()->setCurrentText("gpt3");
  tuner->chips()->setText("16");
  ran("tuner");
  std::set<QString> seen;
  const int rows = tuner->table()->topLevelItemCount();
  ASSERT_GT(rows, 2);
  for (int i = 0; i < rows; ++i) {
    const QTreeWidgetItem* row = tuner->table()->topLevelItem(i);
    EXPECT_FALSE(row->text(4).isEmpty()) << i;
    EXPECT_TRUE(seen.insert(row->text(0) + row->text(4)).second) << row->text(4).toStdString();
    EXPECT_TRUE(row->text(2).endsWith("%")) << row->text(2).toStdString();
  }
}

TEST_F(PanelsTest, TunerWithThePublishedCostsGivesThePublishedMesh) {
  TunerPanel* tuner = window->tuner();
  tuner->model()->setCurrentText("gpt3");
  tuner->chips()->setText("64");
  tuner->cost()->setCurrentText("meshslice");
  ran("tuner");
  ASSERT_TRUE(tuner->result());
  ASSERT_GE(tuner->result()->best, 0);
  const TuneCandidate& best = tuner->result()->candidates[static_cast<size_t>(tuner->result()->best)];
  EXPECT_EQ(best.mesh.axis_size(0), 8);
  EXPECT_EQ(best.mesh.axis_size(1), 8);
  ASSERT_EQ(best.layers.size(), 4U);
  for (const TuneLayerChoice& layer : best.layers) EXPECT_EQ(layer.slices, 16) << layer.layer;
  EXPECT_TRUE(says(tuner->chart(), "8×8"));
  EXPECT_EQ(tuner->csv().count('\n'), std::ssize(tuner->result()->candidates) + 1);
}

TEST_F(PanelsTest, EnterOnACandidateOpensItsProductAndRunsIt) {
  TunerPanel* tuner = window->tuner();
  tuner->chips()->setText("4");
  ran("tuner");
  ASSERT_TRUE(tuner->result());
  QTreeWidgetItem* first = tuner->table()->topLevelItem(0);
  ASSERT_NE(first, nullptr);
  const auto expected = tuner->experimentOf(first);
  ASSERT_TRUE(expected);
  tuner->table()->setCurrentItem(first);
  QTest::keyClick(tuner->table(), Qt::Key_Return);
  waitForRuns();
  EXPECT_EQ(window->bench().document().experiment().problem, expected->problem);
  ASSERT_TRUE(clock().shown());
  EXPECT_EQ(clock().shown()->run->strategy, expected->runs.at(0).strategy);
}

TEST_F(PanelsTest, ClickOnACandidateOfTheChartSelectsItsRow) {
  TunerPanel* tuner = window->tuner();
  tuner->chips()->setText("4");
  ran("tuner");
  const int rows = tuner->table()->topLevelItemCount();
  ASSERT_GT(rows, 1);
  QTreeWidgetItem* last = tuner->table()->topLevelItem(rows - 1);
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = last->data(0, Qt::UserRole).toInt();
  Q_EMIT tuner->chart()->chosen(item);
  EXPECT_EQ(tuner->table()->currentItem(), last);
}

TEST_F(PanelsTest, TunerRefusesInPlace) {
  TunerPanel* tuner = window->tuner();
  tuner->chips()->setText("none");
  window->showPanel("tuner").run();
  EXPECT_FALSE(tuner->job()->busy());
  EXPECT_TRUE(tuner->error().contains("whole number"));
}

TEST_F(PanelsTest, SmallSweepGivesCurvesATableAndFiles) {
  CrossoverPanel* crossover = window->crossover();
  crossover->ranges()->setText("n=256,512,1024");
  EXPECT_TRUE(crossover->plan().startsWith("3 points"));
  crossover->ranges()->setText("n=256");
  EXPECT_TRUE(crossover->plan().startsWith("1 point ")) << crossover->plan().toStdString();
  crossover->ranges()->setText("n=256,512,1024");
  ran("crossover");
  ASSERT_TRUE(crossover->result());
  EXPECT_EQ(crossover->result()->points.size(), 3U);
  EXPECT_EQ(crossover->table()->topLevelItemCount(), 3);
  EXPECT_TRUE(says(crossover->chart(), crossover->result()->points[0].ranking[0].strategy));
  EXPECT_EQ(crossover->csv().count('\n'), 4);
  EXPECT_TRUE(crossover->csv().startsWith("n,best,"));
  const QString html = crossover->html();
  EXPECT_TRUE(html.contains("<svg") && html.contains("Every point") && html.trimmed().endsWith("</html>"));
}

TEST_F(PanelsTest, PointOfASweepBecomesTheExperiment) {
  CrossoverPanel* crossover = window->crossover();
  crossover->ranges()->setText("n=256,512");
  ran("crossover");
  ASSERT_EQ(crossover->table()->topLevelItemCount(), 2);
  crossover->table()->setCurrentItem(crossover->table()->topLevelItem(1));
  QTest::keyClick(crossover->table(), Qt::Key_Return);
  waitForRuns();
  EXPECT_EQ(window->bench().document().experiment().problem.n, 512);
  EXPECT_GT(window->runsTable()->model()->rowCount(), 0);
}

TEST_F(PanelsTest, WrongRangeIsSaidWhileItIsTyped) {
  CrossoverPanel* crossover = window->crossover();
  crossover->ranges()->setText("n=");
  EXPECT_FALSE(crossover->error().isEmpty());
  EXPECT_FALSE(crossover->job()->startButton()->isEnabled());
  crossover->ranges()->setText("n=256,512");
  EXPECT_TRUE(crossover->error().isEmpty());
  EXPECT_TRUE(crossover->job()->startButton()->isEnabled());
}

TEST_F(PanelsTest, CancelledSweepKeepsWhatWasDone) {
  CrossoverPanel* crossover = window->crossover();
  crossover->ranges()->setText("n=256..1048576+256");
  const TestedWindow::Panel panel = window->showPanel("crossover");
  panel.run();
  ASSERT_TRUE(panel.job->busy());
  Q_EMIT panel.job->cancelRequested();
  ASSERT_TRUE(wait_for([&] { return !panel.job->busy(); }));
  EXPECT_TRUE(!crossover->result() || !crossover->result()->complete);
}

TEST_F(PanelsTest, ErrorGrowthIsMeasuredBesideItsLaws) {
  window->errorGrowth()->lengths()->setText("16..256");
  ran("errors");
  ASSERT_TRUE(window->errorGrowth()->result());
  EXPECT_TRUE(says(window->errorGrowth()->chart(), "terms of the sum, k"));
}

class CalibrationTest : public WindowTest {
 protected:
  // a100's published points, fitted to.
  CalibrationPanel* fitted() {
    CalibrationPanel* panel = window->calibration();
    const TestedWindow::Panel dock = window->showPanel("calibration");
    panel->hardware()->setCurrentText("a100");
    dock.run();
    EXPECT_TRUE(wait_for([&] { return !dock.job->busy(); }));
    settle();
    EXPECT_TRUE(panel->result() != nullptr) << panel->error().toStdString();
    return panel;
  }
  // Whose points, groups or numbers the table lists.
  static int rows(CalibrationPanel* panel, CalibrationPanel::Shown shown) {
    panel->shown()->setCurrentIndex(shown);
    return panel->table()->topLevelItemCount();
  }
  void click(PictureCanvas* chart, const ItemId& item) {
    const Scene& scene = chart->scene();
    for (const AccessibleItem& place : scene.accessible()) {
      if (place.id < 0 || scene.ids()[static_cast<size_t>(place.id)] != item) continue;
      const QPoint at(static_cast<int>(place.rect.x + place.rect.w / 2),
                      static_cast<int>(place.rect.y + place.rect.h / 2));
      return QTest::mouseClick(chart, Qt::LeftButton, {}, at);
    }
    FAIL() << "nothing stands for it";
  }
};

TEST_F(CalibrationTest, ListsEveryPointTheWorstFirst) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  EXPECT_EQ(rows(panel, CalibrationPanel::points), std::ssize(panel->result()->points));
  EXPECT_EQ(rows(panel, CalibrationPanel::groups), std::ssize(panel->result()->groups));
  EXPECT_EQ(rows(panel, CalibrationPanel::parameters), std::ssize(panel->result()->parameters));
  rows(panel, CalibrationPanel::points);
  const auto error = [&](int row) {
    const auto place = static_cast<size_t>(panel->table()->topLevelItem(row)->data(0, Qt::UserRole).toInt());
    const CalibratedPoint& point = panel->result()->points[place];
    return error_of(point.after_s, point.measured_s);
  };
  for (int i = 1; i < panel->table()->topLevelItemCount(); ++i) EXPECT_GE(error(i - 1), error(i));
}

TEST_F(CalibrationTest, FindsAPointOfThePictureInTheTable) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  // The worst one: no other lies over it.
  const int worst = panel->table()->topLevelItem(0)->data(0, Qt::UserRole).toInt();
  panel->table()->setCurrentItem(nullptr);
  click(panel->chart(), {.kind = ItemId::Kind::candidate, .index = worst});
  ASSERT_NE(panel->table()->currentItem(), nullptr);
  EXPECT_EQ(panel->table()->currentItem()->data(0, Qt::UserRole).toInt(), worst);
}

TEST_F(CalibrationTest, ShowsAGroupAloneWhenItsBarsAreClicked) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  const auto& groups = panel->result()->groups;
  const auto matmul = std::ranges::find(groups, "matmul", &CalibratedGroup::group);
  ASSERT_NE(matmul, groups.end());
  click(panel->chart(),
        {.kind = ItemId::Kind::handle, .index = static_cast<int32_t>(matmul - groups.begin())});
  EXPECT_EQ(panel->group()->currentData().toString(), "matmul");
  EXPECT_EQ(panel->table()->topLevelItemCount(), matmul->points);
}

TEST_F(CalibrationTest, FittedChipBecomesTheExperimentsAndUndoTakesItBack) {
  CalibrationPanel* panel = fitted();
  ASSERT_TRUE(panel->result());
  ExperimentDocument& document = window->bench().document();
  const std::string before = document.experiment().hardware;
  panel->useButton()->click();
  const auto used = find_hardware(document.experiment().hardware);
  ASSERT_TRUE(used.ok()) << used.error().text();
  EXPECT_EQ(*used, panel->result()->after);
  document.undoStack().undo();
  EXPECT_EQ(document.experiment().hardware, before);
}

TEST_F(CalibrationTest, SaysWhyAFileHoldsNoMeasurements) {
  CalibrationPanel* panel = window->calibration();
  const TestedWindow::Panel dock = window->showPanel("calibration");
  for (const char* path : {"/nowhere/points.csv", SHARDSCOPE_SOURCE_DIR "/CMakeLists.txt"}) {
    panel->file()->setText(path);
    dock.run();
    EXPECT_FALSE(dock.job->busy());
    EXPECT_TRUE(panel->error().contains(QString(path).section('/', -1))) << panel->error().toStdString();
    EXPECT_FALSE(panel->result());
  }
}

TEST_F(CalibrationTest, IsCancelledAndSaysSo) {
  CalibrationPanel* panel = window->calibration();
  const TestedWindow::Panel dock = window->showPanel("calibration");
  panel->hardware()->setCurrentText("h100");
  dock.run();
  ASSERT_TRUE(dock.job->busy());
  Q_EMIT dock.job->cancelRequested();
  ASSERT_TRUE(wait_for([&] { return !dock.job->busy(); }));
  EXPECT_FALSE(panel->result() && dock.job->message().isEmpty());
}

}  // namespace
}  // namespace shardscope::panels_test
