// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/check_lesson.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "engine/lesson/fact_tables.h"
#include "engine/lesson/question.h"
#include "engine/story/beat_facts.h"

namespace shardscope {
namespace {

constexpr std::array<std::string_view, 5> kChanges{"mesh", "problem", "chip", "collective", "strategy"};

// The first number that stands in a text by itself: digits that are part of a name, between braces or in code
// are none.
std::optional<std::string> typed_number_in(std::string_view text) {
  bool code = false;
  int depth = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '`') code = !code;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (code || depth > 0 || std::isdigit(static_cast<unsigned char>(c)) == 0) continue;
    const auto before = k > 0 ? static_cast<unsigned char>(text[k - 1]) : ' ';
    size_t end = k;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (std::isalnum(before) == 0 && before != '_' && before != '.')
      return std::string(text.substr(k, end - k));
    k = end - 1;
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(const LessonFile& file, const RunsOfExperiment& runs, const std::vector<std::string>& views)
      : file_(file), runs_of_(runs), views_(views) {
    out_.title = file.lesson.title;
  }

  void check(size_t step) {
    step_ = step;
    out_.steps.emplace_back();
    const LessonStep& s = file_.lesson.steps[step];
    check_words(s);
    const StepView view = view_of(file_.lesson, step);
    if (view.experiment < 0) {
      fill_alone(s);
      return;
    }
    const auto runs = runs_of_(file_.lesson.experiments[static_cast<size_t>(view.experiment)]);
    if (!runs.ok()) {
      wrong("experiment", runs.error());
      return;
    }
    const auto moment = moment_of(view, **runs);
    if (!moment.ok()) {
      wrong(s.beat.empty() ? "run" : "beat", moment.error());
      return;
    }
    fill(s, **runs, *moment);
    point(s, **runs, *moment);
  }

  LessonCheck take() { return std::move(out_); }

 private:
  void wrong(std::string_view key, const Error& error) {
    out_.steps.back().ok = false;
    out_.errors.push_back(
        {file_.line_of(step_, key), fmt::format("step {}, {}: {}", step_ + 1, key, error.text())});
  }

  void check_words(const LessonStep& s) {
    for (const std::string& view : s.show) {
      if (std::ranges::find(views_, view) != views_.end()) continue;
      const auto near = nearest(view, views_);
      wrong("show", invalid(fmt::format("no view '{}'", view), "",
                            near ? fmt::format("did you mean {}?", *near) : "use " + join(views_, ", ")));
    }
    for (const std::string& change : s.change)
      if (std::ranges::find(kChanges, change) == kChanges.end())
        wrong("change", invalid(fmt::format("nothing called '{}' can be changed", change), "",
                                "use mesh, problem, chip, collective or strategy"));
    const std::array<std::pair<const char*, const std::string*>, 5> texts{
        {{"say", &s.say}, {"ask", &s.ask}, {"because", &s.because}, {"try", &s.attempt}, {"note", &s.note}}};
    for (const auto& [key, text] : texts)
      if (const auto number = typed_number_in(*text))
        wrong(key, invalid(fmt::format("'{}' is typed, so it can be wrong", *number), "",
                           "write an expression between braces, or `code`"));
  }

  std::string filled(std::string_view key, const std::string& text, const FactScope& scope) {
    FilledText out = fill_in(text, scope);
    for (const Error& error : out.errors) wrong(key, error);
    return std::move(out.text);
  }

  void fill(const LessonStep& s, FactRuns& runs, const ShownMoment& moment) {
    const FactScope scope = fact_scope(runs, moment);
    CheckedStep& step = out_.steps.back();
    step.say = filled("say", s.say, scope) + filled("try", s.attempt, scope);
    (void)filled("note", s.note, scope);
    if (!s.expect.empty()) check_expectation(s, scope);
    if (s.ask.empty()) return;
    step.ask = filled("ask", s.ask, scope);
    for (const WrongAnswer& w : s.wrong) (void)filled("wrong", w.because, scope);
    const auto question = make_question(s, runs, moment);
    if (!question.ok()) {
      wrong("answer", question.error());
      return;
    }
    step.answer = question->right_words();
  }

  void check_expectation(const LessonStep& s, const FactScope& scope) {
    const auto value = value_of(s.expect, scope);
    if (!value.ok()) {
      wrong("expect", value.error());
    } else if (!std::holds_alternative<bool>(*value)) {
      wrong("expect", invalid(fmt::format("{{{}}} is {}, not yes or no", s.expect, kind_of(*value))));
    }
  }

  // Steps before the first experiment have texts without values.
  void fill_alone(const LessonStep& s) {
    const FactScope none = [](const FactPath& path) -> Result<FactValue> {
      return invalid(fmt::format("'{}' of which experiment?", path_text(path)), "",
                     "write experiment = \"…\" in this step or one before");
    };
    CheckedStep& step = out_.steps.back();
    step.say = filled("say", s.say, none) + filled("try", s.attempt, none);
    if (!s.ask.empty()) wrong("ask", invalid("a question about no experiment"));
  }

  void point(const LessonStep& s, FactRuns& runs, const ShownMoment& moment) {
    if (s.point_at.empty()) return;
    const auto run = runs.find(moment.run.empty() ? runs.names().front() : moment.run, false);
    if (!run.ok() || (*run)->story == nullptr) return;
    for (const std::string& what : s.point_at)
      if (!is_there(*(*run)->story, what))
        wrong("point_at", invalid(fmt::format("no '{}' in what is shown", what), "",
                                  "name a block as a0, or a device as device (0,1)"));
  }

  static bool is_there(const Story& story, const std::string& what) {
    const Mesh& mesh = story.program().mesh;
    for (int32_t d = 0; d < mesh.device_count(); ++d)
      if (what == "device " + mesh.place(DeviceId(d))) return true;
    return std::ranges::any_of(story.arrays(), [&](const StoryArray& array) {
      if (common_name(array) == what) return true;
      for (int64_t block = 0; block < array.block_count(); ++block)
        if (array.block_name(block) == what) return true;
      return false;
    });
  }

  const LessonFile& file_;
  const RunsOfExperiment& runs_of_;
  const std::vector<std::string>& views_;
  size_t step_ = 0;
  LessonCheck out_;
};

}  // namespace

Result<ShownMoment> moment_of(const StepView& view, FactRuns& runs) {
  ShownMoment out{view.run, 0};
  const FactNames names = runs.names();
  if (out.run.empty() && !names.empty()) out.run = names.front();
  TRY(const NamedRun* run, runs.find(out.run, false));
  if (view.beat.empty()) return out;
  TRY(const FactValue value, value_of(view.beat, fact_scope(runs, out)));
  TRY(const int64_t beat, whole_number(value, "the beat"));
  const int64_t last = run->story == nullptr ? 0 : static_cast<int64_t>(run->story->beats().size()) - 1;
  if (beat < 0 || beat > last)
    return invalid(fmt::format("no beat {} of '{}': they go from 0 to {}", beat, out.run, last));
  out.beat = static_cast<int32_t>(beat);
  return out;
}

Result<LessonCheck> check_lesson(const LessonFile& file, const RunsOfExperiment& runs,
                                 const std::vector<std::string>& views, const std::stop_token& stop) {
  Checker checker(file, runs, views);
  for (size_t step = 0; step < file.lesson.steps.size(); ++step) {
    if (stop.stop_requested()) return cancelled();
    checker.check(step);
  }
  return checker.take();
}

}  // namespace shardscope
