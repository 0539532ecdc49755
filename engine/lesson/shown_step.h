// SPDX-License-Identifier: Apache-2.0
// A step of a lesson as a class sees it: its texts with their numbers, its question with the right answer,
// and the moment of the run that is looked at. The window, the handout and `lesson check` all show this.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson.h"
#include "engine/lesson/question.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {

// The runs of an experiment of the lesson, computed when they are asked for. Null never; valid until the next
// call.
using RunsOfExperiment = std::function<Result<FactRuns*>(const LessonExperiment& experiment)>;

// What has no value in a step, by its key in the file: "say", "answer", "beat".
struct StepFault {
  std::string key;
  Error error;
};

// A quantity that a step lets the class change, as words.
struct WatchedValue {
  std::string name, now;
  std::optional<std::string> before;  // as the lesson has it; none: nothing was changed
};

struct ShownStep {
  size_t step = 0;
  int32_t experiment = -1;         // place in the lesson; -1: nothing is shown so far
  std::string say, attempt, note;  // CommonMark; what has no value stands as "?"
  std::string ask;
  std::optional<Question> question;  // none: nothing is asked, or its answer has no value
  std::vector<WatchedValue> watched;
  bool holds = true;             // no: the step is about what is not so here, and is passed over
  std::optional<bool> expected;  // whether what was to be tried is so; none: nothing is expected

  NamedRun shown;                   // without a run: none is shown
  NamedKernelPtr kernel;            // instead of a run; its moments are the steps of its replay
  bool chooses = false;             // the class chooses what happens next in it
  int64_t begun = 0;                // then: steps that are done before it does
  std::vector<NamedRun> compared;   // all runs of the experiment, where a view shows them beside each other
  int32_t before = 0, beat = 0;     // the picture goes from the end of the one to the end of the other
  std::vector<std::string> views;   // one or two
  std::vector<StoryThing> pointed;  // outlined in them
  std::vector<std::string> hide;    // texts that they cover: of a question until it is answered
  std::vector<StepFault> faults;
};
// The schedule of a kernel as the class chose it, from its start; none: as the step begins.
using ChosenSchedule = std::optional<std::vector<kernels::Action>>;
// Error: stopped. Whatever else goes wrong stands in `faults`.
Result<ShownStep> show_step(const Lesson& lesson, size_t step, const RunsOfExperiment& runs,
                            const ChosenSchedule& chosen = {});
// Whether the class chooses a kernel's schedule there.
bool chooses_schedule(const LessonStep& step);

// The view that shows all runs of the experiment beside each other.
inline constexpr const char* kComparedView = "compare";

// The moment that a step shows. Errors: its beat has no value, or there is no such beat.
Result<ShownMoment> moment_of(const StepView& view, FactRuns& runs);

}  // namespace shardscope::inline lesson
