// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_player.h"

#include <algorithm>
#include <utility>

#include "engine/lesson/given_away.h"

namespace shardscope::inline window {
namespace {

constexpr double kSecondsPerKernelStep = 0.5, kSecondsPerLessonBeat = 2;  // that an eye can follow
constexpr int kTypingMs = 250;  // a text that is typed is evaluated when the hands rest

// The run with what canvases read of it; its story was told along with the step. `last` is what they read
// now.
ShownRunPtr to_show(const NamedRun& named, const ShownRunPtr& last) {
  if (named.run == nullptr) return nullptr;
  if (last && last->run == named.run) return last;
  auto out = std::make_shared<ShownRun>(*show(named.run));
  out->story = named.story;
  out->telling = false;
  return out;
}

}  // namespace

LessonPlayer::LessonPlayer(LessonDocument& document, QObject* parent)
    : QObject(parent),
      document_(document),
      kernel_steps_(kSecondsPerKernelStep),
      runs_(std::make_shared<LessonRuns>(std::stop_token())) {
  soon_.setSingleShot(true);
  soon_.setInterval(kTypingMs);
  connect(&soon_, &QTimer::timeout, this, &LessonPlayer::again);
  connect(&document_, &LessonDocument::opened, this, [this] {
    tried_ = {};
    step_ = 0;
    again();
    Q_EMIT stepChanged();
  });
  connect(&document_, &LessonDocument::changed, this, [this](int step) {
    // Experiments may have others' places now.
    std::erase_if(tried_.changed,
                  [this](const auto& each) { return each.first >= lesson().experiments.size(); });
    if (step >= 0 && step != step_) return goTo(step);
    step_ = std::clamp(step_, 0, std::max(0, stepCount() - 1));
    soon_.start();
    Q_EMIT stepChanged();
  });
  clock_.player().setSecondsPerBeat(kSecondsPerLessonBeat);
  connect(&clock_.player(), &RunPlayer::changed, this, [this] {
    if (!replaying_ || !shown_ || clock_.story() == nullptr) return;
    const Picoseconds end = clock_.story()->moment_of(shown_->beat);
    if (clock_.player().time() < end) return;
    replaying_ = false;  // whoever plays on from here may
    clock_.player().setTime(end);
  });
  connect(&clock_.player(), &RunPlayer::playingChanged, this,
          [this](bool on) { replaying_ = replaying_ && on; });
}

void LessonPlayer::goTo(int step) {
  const int wanted = std::clamp(step, 0, std::max(0, stepCount() - 1));
  if (wanted == step_ && (shown_ || preparing_) && !soon_.isActive()) return;
  // What was tried in a step is of that step.
  if (wanted != step_) tried_ = {};
  step_ = wanted;
  again();
  Q_EMIT stepChanged();
}

void LessonPlayer::again() {
  soon_.stop();
  learner_.ask(std::nullopt);
  shown_.reset();
  if (!document_.isOpen()) {
    work_.cancel();
    preparing_ = false;
    clock_.showRun(nullptr);
    Q_EMIT shownChanged();
    return;
  }
  preparing_ = true;
  Q_EMIT shownChanged();
  PlayedLesson played{lesson(), tried_.changed, tried_.shardings, tried_.schedule};
  work_.startReporting(
      [this, runs = runs_, played = std::move(played), step = static_cast<size_t>(step_),
       last = clock_.shown()](std::stop_token stop, const auto& post) {
        runs->watch(stop, [this, post](const std::string& run) {
          post([this, name = QString::fromStdString(run)] { Q_EMIT running(name); });
        });
        Prepared out{play_step(played, step, *runs), nullptr};
        if (out.step.ok()) out.run = to_show(out.step->shown, last);
        runs->watch({}, {});
        return out;
      },
      [this](Prepared made) { take(std::move(made)); });
}

void LessonPlayer::take(Prepared made) {
  preparing_ = false;
  if (made.step.ok()) {
    shown_ = *std::move(made.step);
  } else {
    shown_.emplace();
    shown_->step = static_cast<size_t>(step_);
    shown_->experiment = view_of(lesson(), shown_->step).experiment;
    shown_->views = view_of(lesson(), shown_->step).show;
    shown_->faults.push_back({"experiment", made.step.error()});
  }
  // The same run again keeps its canvases as they were moved.
  clock_.showRun(std::move(made.run));
  learner_.ask(shown_->question);
  replay();
  Q_EMIT shownChanged();
}

void LessonPlayer::replay() {
  if (shown_ && shown_->kernel) {
    kernel_steps_.setLast(shown_->kernel->replay->steps());
    kernel_steps_.setStep(shown_->before);
    return kernel_steps_.playTo(shown_->beat);
  }
  if (!shown_ || clock_.story() == nullptr) return;
  replaying_ = false;
  clock_.setBeat(shown_->before);
  if (shown_->beat == shown_->before) return;
  replaying_ = true;
  clock_.player().play(true);
}

std::function<std::string(const std::string&)> LessonPlayer::reading() const {
  if (!learner_.settled())
    return [question = *learner_.question()](const std::string& text) { return covered(question, text); };
  if (!shown_ || shown_->question || shown_->hide.empty()) return {};
  return [hide = shown_->hide](const std::string& text) { return covered(hide, text); };
}

Result<Experiment> LessonPlayer::experiment() const {
  if (!document_.isOpen()) return invalid("no lesson is open");
  return experiment_at({lesson(), tried_.changed, tried_.shardings}, static_cast<size_t>(step_));
}

void LessonPlayer::change(const Experiment& to, const std::vector<std::string>& shardings) {
  const int32_t place = view_of(lesson(), static_cast<size_t>(step_)).experiment;
  if (place < 0) return;
  const auto at = static_cast<size_t>(place);
  const LessonExperiment& written = lesson().experiments[at];
  tried_.changed.erase(at);
  tried_.shardings.erase(at);
  if (!shardings.empty()) {
    if (shardings != written_specs(written)) tried_.shardings[at] = shardings;
  } else if (const auto was = experiment_of(written); !was.ok() || *was != to) {
    tried_.changed.insert_or_assign(at, to);
  }
  again();
}

void LessonPlayer::choose(ChosenSchedule schedule) {
  tried_.schedule.reset();
  if (schedule) tried_.schedule = PlayedSchedule{static_cast<size_t>(step_), *std::move(schedule)};
  again();
}

bool LessonPlayer::changed() const {
  if (tried_.schedule) return true;
  const int32_t place = view_of(lesson(), static_cast<size_t>(step_)).experiment;
  return place >= 0 && (tried_.changed.contains(static_cast<size_t>(place)) ||
                        tried_.shardings.contains(static_cast<size_t>(place)));
}

LessonExperiment LessonPlayer::shownModule() const {
  const int32_t place = view_of(lesson(), static_cast<size_t>(step_)).experiment;
  if (place < 0) return {};
  LessonExperiment out = lesson().experiments[static_cast<size_t>(place)];
  const auto changed = tried_.shardings.find(static_cast<size_t>(place));
  if (changed != tried_.shardings.end()) out.shardings = changed->second;
  return out;
}

void LessonPlayer::reset() {
  if (std::exchange(tried_, {}) != PlayedLesson()) again();
}

}  // namespace shardscope::inline window
