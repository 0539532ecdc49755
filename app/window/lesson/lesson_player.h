// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/window/document/background.h"
#include "app/window/document/clock.h"
#include "app/window/lesson/learner.h"
#include "app/window/lesson/lesson_document.h"
#include "engine/session/lessons/lesson_module.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::inline window {

// A lesson that is played: which step, what it shows, what was answered, what the class has changed. Runs are
// made beside this thread; the clock goes from the moment before a step to its moment by itself.
class LessonPlayer : public QObject {
  Q_OBJECT
 public:
  explicit LessonPlayer(LessonDocument& document, QObject* parent = nullptr);

  const Lesson& lesson() const { return document_.lesson(); }
  int step() const { return step_; }
  int stepCount() const { return static_cast<int>(lesson().steps.size()); }
  void goTo(int step);  // the nearest one that there is
  void next() { goTo(step_ + 1); }

  // The step with its numbers, its question with the answer, its notes. Null: it is being prepared.
  const ShownStep* shown() const { return shown_ ? &*shown_ : nullptr; }
  bool preparing() const { return preparing_; }
  void cancel() { work_.stop(); }  // what is being prepared
  void again();                    // prepares the step once more

  Clock& clock() { return clock_; }                // of this lesson's pictures
  Player& kernelSteps() { return kernel_steps_; }  // of a kernel that is shown instead of a run
  void replay();                                   // from the moment before to the moment after

  Learner& learner() { return learner_; }  // asked the question of the step that is shown
  // How texts of its pictures are read now: what is hidden and the answer are covered. Empty: as they are.
  std::function<std::string(const std::string&)> reading() const;

  // What the class makes of the experiment that the step shows.
  Result<Experiment> experiment() const;
  // Of a module its parameters' shardings instead.
  void change(const Experiment& to, const std::vector<std::string>& shardings = {});
  // Of a kernel its schedule, from its start; none: as the step begins.
  void choose(ChosenSchedule schedule);
  LessonExperiment shownModule() const;  // with those; without a module: the step shows none
  bool changed() const;                  // it is not as the lesson has it
  void reset();

 Q_SIGNALS:
  void stepChanged();                // another step is looked at
  void shownChanged();               // what it shows is there, or is being prepared
  void running(const QString& run);  // that is being made for it

 private:
  struct Prepared {
    Result<ShownStep> step;
    ShownRunPtr run;
  };
  void take(Prepared made);

  LessonDocument& document_;
  Clock clock_;
  Player kernel_steps_;
  std::shared_ptr<LessonRuns> runs_;  // of the thread that works

  PlayedLesson tried_;  // what the class has changed; its lesson is the document's
  int step_ = 0;
  std::optional<ShownStep> shown_;
  bool preparing_ = false;
  bool replaying_ = false;  // by itself, up to the step's moment
  Learner learner_;
  QTimer soon_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
