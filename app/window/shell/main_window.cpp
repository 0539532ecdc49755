// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/main_window.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMessageBox>
#include <QStatusBar>

#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/docks/lesson_dock.h"
#include "app/window/document/language.h"
#include "app/window/experiment/experiment_form.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/shell/sentence_line.h"
#include "views/host/surface.h"

namespace shardscope::inline window {

MainWindow::MainWindow(Preferences& preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(preferences),
      run_moments_(bench_.clock(), preferences_),
      transport_(run_moments_),
      journaling_(bench_),
      context_{*this, preferences_, bench_, transport_, docks_, undo_, journaling_},
      docks_(context_),
      actions_(context_),
      bars_(context_),
      undo_focus_(undo_, docks_, bench_.document().undoStack()),
      help_key_(context_),
      job_(new JobStatus(bench_.jobs(), bench_.presenter(), this)),
      restore_bar_(new RestoreBar(context_, journaling_, this)),
      written_bar_(new WrittenBar(preferences.settings(), this)),
      file_drop_(std::make_unique<FileDrop>(context_)) {
  auto* host = new QLabel(surface_choice().text, this);
  host->setToolTip("How the canvases are drawn; SHARDSCOPE_HOST=gl or raster chooses"_tr);
  auto* sentence = new SentenceLine(transport_, this);
  statusBar()->addWidget(sentence, 1);
  // A status bar hides it behind a message, but shows it again beneath one when its font changes.
  connect(statusBar(), &QStatusBar::messageChanged, sentence,
          [sentence](const QString& said) { sentence->setVisible(said.isEmpty()); });
  statusBar()->addPermanentWidget(job_);
  statusBar()->addPermanentWidget(host);
  addToolBarBreak();
  addToolBar(restore_bar_);
  restore_bar_->hide();
  addToolBarBreak();
  addToolBar(written_bar_);
  written_bar_->hide();
  docks_.restore(preferences_.kept("pages"));
  connectBench();
  connectState();
  showTitle();
  applyTelling();
  applyLimits();
  bench_.state().setNumerics(preferences_.settings().value("new.numerics").toBool());
  resize(1600, 1000);
  applyLook();
}

void MainWindow::connectBench() {
  connect(&bench_.presenter(), &RunPresenter::refused, this,
          [this](const QString& reason) { context_.say(reason); });
  connect(&bench_, &Workbench::saved, this, [this](const QString& path) {
    preferences_.addRecentFile(path);
    remember_folder(preferences_.settings(), path);
    written_bar_->tell(path);
  });
  connect(&bench_.document(), &ExperimentDocument::changed, this, [this] {
    showTitle();
    actions_.readState();
  });
  connect(&transport_, &Transport::frontChanged, this, [this] {
    showTitle();
    actions_.readState();
  });
  connect(&transport_, &Transport::playingChanged, this, [this] {
    actions_.readState();
    actions_.setIcons(preferences_.theme(), bars_.iconSize());
  });
  StrategyList* strategies = docks_.widget<ExperimentForm>("experiment")->strategies();
  connect(strategies, &QTreeWidget::currentItemChanged, this, [this] { actions_.readState(); });
  connect(&bench_.presenter(), &RunPresenter::shown, strategies, [this, strategies] {
    strategies->select(QString::fromStdString(bench_.clock().of(Subject::runs).run->run->strategy));
  });
  connect(&bench_.jobs(), &JobRunner::started, this, [this] { actions_.readState(); });
  connect(&bench_.presenter(), &RunPresenter::readingChanged, this, [this] { actions_.readState(); });
  connect(&bench_.jobs(), &JobRunner::ended, this, [this](const QString& last_word) {
    actions_.readState();
    context_.say(last_word, 8000);
  });
  connect(&preferences_, &Preferences::lookChanged, this, &MainWindow::applyLook);
  connect(&preferences_, &Preferences::tellingChanged, this, &MainWindow::applyTelling);
  connect(&preferences_, &Preferences::limitsChanged, this, &MainWindow::applyLimits);
}

void MainWindow::applyLook() {
  preferences_.apply();
  docks_.setTheme(preferences_.theme());
  bench_.clock().player().setReduceMotion(preferences_.reduceMotion());
  bars_.setTheme(preferences_.theme());
  job_->setScale(preferences_.scale());
  actions_.readState();
  actions_.setIcons(preferences_.theme(), bars_.iconSize());
  fitDocks();
}

void MainWindow::applyTelling() {
  bench_.clock().player().setPace(preferences_.playsInTime() ? RunPlayer::Pace::time
                                                             : RunPlayer::Pace::beats);
  actions_.readState();
}

void MainWindow::applyLimits() {
  const auto number = [this](const char* id) { return preferences_.settings().value(id).toLongLong(); };
  bench_.state().setLimits({number("memory.earlier_mib") << 20, number("memory.events") * 1'000'000});
  journaling_.setMostBytes(number("journal.most_mib") << 20);
}

void MainWindow::fitDocks() {
  bars_.arrange(form_of(width() / preferences_.scale(), height() / preferences_.scale()));
  if (isVisible()) docks_.fit(size(), preferences_.scale());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  fitDocks();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  fitDocks();
}

// Keys that no view or field wanted are the timeline's, the lesson's or the kernel's: play, step and zoom
// wherever one has clicked.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (at_lesson(context_)) return event->setAccepted(lesson_moments(context_).press(event->key()));
  if (KernelPanel* kernel = kernel_in_front(context_)) return kernel->keyPressEvent(event);
  auto* timeline = docks_.widget<TimelineCanvas>("timeline");
  if (timeline->hasFocus()) return QMainWindow::keyPressEvent(event);
  timeline->pressKey(event);
}

Result<void> MainWindow::keepJournal(const QString& folder) {
  TRY_VOID(journaling_.begin(folder));
  restore_bar_->offerNewest(folder);
  return {};
}

void MainWindow::connectState() {
  bench_.state().setParts([this] {
    return QJsonObject{
        {"docks", views_of(docks_)}, {"page", docks_.page()}, {"arrangements", docks_.state()}};
  });
  connect(&bench_.state(), &WorkState::restored, this, [this](const QJsonObject& parts) {
    if (parts.contains("arrangements")) docks_.restore(parts["arrangements"].toObject());
    docks_.setPage(parts["page"].toString());
    restore_views(docks_, parts["docks"].toObject());
  });
  connect(&preferences_.settings(), &Settings::changed, this, [this](const QString& id) {
    if (id == "pages" && preferences_.settings().isFirst(id)) docks_.forget();
  });
  connect(&docks_, &DockArea::pageChanged, this, &MainWindow::followPage);
  followPage();
  // Arrangements are the user's: what is opened next has them, too.
  connect(&docks_, &DockArea::pageChanged, this, [this] {
    preferences_.keep("pages", docks_.state());
    journaling_.later();
    showTitle();
    actions_.readState();
  });
  journaling_.setHolds([this] { return has_module(context_) && hlo_of(context_).file().modified(); });
  connect(&bench_.document(), &ExperimentDocument::fileChanged, this, &MainWindow::showTitle);
  connect(&bench_.edits(), &RunEdits::changed, this, &MainWindow::showTitle);
  when_made(docks_, this, [this](const DockArea::Made& made) { connectWidget(made); });
}

// What is shown and stepped through is the page's.
void MainWindow::followPage() {
  bench_.clock().setSubject(find_page(docks_.page())->subject);
  if (at_lesson(context_))
    transport_.setFront(lesson_moments(context_));
  else if (KernelPanel* kernel = kernel_in_front(context_))
    transport_.setFront(kernel->stepBar()->moments());
  else
    transport_.setFront(run_moments_);
  bars_.showSetup(transport_.front().ofExperiment());
}

void MainWindow::connectWidget(const DockArea::Made& made) {
  const auto follow = [this] {
    showTitle();
    actions_.readState();
  };
  if (const auto* canvas = qobject_cast<RunCanvas*>(made.widget))
    connect(canvas, &RunCanvas::stateChanged, &journaling_, &Journaling::later);
  if (auto* lesson = qobject_cast<LessonPanel*>(made.widget)) {
    connect(lesson, &LessonPanel::stateChanged, this, follow);
    connect(lesson, &LessonPanel::stateChanged, this, &MainWindow::followPage);
    connect(&lesson->document(), &LessonDocument::fileChanged, this, &MainWindow::showTitle);
  }
  if (auto* kernel = qobject_cast<KernelPanel*>(made.widget)) {
    connect(&kernel->player(), &KernelPlayer::kernelChanged, this, &MainWindow::showTitle);
    for (const char* each : {"kernel", "grouped"})
      connect(docks_.find(each)->dock, &QDockWidget::visibilityChanged, this, &MainWindow::followPage,
              Qt::QueuedConnection);
    followPage();
  }
  if (auto* hlo = qobject_cast<HloPanel*>(made.widget))
    connect(&hlo->file(), &HloFile::changed, this, follow);
}

// The file's name with a mark while it lacks edits; without a file the experiment's title. On the page of a
// lesson, a module or a kernel that one's.
void MainWindow::showTitle() {
  if (at_lesson(context_)) {
    const LessonDocument& lesson = lesson_of(context_).document();
    setWindowTitle(lesson.name() + "[*] – Shardscope");
    return setWindowModified(lesson.modified());
  }
  if (at_module(context_)) {
    const HloFile& module = hlo_of(context_).file();
    setWindowTitle(module.name() + "[*] – Shardscope");
    return setWindowModified(module.modified());
  }
  if (KernelPanel* kernel = kernel_in_front(context_)) {
    setWindowTitle(kernel->stepBar()->moments().who() + "[*] – Shardscope");
    return setWindowModified(false);
  }
  const ExperimentDocument& document = bench_.document();
  const QString title = QString::fromStdString(document.experiment().title);
  const QString name = document.file().isEmpty() ? title : QFileInfo(document.file()).fileName();
  setWindowTitle(name.isEmpty() ? QString("Shardscope") : name + "[*] – Shardscope");
  setWindowModified(bench_.state().unsaved());
}

// Only where a file would lose something: the journal keeps the rest.
bool MainWindow::mayClose() {
  if (!may_leave_lesson(context_) || !may_leave_module(context_)) return false;
  const ExperimentDocument& document = bench_.document();
  if (!bench_.state().unsaved()) return true;
  using Ask = QMessageBox;
  const auto answer = Ask::question(this, "Shardscope",
                                    "Save the changes to %1?"_tr.arg(QFileInfo(document.file()).fileName()),
                                    Ask::Save | Ask::Discard | Ask::Cancel, Ask::Save);
  discard_ = answer == Ask::Discard;
  if (answer != Ask::Save) return answer == Ask::Discard;
  const auto saved = bench_.state().save();
  context_.report(saved);
  return saved.ok();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose()) return event->ignore();
  bench_.jobs().cancel();
  journaling_.end(discard_);
  preferences_.keep("pages", docks_.state());
  event->accept();
}

}  // namespace shardscope::inline window
