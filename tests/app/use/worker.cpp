// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/worker.h"

#include <QApplication>
#include <QKeyEvent>

#include "app/window/runs/timeline_canvas.h"

namespace shardscope {
namespace {

constexpr int kStepLookMs = 10;
constexpr int kQuietMs = 400;  // what follows a step by itself has happened then
constexpr int kPatienceMs = 20'000;

}  // namespace

QStringList Worker::touched(const QString& kind) {
  const QStringList view = {"shown", "others", "selection", "parts"};
  if (kind == "edit") return {"experiment", "saved"};
  if (kind == "run") return view + QStringList{"current", "skipped"};
  if (kind == "select") return {"selection", "parts"};
  return {"parts"};
}

Worker::Worker(MainWindow& window, const SessionOptions& options, const SessionLog& log)
    : QObject(&window), window_(window), options_(options), log_(log) {
  since_.start();
  connect(&timer_, &QTimer::timeout, this, &Worker::look);
  timer_.start(kStepLookMs);
}

bool Worker::quiet() const {
  Workbench& bench = window_.bench();
  return !bench.jobs().running() && !bench.presenter().preparing();
}

// Kept by the window itself, without being asked.
bool Worker::inJournal() const {
  const Journal* journal = window_.journaling().journal();
  if (journal == nullptr || !journal->workspace()->wait().ok()) return false;
  const auto kept = journal->state();
  return kept.ok() && *kept == text(window_.bench().state().now()).toStdString();
}

void Worker::look() {
  if (!quiet()) return since_.start(), void();
  if (since_.elapsed() < kQuietMs) return;
  if (options_.kind == SessionOptions::Kind::restore && !accepted_) {
    if (!window_.restoreBar().offers()) {
      if (since_.elapsed() < kPatienceMs) return;
      log_.line("nothing is offered");
      return QCoreApplication::exit(3);
    }
    accepted_ = true;
    window_.restoreBar().restoreButton()->click();
    since_.start();
    return;
  }
  if (options_.kind == SessionOptions::Kind::restore) return end();
  if (!inJournal()) {
    if (since_.elapsed() < kPatienceMs) return;
    log_.line("the journal does not have it");
    return QCoreApplication::exit(3);
  }
  log_.line("state " + text(window_.bench().state().now()).toStdString());
  begin();
}

void Worker::begin() {
  struct Row {
    const char* kind;
    void (Worker::*step)(Dice&);
  };
  static const std::vector<Row> kRows = {{"edit", &Worker::edit}, {"edit", &Worker::edit},
                                         {"run", &Worker::run},   {"select", &Worker::selectAt},
                                         {"mark", &Worker::mark}, {"page", &Worker::goToPage}};
  Dice dice(options_.seed, ++step_);
  const Row& row = dice.of(kRows);
  log_.line(std::string("begin ") + row.kind);
  (this->*row.step)(dice);
  since_.start();
}

void Worker::edit(Dice& dice) {
  Experiment e = window_.bench().document().experiment();
  e.problem.m = 16 * (1 + dice.below(64));
  e.title = "step " + std::to_string(step_);
  window_.bench().document().change(e, "step");
}

void Worker::run(Dice& dice) {
  window_.bench().run(RunRequest{.strategy = dice.one_in(2) ? "wang.os" : "collective.os"});
}

void Worker::selectAt(Dice& dice) {
  Clock& clock = window_.bench().clock();
  if (!clock.shown()) return;
  const auto& events = clock.shown()->run->timeline.events;
  const int number = dice.below(std::ssize(events));
  const Event& event = events[static_cast<size_t>(number)];
  clock.select({ItemId::Kind::event, event.device, event.instruction, number, event.lane, -1});
}

void Worker::mark(Dice& dice) {
  auto* timeline = window_.docks().widget<TimelineCanvas>("timeline");
  QKeyEvent key(QEvent::KeyPress, Qt::Key_1 + dice.below(9), Qt::ControlModifier);
  QCoreApplication::sendEvent(timeline, &key);
}

void Worker::goToPage(Dice& dice) {
  window_.docks().setPage(dice.of(pages()).id);
}

// Its runs can be read, all of their events.
void Worker::end() {
  timer_.stop();
  const RunStore& runs = window_.bench().runs();
  for (const int64_t id : runs.current()) {
    const auto run = runs.workspace()->load(id);
    const bool whole =
        run.ok() && static_cast<int64_t>((*run)->timeline.events.size()) == (*run)->timeline.event_count;
    if (!whole) log_.line("run " + std::to_string(id) + " is not whole");
  }
  log_.line("state " + text(window_.bench().state().now()).toStdString());
  QCoreApplication::exit(0);
}

}  // namespace shardscope
