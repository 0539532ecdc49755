// SPDX-License-Identifier: Apache-2.0
// A lesson as a value: experiments, and steps that say, ask, or let the class try. Texts are CommonMark with
// expressions between braces (expression.h), evaluated when they are shown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request/experiment.h"

namespace shardscope::inline lesson {

// One of: a built-in experiment or a file, a module of HLO, kernels of the catalogue, an experiment written
// in the lesson.
struct LessonExperiment {
  std::string name;
  std::string preset, module;
  std::vector<std::string> shardings;  // of the module's parameters: "w1 = P(None, 'y')"; others as it has
  std::optional<Experiment> own;
  // Which of its runs, under which name: "wang.os", "both = collective.all_gather#2". Empty: all of them, by
  // strategy.
  std::vector<std::string> runs;
  std::vector<std::string> kernels;  // "race = ag.ring.one_semaphore"
  int64_t ring = 0;                  // chips that the kernels run on; 0: their own default
  bool operator==(const LessonExperiment&) const = default;
};

// "both = collective.all_gather#2"; without a name of its own it is called as what it is.
struct WrittenName {
  std::string name, of;
};
WrittenName written_name(const std::string& written);

// What many would answer, and which mistake that is. `answer` is an expression, `because` a text.
struct WrongAnswer {
  std::string answer, because;
  bool operator==(const WrongAnswer&) const = default;
};

enum class Choices : uint8_t { numbers, blocks, devices, runs, yes_no };
inline constexpr std::array kChoices{Choices::numbers, Choices::blocks, Choices::devices, Choices::runs,
                                     Choices::yes_no};
const char* name(Choices choices);  // "yes/no"

// In a kernel: who moves next, and which copy is read or lands, one step after the other.
inline constexpr std::string_view kScheduleChange = "schedule";
// What a class may be let change.
inline constexpr std::array<std::string_view, 8> kChanges{
    "mesh", "problem", "sums", "chip", "collective", "strategy", "sharding", kScheduleChange};

// What is not said of experiment, run, beat and show is as in the step before.
struct LessonStep {
  std::string say;
  // A question: what is right is computed from `answer`; `because` is shown once the learner has answered.
  std::string ask, answer, because;
  std::string hint;  // to a wrong answer that is none of `wrong`
  Choices choices = Choices::numbers;
  std::vector<std::string> either;  // of yes/no: what is chosen instead of yes and of no
  double tolerance = 0.05;          // of a number, relative
  std::vector<WrongAnswer> wrong;
  // What the class may change (kChanges), and what is so when it is done.
  std::string attempt, expect;
  std::vector<std::string> change;
  std::vector<std::string> watch;  // "steps = runs.ring.steps": before the change and after it, side by side
  std::string holds;  // what the step is about: where the class made it untrue, the step is passed over

  std::string experiment, run, beat;  // beat: an expression
  std::vector<std::string> show;      // one or two views
  std::vector<std::string> point_at;  // "device (0)", "a0"
  std::vector<std::string> hide;      // texts that its views cover: of a question until it is answered
  std::string note;                   // for who presents
  bool operator==(const LessonStep&) const = default;
};

struct Lesson {
  std::string title;
  int64_t minutes = 20;
  std::string audience;
  std::string after;  // what comes before it: "Round a ring"; empty: nothing
  std::vector<LessonExperiment> experiments;
  std::vector<LessonStep> steps;
  bool operator==(const Lesson&) const = default;
};

// What a step shows, with what it has from the steps before. -1: the lesson shows no experiment so far.
struct StepView {
  int32_t experiment = -1;
  std::string run, beat;
  std::vector<std::string> show;
};
StepView view_of(const Lesson& lesson, size_t step);

}  // namespace shardscope::inline lesson
