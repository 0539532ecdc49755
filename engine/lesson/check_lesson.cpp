// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/check_lesson.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "engine/lesson/given_away.h"

namespace shardscope::inline lesson {
namespace {

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

  Result<void> check(size_t step) {
    step_ = step;
    out_.steps.emplace_back();
    check_words(file_.lesson.steps[step]);
    TRY(const ShownStep shown, show_step(file_.lesson, step, runs_of_));
    for (const StepFault& fault : shown.faults) wrong(fault.key, fault.error);
    if (shown.expected.value_or(false))
      wrong("expect", invalid("it is so before anything was changed", "", "ask for what is not so yet"));
    CheckedStep& out = out_.steps.back();
    out.say = shown.say + shown.attempt;
    out.ask = shown.ask;
    if (shown.question) {
      out.answer = shown.question->right_words();
      check_answers(*shown.question);
      check_given_away(shown);
    }
    return {};
  }

  LessonCheck take() { return std::move(out_); }

 private:
  void wrong(std::string_view key, const Error& error) {
    out_.steps.back().ok = false;
    out_.errors.push_back(
        {file_.line_of(step_, key), fmt::format("step {}, {}: {}", step_ + 1, key, error.text())});
  }

  // Every form of the right answer is right, nothing else is; and a wrong one is told why, not the answer.
  void check_answers(const Question& question) {
    const AnswerForms forms = answer_forms(question);
    const auto judged = [&](const std::string& form, bool right) {
      const auto judgement = judge(question, form);
      if (!judgement.ok() || judgement->right != right)
        wrong("answer",
              invalid(fmt::format("'{}' is {}right, but is not judged so", form, right ? "" : "not ")));
      else if (!right && judgement->reason.empty())
        wrong("hint", invalid(fmt::format("nothing is said to who answers '{}'", form), "",
                              "write hint = \"…\", or the mistake as [[step.wrong]]"));
      else if (!right && gives_away(question, judgement->reason))
        wrong("hint", invalid(fmt::format("who answers '{}' is told the answer", form)));
    };
    for (const std::string& form : forms.right) judged(form, true);
    for (const std::string& form : forms.wrong) judged(form, false);
    for (const std::string& form : forms.refused)
      if (judge(question, form).ok())
        wrong("answer", invalid(fmt::format("'{}' is taken for an answer", form)));
  }

  // What is read on the page before it is answered. Pictures cover the answer by themselves.
  void check_given_away(const ShownStep& shown) {
    const std::string wanted = wanted_words(*shown.question);
    const std::array<std::pair<const char*, const std::string*>, 6> texts{{{"say", &shown.say},
                                                                           {"ask", &shown.ask},
                                                                           {"hint", &shown.question->hint},
                                                                           {"note", &shown.note},
                                                                           {"title", &file_.lesson.title},
                                                                           {"answer", &wanted}}};
    for (const auto& [key, text] : texts)
      if (gives_away(*shown.question, *text))
        wrong(key, invalid(fmt::format("the answer {} stands in the text before it is given: {}",
                                       shown.question->right_words(), *text)));
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
        wrong("change",
              invalid(fmt::format("nothing called '{}' can be changed", change), "",
                      "use " + join(std::vector<std::string>(kChanges.begin(), kChanges.end()), ", ")));
    const std::array<std::pair<const char*, const std::string*>, 6> texts{{{"say", &s.say},
                                                                           {"ask", &s.ask},
                                                                           {"because", &s.because},
                                                                           {"hint", &s.hint},
                                                                           {"try", &s.attempt},
                                                                           {"note", &s.note}}};
    for (const auto& [key, text] : texts)
      if (const auto number = typed_number_in(*text))
        wrong(key, invalid(fmt::format("'{}' is typed, so it can be wrong", *number), "",
                           "write an expression between braces, or `code`"));
  }

  const LessonFile& file_;
  const RunsOfExperiment& runs_of_;
  const std::vector<std::string>& views_;
  size_t step_ = 0;
  LessonCheck out_;
};

}  // namespace

Result<LessonCheck> check_lesson(const LessonFile& file, const RunsOfExperiment& runs,
                                 const std::vector<std::string>& views, const std::stop_token& stop) {
  Checker checker(file, runs, views);
  for (size_t step = 0; step < file.lesson.steps.size(); ++step) {
    if (stop.stop_requested()) return cancelled();
    TRY_VOID(checker.check(step));
  }
  return checker.take();
}

}  // namespace shardscope::inline lesson
