// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/authoring.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/session/lessons/experiment_runs.h"
#include "engine/session/preset_catalogue.h"

namespace shardscope::inline session {
namespace {

constexpr int32_t kMostAsked = 16;  // devices that a question is tried with

// Steps of `to` as they showed in `from`; `origin` says which each was there, -1 of a new one.
void keep_views(const Lesson& from, Lesson& to, const std::vector<ptrdiff_t>& origin) {
  for (size_t k = 0; k < to.steps.size(); ++k) {
    if (origin[k] < 0) continue;
    const StepView wanted = view_of(from, static_cast<size_t>(origin[k])), got = view_of(to, k);
    LessonStep& step = to.steps[k];
    if (wanted.experiment >= 0 &&
        (wanted.experiment != got.experiment || wanted.run != got.run || wanted.beat != got.beat)) {
      step.experiment = to.experiments[static_cast<size_t>(wanted.experiment)].name;
      step.run = wanted.run;
      step.beat = wanted.beat;
    }
    if (wanted.show != got.show) step.show = wanted.show;
  }
}

std::vector<ptrdiff_t> places_of(const Lesson& lesson) {
  std::vector<ptrdiff_t> out;
  for (ptrdiff_t k = 0; k < std::ssize(lesson.steps); ++k) out.push_back(k);
  return out;
}

std::string free_name(const Lesson& lesson, const std::string& wanted) {
  std::string name = wanted;
  for (int k = 2;
       std::ranges::find(lesson.experiments, name, &LessonExperiment::name) != lesson.experiments.end(); ++k)
    name = fmt::format("{}{}", wanted, k);
  return name;
}

// Which of the experiment's runs was asked so, by the name that it has without the lesson's help.
std::optional<std::string> name_of_run(const Experiment& experiment, const RunRequest& request) {
  const auto all = requests_of(experiment);
  const auto found = std::ranges::find(all, request);
  if (found == all.end()) return std::nullopt;
  return ExperimentRuns(experiment, false, {}).names()[static_cast<size_t>(found - all.begin())];
}

bool same_but_runs(Experiment a, Experiment b) {
  a.runs.clear();
  b.runs.clear();
  return a == b;
}

// The lesson's name of a run; what lists its runs lists this one, too.
std::string called(LessonExperiment& experiment, const std::string& of) {
  if (experiment.runs.empty()) return of;
  for (const std::string& each : experiment.runs) {
    const WrittenName written = written_name(each);
    if (written.of == of || written.of == of + "#1") return written.name;
  }
  experiment.runs.push_back(of);
  return of;
}

struct NamedPlace {
  std::string experiment, run;
};
NamedPlace place_of_run(Lesson& lesson, const Run& run) {
  for (LessonExperiment& known : lesson.experiments) {
    const auto experiment = experiment_of(known);
    if (!experiment.ok() || !same_but_runs(*experiment, run.experiment)) continue;
    if (const auto name = name_of_run(*experiment, run.asked)) return {known.name, called(known, *name)};
  }
  LessonExperiment fresh;
  Experiment own = run.experiment;
  if (!name_of_run(own, run.asked)) own.runs.push_back(run.asked);
  const std::string name = *name_of_run(own, run.asked);
  const auto& presets = preset_catalogue();
  const auto preset = std::ranges::find(presets, own, &CataloguedPreset::experiment);
  fresh.name = free_name(lesson, preset == presets.end() ? "experiment" : preset->name);
  if (preset == presets.end()) {
    fresh.own = std::move(own);
  } else {
    fresh.preset = preset->name;
  }
  lesson.experiments.push_back(std::move(fresh));
  return {lesson.experiments.back().name, name};
}

// The one run that a step shows.
class ShownRuns : public FactRuns {
 public:
  explicit ShownRuns(const NamedRun& shown) : shown_(shown) {}
  FactNames names() const override { return {shown_.name}; }
  Result<const NamedRun*> find(std::string_view name, bool /*numbers*/) override {
    if (name != shown_.name) return invalid(fmt::format("no run '{}'", name));
    return &shown_;
  }
  Result<std::string> winner() override { return shown_.name; }

 private:
  const NamedRun& shown_;
};

std::optional<LessonStep> question_of_blocks(const ShownStep& shown) {
  const Story* story = shown.shown.story.get();
  if (story == nullptr || shown.beat + 1 >= std::ssize(story->beats())) return std::nullopt;
  ShownRuns runs(shown.shown);
  const auto devices =
      static_cast<int32_t>(std::min<int64_t>(story->program().mesh.device_count(), kMostAsked));
  for (int32_t device = 0; device < devices; ++device) {
    LessonStep step;
    step.ask = say("Which block does chip `{}` get next?", place_word(*story, device));
    step.answer = fmt::format("story.beat[{}].arrives(device={})", shown.beat + 1, device);
    step.choices = Choices::blocks;
    step.because =
        fmt::format("{{story.beat[{}].from(device={})}} sends it in this step.", shown.beat + 1, device);
    if (make_question(step, runs, {shown.shown.name, shown.beat}).ok()) return step;
  }
  return std::nullopt;
}

}  // namespace

Lesson with_step(const Lesson& lesson, size_t place, LessonStep step) {
  Lesson out = lesson;
  std::vector<ptrdiff_t> origin = places_of(lesson);
  place = std::min(place, out.steps.size());
  out.steps.insert(out.steps.begin() + static_cast<ptrdiff_t>(place), std::move(step));
  origin.insert(origin.begin() + static_cast<ptrdiff_t>(place), -1);
  keep_views(lesson, out, origin);
  return out;
}

Lesson without_step(const Lesson& lesson, size_t place) {
  if (lesson.steps.size() < 2 || place >= lesson.steps.size()) return lesson;
  Lesson out = lesson;
  std::vector<ptrdiff_t> origin = places_of(lesson);
  out.steps.erase(out.steps.begin() + static_cast<ptrdiff_t>(place));
  origin.erase(origin.begin() + static_cast<ptrdiff_t>(place));
  keep_views(lesson, out, origin);
  return out;
}

Lesson with_step_moved(const Lesson& lesson, size_t from, size_t to) {
  if (from >= lesson.steps.size() || to >= lesson.steps.size()) return lesson;
  Lesson out = lesson;
  std::vector<ptrdiff_t> origin = places_of(lesson);
  const auto move = [from, to](auto& list) {
    auto value = std::move(list[from]);
    list.erase(list.begin() + static_cast<ptrdiff_t>(from));
    list.insert(list.begin() + static_cast<ptrdiff_t>(to), std::move(value));
  };
  move(out.steps);
  move(origin);
  keep_views(lesson, out, origin);
  return out;
}

Result<Lesson> with_view(const Lesson& lesson, size_t place, const ViewOfRun& view) {
  if (view.run.module)
    return invalid("a module's run cannot be taken into a lesson from here", "",
                   "name its file in the lesson: module = \"…\"");
  Lesson base = lesson;
  const NamedPlace where = place_of_run(base, view.run);
  LessonStep step;
  step.say = view.story != nullptr ? "{sentence.idea}" : said("Look at this run.");
  step.experiment = where.experiment;
  step.run = where.run;
  step.beat = std::to_string(view.beat);
  step.show = view.show;
  if (view.pointed && view.story != nullptr) step.point_at = {thing_words(*view.story, *view.pointed)};
  return with_step(base, place, std::move(step));
}

std::vector<std::string> run_names(const LessonExperiment& experiment) {
  std::vector<std::string> out;
  for (const std::string& written : experiment.kernels.empty() ? experiment.runs : experiment.kernels)
    out.push_back(written_name(written).name);
  if (!out.empty() || !experiment.kernels.empty()) return out;
  const auto runs = ExperimentRuns::of(experiment, {});
  return runs.ok() ? (*runs)->names() : out;
}

std::vector<std::string> thing_names(const Story& story) {
  constexpr int64_t kMostBlocks = 64;
  std::vector<std::string> out;
  for (int32_t d = 0; d < std::min<int64_t>(story.program().mesh.device_count(), kMostAsked); ++d)
    out.push_back(thing_words(story, {d, -1, -1}));
  for (const StoryArray& array : story.arrays())
    for (int64_t b = 0; b < std::min(array.block_count(), kMostBlocks); ++b)
      out.push_back(array.block_name(b));
  return out;
}

LessonStep question_about(const ShownStep& shown) {
  if (auto blocks = question_of_blocks(shown)) return *std::move(blocks);
  LessonStep step;
  if (shown.shown.run != nullptr) {
    step.ask = said("How long does this run take?");
    step.answer = fmt::format("runs.{}.total", shown.shown.name);
    return step;
  }
  step.ask = said("Is this true?");
  step.answer = "1 == 1";
  step.choices = Choices::yes_no;
  return step;
}

}  // namespace shardscope::inline session
