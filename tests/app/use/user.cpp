// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/user.h"

#include <QApplication>
#include <QCloseEvent>
#include <QThread>
#include <fmt/format.h>

#include "app/window/module/hlo_panel.h"

namespace shardscope {
namespace {

constexpr double kFreezeSeconds = 2;
constexpr int64_t kWarmingActions = 1500;
constexpr int kBetweenMs = 6;  // actions
constexpr int kRestMs = 1500;  // in which nothing happens before memory is measured
constexpr int kSampleMs = 1000;
constexpr int kWaitMs = 50;

}  // namespace

User::User(MainWindow& window, const SessionOptions& options, const SessionLog& log)
    : QObject(&window),
      window_(window),
      options_(options),
      log_(log),
      hands_(window, QString::fromStdString(options.folder),
             options.kind == SessionOptions::Kind::look ? Use::looking : Use::all),
      watch_(log, kFreezeSeconds) {
  window_.installEventFilter(this);
  since_.start();
  sampled_.start();
  later(200);
}

// The session ends when it is over, not when a key or a menu says so.
bool User::eventFilter(QObject* watched, QEvent* event) {
  if (watched != &window_ || event->type() != QEvent::Close) return QObject::eventFilter(watched, event);
  event->ignore();
  return true;
}

// A timer of its own each time: one that is in its call would not come again while a dialog is open.
void User::later(int ms) {
  QTimer::singleShot(ms, this, [this] { go(); });
}

void User::go() {
  // Events that an action handles itself are no time for the next; a dialog or a menu that it opened is.
  if (depth_ >= 0 && QThread::currentThread()->loopLevel() <= depth_) return later(kBetweenMs);
  if (sampled_.elapsed() > kSampleMs) {
    sampled_.start();
    log_.line(fmt::format("memory {:.0f}", resident_mb_as_is()));
  }
  if (acts()) {
    later(kBetweenMs);
    return act();
  }
  if (resting()) next();
  if (phase_ != Phase::ended) later(kWaitMs);
}

bool User::acts() const {
  if (phase_ == Phase::warming) return action_ < kWarmingActions;
  return phase_ == Phase::using_it && action_ < options_.actions &&
         static_cast<double>(since_.elapsed()) < options_.seconds * 1000;
}

void User::act() {
  // Those of warming up are others than those of the session.
  Dice dice(phase_ == Phase::warming ? ~options_.seed : options_.seed, action_);
  const Hands::Action action = hands_.choose(dice);
  log_.line(fmt::format("{} {}", action_, action.said));
  ++action_;
  const int before = depth_;
  depth_ = QThread::currentThread()->loopLevel();
  action.act();
  depth_ = before;
}

void User::stopWork() {
  window_.bench().jobs().cancel();
  for (const DockArea::Made& made : window_.docks().all()) {
    JobBar* job = made.row->job && made.widget != nullptr ? made.row->job(made.widget) : nullptr;
    if (job != nullptr && job->busy()) job->cancelButton()->click();
  }
}

// The same things are shown at each rest: small ones.
void User::showSmallThings() {
  for (QWidget* other : QApplication::topLevelWidgets()) {
    const bool dock = qobject_cast<QDockWidget*>(other) != nullptr;
    if (other != &window_ && other->isVisible() && !dock) other->close();
  }
  window_.context().preferences.setScale(1);
  window_.resize(1280, 800);
  window_.docks().setPage("module");
  window_.docks().widget<HloPanel>("hlo")->openPreset("mlp");
  window_.docks().setPage("explore");
  window_.context().report(window_.bench().openPreset("teaching"));
  window_.bench().state().setNumerics(true);
}

// Step by step, an event loop's turn between them. True: nothing has happened for a while.
bool User::resting() {
  QWidget* in_front = QApplication::activePopupWidget();
  if (in_front == nullptr) in_front = QApplication::activeModalWidget();
  if (in_front != nullptr) in_front->close();
  Workbench& bench = window_.bench();
  if (in_front != nullptr || bench.jobs().running() || bench.presenter().preparing()) since_.start();
  return since_.elapsed() > kRestMs;
}

void User::next() {
  const bool looks = options_.kind == SessionOptions::Kind::look;
  switch (phase_) {
    case Phase::opening:
      if (looks) {
        window_.context().report(window_.bench().openPreset("default"));
        window_.bench().runAll();
      }
      go(looks ? Phase::first_rest : Phase::warming, looks ? "all runs" : "warming");
      break;
    case Phase::warming:
    case Phase::using_it:
      if (!looks) {
        stopWork();
        showSmallThings();
      }
      go(phase_ == Phase::warming ? Phase::first_rest : Phase::last_rest, "resting");
      break;
    case Phase::first_rest:
      log_.line(fmt::format("rest {:.0f}", resident_mb()));
      go(Phase::using_it, "in use");
      break;
    case Phase::last_rest:
      log_.line(fmt::format("rest {:.0f}", resident_mb()));
      go(Phase::ended, "done");
      QCoreApplication::exit(0);
      break;
    case Phase::ended:
      break;
  }
}

void User::go(Phase phase, const char* said) {
  log_.line(said);
  phase_ = phase;
  action_ = 0;
  since_.start();
}

}  // namespace shardscope
