// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/check_lesson.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"

namespace shardscope {
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
    CheckedStep& out = out_.steps.back();
    out.say = shown.say + shown.attempt;
    out.ask = shown.ask;
    if (shown.question) out.answer = shown.question->right_words();
    return {};
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

}  // namespace shardscope
