// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/shown_step.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/lesson/fact_tables.h"

namespace shardscope::inline lesson {
namespace {

bool is_kernel(const std::string& name, const FactRuns& runs) {
  const FactNames kernels = runs.kernel_names();
  return std::ranges::find(kernels, name) != kernels.end();
}

// The last moment that a run or kernel has.
Result<int64_t> last_moment(const std::string& name, FactRuns& runs) {
  if (is_kernel(name, runs)) {
    TRY(const NamedKernelPtr kernel, runs.find_kernel(name));
    return kernel->replay->steps();
  }
  TRY(const NamedRun* run, runs.find(name, false));
  return run->story == nullptr ? 0 : static_cast<int64_t>(run->story->beats().size()) - 1;
}

// Views of a run whose numbers were computed and compared.
bool shows_numbers(const StepView& view) {
  return std::ranges::any_of(view.show, [](const std::string& v) { return v == "numerics" || v == "bits"; });
}

// The runs as they are, but one of their kernels under another schedule.
class WithSchedule : public FactRuns {
 public:
  WithSchedule(FactRuns& runs, NamedKernelPtr kernel) : runs_(runs), kernel_(std::move(kernel)) {}
  FactNames names() const override { return runs_.names(); }
  Result<const NamedRun*> find(std::string_view name, bool numbers) override {
    return runs_.find(name, numbers);
  }
  FactNames kernel_names() const override { return runs_.kernel_names(); }
  Result<NamedKernelPtr> find_kernel(std::string_view name) override {
    return name == kernel_->name ? Result<NamedKernelPtr>(kernel_) : runs_.find_kernel(name);
  }
  Result<std::string> winner() override { return runs_.winner(); }

 private:
  FactRuns& runs_;
  NamedKernelPtr kernel_;
};

class StepReader {
 public:
  StepReader(const Lesson& lesson, size_t step, const RunsOfExperiment& runs, const ChosenSchedule& chosen)
      : lesson_(lesson), step_(lesson.steps[step]), runs_of_(runs), chosen_(chosen) {
    out_.step = step;
  }

  Result<ShownStep> read() {
    const StepView view = view_of(lesson_, out_.step);
    out_.experiment = view.experiment;
    out_.views = view.show;
    if (view.experiment < 0) {
      fill_alone();
    } else {
      TRY_VOID(fill_of(view));
    }
    for (const StepFault& fault : out_.faults)
      if (fault.error.kind == ErrorKind::cancelled) return fault.error;
    return std::move(out_);
  }

 private:
  void wrong(std::string_view key, const Error& error) { out_.faults.push_back({std::string(key), error}); }

  Result<void> fill_of(const StepView& view) {
    const auto runs = runs_of_(lesson_.experiments[static_cast<size_t>(view.experiment)]);
    if (!runs.ok()) {
      wrong("experiment", runs.error());
      return {};
    }
    const auto moment = moment_of(view, **runs);
    if (!moment.ok()) {
      wrong(step_.beat.empty() ? "run" : "beat", moment.error());
      return {};
    }
    if (chooses_schedule(step_)) return fill_chosen(**runs, *moment);
    out_.beat = moment->beat;
    out_.before = before(view, **runs, *moment);
    fill(**runs, *moment);
    if (is_kernel(moment->run, **runs)) {
      TRY(out_.kernel, (*runs)->find_kernel(moment->run));
      if (!step_.point_at.empty()) wrong("point_at", invalid("nothing can be pointed at in a kernel"));
      return {};
    }
    TRY(const NamedRun* shown, (*runs)->find(moment->run, shows_numbers(view)));
    out_.shown = *shown;
    point();
    if (std::ranges::find(view.show, kComparedView) != view.show.end()) TRY_VOID(compare(**runs));
    return {};
  }

  // What was chosen, or the schedule that is shown up to the step's beat, from where the class goes on.
  Result<void> fill_chosen(FactRuns& runs, const ShownMoment& moment) {
    if (!is_kernel(moment.run, runs)) {
      wrong("change", invalid("only a kernel has a schedule that can be chosen"));
      return {};
    }
    TRY(const NamedKernelPtr shown, runs.find_kernel(moment.run));
    auto played = std::make_shared<NamedKernel>(*shown);
    std::vector<kernels::Action> choices = shown->replay->outcome().choices;
    choices.resize(static_cast<size_t>(moment.beat));
    played->replay = std::make_shared<const kernels::KernelReplay>(shown->replay->program(),
                                                                   chosen_ ? *chosen_ : choices, 0);
    out_.chooses = true;
    out_.begun = moment.beat;
    out_.kernel = played;
    out_.beat = static_cast<int32_t>(played->replay->steps());
    out_.before = std::max(0, out_.beat - (chosen_ ? 1 : 0));
    WithSchedule with(runs, played);
    fill(with, {moment.run, out_.beat});
    return {};
  }

  Result<void> compare(FactRuns& runs) {
    for (const std::string& name : runs.names()) {
      TRY(const NamedRun* run, runs.find(name, false));
      out_.compared.push_back(*run);
    }
    return {};
  }

  // Where the step before left the same run, else the beat before. One in which the class chooses leaves a
  // schedule of its own.
  int32_t before(const StepView& view, FactRuns& runs, const ShownMoment& moment) const {
    size_t told = out_.step;
    while (told > 0 && chooses_schedule(lesson_.steps[told - 1])) --told;
    if (told > 0) {
      const StepView last = view_of(lesson_, told - 1);
      if (last.experiment == view.experiment && last.run == view.run) {
        const auto left = moment_of(last, runs);
        if (left.ok() && left->beat <= moment.beat) return left->beat;
      }
    }
    return std::max(0, moment.beat - 1);
  }

  std::string filled(std::string_view key, const std::string& text, const FactScope& scope) {
    FilledText out = fill_in(text, scope);
    for (const Error& error : out.errors) wrong(key, error);
    return std::move(out.text);
  }

  void fill(FactRuns& runs, const ShownMoment& moment) {
    const FactScope scope = fact_scope(runs, moment);
    out_.holds = step_.holds.empty() || yes_or_no("holds", step_.holds, scope).value_or(true);
    if (!out_.holds) return wrong("holds", invalid(fmt::format("this step is about {}", step_.holds)));
    out_.say = filled("say", step_.say, scope);
    out_.attempt = filled("try", step_.attempt, scope);
    out_.note = filled("note", step_.note, scope);
    for (const std::string& each : step_.hide) out_.hide.push_back(filled("hide", each, scope));
    if (!step_.expect.empty()) out_.expected = yes_or_no("expect", step_.expect, scope);
    for (const std::string& each : step_.watch) watch(each, scope);
    if (step_.ask.empty()) return;
    out_.ask = filled("ask", step_.ask, scope);
    for (const WrongAnswer& w : step_.wrong) (void)filled("wrong", w.because, scope);
    auto question = make_question(step_, runs, moment);
    if (question.ok()) {
      out_.question = *std::move(question);
    } else {
      wrong("answer", question.error());
    }
  }

  std::optional<bool> yes_or_no(std::string_view key, const std::string& expression, const FactScope& scope) {
    const auto value = value_of(expression, scope);
    const bool* yes = value.ok() ? std::get_if<bool>(&*value) : nullptr;
    if (!value.ok())
      wrong(key, value.error());
    else if (yes == nullptr)
      wrong(key, invalid(fmt::format("{{{}}} is {}, not yes or no", expression, kind_of(*value))));
    return yes == nullptr ? std::nullopt : std::optional(*yes);
  }

  void watch(const std::string& written, const FactScope& scope) {
    const WrittenName watched = written_name(written);
    const auto value = value_of(watched.of, scope);
    if (!value.ok()) return wrong("watch", value.error());
    out_.watched.push_back({watched.name, words_of(*value), {}});
  }

  // Steps before the first experiment have texts without values.
  void fill_alone() {
    const FactScope none = [](const FactPath& path) -> Result<FactValue> {
      return invalid(fmt::format("'{}' of which experiment?", path_text(path)), "",
                     "write experiment = \"…\" in this step or one before");
    };
    out_.say = filled("say", step_.say, none);
    out_.attempt = filled("try", step_.attempt, none);
    out_.note = filled("note", step_.note, none);
    out_.ask = step_.ask;
    if (!step_.ask.empty()) wrong("ask", invalid("a question about no experiment"));
  }

  void point() {
    if (out_.shown.story == nullptr) return;
    for (const std::string& what : step_.point_at) {
      if (const auto thing = find_thing(*out_.shown.story, what)) {
        out_.pointed.push_back(*thing);
      } else {
        wrong("point_at", invalid(fmt::format("no '{}' in what is shown", what), "",
                                  "name a block as a0, or a device as device (0,1)"));
      }
    }
  }

  const Lesson& lesson_;
  const LessonStep& step_;
  const RunsOfExperiment& runs_of_;
  const ChosenSchedule& chosen_;
  ShownStep out_;
};

}  // namespace

Result<ShownMoment> moment_of(const StepView& view, FactRuns& runs) {
  ShownMoment out{view.run, 0};
  const FactNames names = runs.names().empty() ? runs.kernel_names() : runs.names();
  if (out.run.empty() && !names.empty()) out.run = names.front();
  TRY(const int64_t last, last_moment(out.run, runs));
  if (view.beat.empty()) return out;
  TRY(const FactValue value, value_of(view.beat, fact_scope(runs, out)));
  TRY(const int64_t beat, whole_number(value, "the beat"));
  if (beat < 0 || beat > last)
    return invalid(fmt::format("no beat {} of '{}': they go from 0 to {}", beat, out.run, last));
  out.beat = static_cast<int32_t>(beat);
  return out;
}

Result<ShownStep> show_step(const Lesson& lesson, size_t step, const RunsOfExperiment& runs,
                            const ChosenSchedule& chosen) {
  return StepReader(lesson, step, runs, chosen).read();
}

bool chooses_schedule(const LessonStep& step) {
  return std::ranges::find(step.change, kScheduleChange) != step.change.end();
}

}  // namespace shardscope::inline lesson
