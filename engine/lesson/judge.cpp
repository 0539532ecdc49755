// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/lesson/question.h"
#include "engine/lesson/typed_number.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {
namespace {

constexpr double kExact = 1e-15;

bool near(double number, const Quantity& other, double tolerance) {
  return std::abs(number - other.number) <= tolerance * std::abs(other.number) + kExact;
}

// What stands behind a bare number may be what is counted: "3 steps".
bool is_counted(const Question& question, const std::string& words) {
  const std::vector<std::string> asked = plain_words(question.text);
  const std::vector<std::string> said = plain_words(words);
  return !said.empty() && std::ranges::all_of(said, [&](const std::string& word) {
    return std::ranges::find(asked, word) != asked.end();
  });
}

std::optional<double> worth_of(const Question& question, const std::string& unit) {
  for (const auto& [text, worth] : typed_units(question.answer.unit))
    if (text == unit) return worth;
  if (question.answer.unit.none() && is_counted(question, unit)) return 1;
  return std::nullopt;
}

// All that a text may be meant as, in the answer's unit. Of a share "86" is 86 % as well.
Result<std::vector<double>> read_answer(const Question& question, std::string_view given) {
  TRY(const TypedNumber typed, typed_number(given));
  const auto worth = worth_of(question, typed.unit);
  if (!worth)
    return invalid(
        typed.unit.empty() ? say("'{}' has no unit", trim(given)) : say("'{}' is no unit here", typed.unit),
        "", wanted_words(question));
  std::vector<double> out;
  for (const double number : typed.readings) {
    out.push_back(number * *worth);
    if (question.answer.written == Written::percent && *worth == 1 && number >= 1)
      out.push_back(number / 100);
  }
  return out;
}

bool any_near(const std::vector<double>& readings, const Quantity& other, double tolerance) {
  return std::ranges::any_of(readings, [&](double number) { return near(number, other, tolerance); });
}

std::string which_way(const Question& question, const std::vector<double>& readings) {
  return readings.front() > question.answer.number ? said("It is less than that.")
                                                   : said("It is more than that.");
}

// An example that is not right by chance.
struct Example {
  const char* written;
  double number;
};
std::string such_as(const Question& question, std::string what, Example first, Example second) {
  const bool taken = near(first.number, question.answer, std::max(question.tolerance, 0.2));
  return what + (taken ? second : first).written;
}

std::string kind_wanted(const Question& question) {
  const Quantity& answer = question.answer;
  if (answer.written == Written::percent)
    return such_as(question, said("A share, such as "), {"30 % or 0.3", 0.3}, {"60 % or 0.6", 0.6});
  if (answer.written == Written::ratio)
    return such_as(question, said("How many times as much, such as "), {"3.5", 3.5}, {"1.7", 1.7});
  if (answer.unit == kBytes)
    return such_as(question, said("A size with its unit, such as "), {"10 KiB", 10240}, {"300 MiB", 300e6});
  if (answer.unit == kSeconds)
    return such_as(question, said("A time with its unit, such as "), {"10 µs", 1e-5}, {"2 ms", 2e-3});
  return such_as(question, said("A number, such as "), {"5", 5}, {"9", 9});
}

void add_once(std::vector<std::string>& to, std::string text) {
  if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
}

std::string with_comma(std::string text) {
  std::ranges::replace(text, '.', ',');
  return text;
}

// Digits enough that rounding does not make it wrong.
std::string digits_of(double number) {
  return number == std::floor(number) && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                 : fmt::format("{:.5g}", number);
}

bool is_plain(double number) {
  return number == 0 || (std::abs(number) >= 0.01 && std::abs(number) < 1e6);
}

void add_right_forms(const Question& question, std::vector<std::string>& out) {
  const Quantity& answer = question.answer;
  for (const auto& [unit, worth] : typed_units(answer.unit)) {
    const double number = answer.number / worth;
    if (!is_plain(number) || (unit == "%" && answer.written == Written::plain && answer.number > 1)) continue;
    const std::string digits = digits_of(number), behind = unit.empty() ? "" : " " + unit;
    add_once(out, digits + behind);
    add_once(out, digits + unit);
    add_once(out, with_comma(digits) + behind);
  }
  if (answer.written == Written::percent) {
    add_once(out, digits_of(answer.number * 100));
    add_once(out, digits_of(answer.number));
  }
  const bool whole = answer.unit.none() && answer.number == std::floor(answer.number) && answer.number >= 0;
  if (!whole) return;
  const auto count = static_cast<int64_t>(answer.number);
  std::string word = number_word(count);
  add_once(out, word);
  word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  add_once(out, word);
  add_once(out, group_digits(count));
}

void add_wrong_forms(const Question& question, std::vector<std::string>& out) {
  const Quantity& answer = question.answer;
  const auto units = typed_units(answer.unit);
  for (const double factor : {0.3, 0.5, 2.0, 3.0, 1000.0}) {
    const double number = answer.number == 0 ? factor : answer.number * factor;
    for (const auto& [unit, worth] : units)
      if (unit != "%" && is_plain(number / worth) && !(answer.written == Written::percent && number >= 1))
        add_once(out, fmt::format("{:.6g} {}", number / worth, unit));
  }
}

}  // namespace

std::string wanted_words(const Question& question) {
  if (!question.choices.empty()) return {};
  if (question.tolerance == 0) return kind_wanted(question) + said(", exactly.");
  return kind_wanted(question) + say("; to within {} %.", hundredths(question.tolerance * 100));
}

Result<Judgement> judge(const Question& question, std::string_view given) {
  for (const Choice& choice : question.choices)
    if (choice.text == given) return Judgement{choice.right, choice.right ? question.because : choice.reason};
  if (!question.choices.empty()) return invalid(say("'{}' is none of the choices", given));
  TRY(const std::vector<double> readings, read_answer(question, given));
  if (any_near(readings, question.answer, question.tolerance)) return Judgement{true, question.because};
  for (const Mistake& mistake : question.mistakes)
    if (any_near(readings, mistake.answer, question.tolerance)) return Judgement{false, mistake.reason};
  const std::string way = which_way(question, readings);
  return Judgement{false, question.hint.empty() ? way : way + " " + question.hint};
}

AnswerForms answer_forms(const Question& question) {
  AnswerForms out;
  for (const Choice& choice : question.choices) (choice.right ? out.right : out.wrong).push_back(choice.text);
  out.refused = {"many", ""};
  if (!question.choices.empty()) return out;
  add_right_forms(question, out.right);
  add_wrong_forms(question, out.wrong);
  out.refused.emplace_back(question.answer.unit == kBytes ? "3 us" : "3 MiB");
  if (!question.answer.unit.none()) out.refused.emplace_back("3");
  return out;
}

}  // namespace shardscope::inline lesson
