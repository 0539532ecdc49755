// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/question.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/lesson/fact_tables.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {
namespace {

constexpr size_t kMostChoices = 8;

// Of whom, and of which beat, an answer like "story.beat[1].arrives(device=2)" is.
struct AnswerPlace {
  int32_t device = -1, beat = 0;
};
AnswerPlace answer_place(const std::string& answer, const FactScope& scope, const Story& story,
                         int32_t beat) {
  AnswerPlace out{-1, beat};
  const auto see = [&](const FactPath& path) -> Result<FactValue> {
    for (const FactStep& step : path) {
      if (const FactValue* number = argument(step, "", 0); number != nullptr && step.name == "beat")
        out.beat = static_cast<int32_t>(
            whole_number(*number, "a beat").ok() ? *whole_number(*number, "a beat") : beat);
      if (argument(step, "device", 0) == nullptr || step.name == "beat") continue;
      const auto device = device_argument(step, story.program().mesh);
      if (device.ok()) out.device = *device;
    }
    return scope(path);
  };
  (void)value_of(answer, see);
  return out;
}

bool has(const Story& story, int32_t device, Picoseconds time, const std::string& block) {
  return std::ranges::any_of(story.held(device, time), [&](PieceId id) {
    const FactNames names = names_of(story, story.blocks_of(id));
    return std::ranges::find(names, block) != names.end();
  });
}

bool passes(const Story& story, int32_t beat, int32_t device, const std::string& block, bool arrives) {
  const Beat& b = story.beats()[static_cast<size_t>(beat)];
  return std::ranges::any_of(b.events, [&](int32_t event) {
    const Event& e = event_of(story, event);
    if (e.kind != EventKind::transfer || (arrives ? e.peer : e.device) != device) return false;
    return name_of_transfer(story, event) == block;
  });
}

// Why a block is not what reaches the device in this beat.
std::string reason_against_block(const Story& story, const AnswerPlace& of, const std::string& block) {
  const std::string who = place_word(story, of.device);
  const Picoseconds before = of.beat > 0 ? story.moment_of(of.beat - 1) : 0;
  if (passes(story, of.beat, of.device, block, false))
    return fmt::format("{} is what {} sends in this step, not what it gets", block, who);
  if (has(story, of.device, before, block)) return fmt::format("{} has {} already", who, block);
  for (int32_t later = of.beat + 1; later < static_cast<int32_t>(story.beats().size()); ++later)
    if (passes(story, later, of.device, block, true))
      return fmt::format("{} reaches {} later, in step {}", block, who, later);
  return fmt::format("{} goes to another chip, never to {}", block, who);
}

// As it is chosen: yes and no have words of their own where the step says so.
std::string chosen_words(const LessonStep& step, const FactValue& value) {
  const bool* yes = std::get_if<bool>(&value);
  const bool no_words = step.either.size() != 2;
  if (yes == nullptr || no_words) return words_of(value);
  return step.either[*yes ? 0 : 1];
}

std::optional<std::string> named_reason(const LessonStep& step, const FactScope& scope,
                                        const std::string& text) {
  for (const WrongAnswer& wrong : step.wrong) {
    const auto value = value_of(wrong.answer, scope);
    if (value.ok() && chosen_words(step, *value) == text) return fill_in(wrong.because, scope).text;
  }
  return std::nullopt;
}

// All blocks of the array that the answer is a block of, or those around it when they are many.
FactNames block_choices(const Story& story, const std::string& right) {
  for (const StoryArray& array : story.arrays()) {
    FactNames names;
    for (int64_t block = 0; block < array.block_count(); ++block) names.push_back(array.block_name(block));
    const auto place = std::ranges::find(names, right);
    if (place == names.end()) continue;
    if (names.size() <= kMostChoices) return names;
    const auto at = place - names.begin(), most = static_cast<std::ptrdiff_t>(kMostChoices);
    const auto first =
        std::clamp<std::ptrdiff_t>(at - most / 2, 0, static_cast<std::ptrdiff_t>(names.size()) - most);
    return {names.begin() + first, names.begin() + first + most};
  }
  return {};
}

FactNames device_choices(const Mesh& mesh) {
  FactNames out;
  for (int32_t d = 0; d < std::min<int64_t>(mesh.device_count(), 16); ++d)
    out.push_back(mesh.place(DeviceId(d)));
  return out;
}

// What there is to choose among; the right one has to be there.
Result<FactNames> candidates(const LessonStep& step, FactRuns& runs, const NamedRun& shown,
                             const std::string& right) {
  FactNames out;
  switch (step.choices) {
    case Choices::numbers:
      return out;
    case Choices::yes_no:
      return step.either.size() == 2 ? step.either : FactNames{"yes", "no"};
    case Choices::runs:
      out = runs.names();
      break;
    case Choices::devices:
      out = device_choices(shown.run->mesh);
      break;
    case Choices::blocks:
      if (shown.story == nullptr) return invalid("blocks of a run whose story is not told");
      out = block_choices(*shown.story, right);
      break;
  }
  if (std::ranges::find(out, right) == out.end())
    return invalid(fmt::format("the answer '{}' is none of the {}", right, name(step.choices)), "",
                   "ask for one of them");
  return out;
}

Result<void> add_choices(const LessonStep& step, FactRuns& runs, const ShownMoment& moment,
                         const FactValue& answer, Question& out) {
  NamedRun shown;
  if (step.choices == Choices::devices || step.choices == Choices::blocks) {
    TRY(const NamedRun* of, runs.find(moment.run.empty() ? runs.names().front() : moment.run, false));
    shown = *of;
  }
  const std::string right = chosen_words(step, answer);
  TRY(const FactNames texts, candidates(step, runs, shown, right));
  const FactScope scope = fact_scope(runs, moment);
  AnswerPlace of;
  if (step.choices == Choices::blocks) of = answer_place(step.answer, scope, *shown.story, moment.beat);
  for (const std::string& text : texts) {
    Choice& choice = out.choices.emplace_back();
    choice.text = text;
    choice.right = text == right;
    if (choice.right) continue;
    if (const auto reason = named_reason(step, scope, text)) {
      choice.reason = *reason;
    } else if (of.device >= 0) {
      choice.reason = reason_against_block(*shown.story, of, text);
    } else {
      choice.reason = out.hint;
    }
  }
  return {};
}

Result<void> add_number(const LessonStep& step, const FactScope& scope, const FactValue& answer,
                        Question& out) {
  const auto* number = std::get_if<Quantity>(&answer);
  if (number == nullptr)
    return invalid("the answer is " + kind_of(answer), "", "say what to choose from: choices = \"blocks\"");
  out.answer = *number;
  for (const WrongAnswer& wrong : step.wrong) {
    TRY(const FactValue value, value_of(wrong.answer, scope));
    const auto* mistake = std::get_if<Quantity>(&value);
    if (mistake == nullptr || mistake->unit != number->unit)
      return invalid(
          fmt::format("the wrong answer {} is of another kind than the right one", words_of(value)));
    TRY(const bool same, equal(value, answer));
    if (!same) out.mistakes.push_back({*mistake, fill_in(wrong.because, scope).text});
  }
  return {};
}

}  // namespace

std::string Question::right_words() const {
  for (const Choice& choice : choices)
    if (choice.right) return choice.text;
  return words_of(answer);
}

Result<Question> make_question(const LessonStep& step, FactRuns& runs, const ShownMoment& moment) {
  const FactScope scope = fact_scope(runs, moment);
  Question out;
  const FilledText text = fill_in(step.ask, scope), because = fill_in(step.because, scope),
                   hint = fill_in(step.hint, scope);
  for (const FilledText* filled : {&text, &because, &hint})
    if (!filled->errors.empty()) return filled->errors.front();
  out.text = text.text;
  out.because = because.text;
  out.hint = hint.text;
  for (const std::string& each : step.hide) out.hide.push_back(fill_in(each, scope).text);
  out.tolerance = step.tolerance;
  TRY(const FactValue answer, value_of(step.answer, scope));
  if (step.choices == Choices::numbers) {
    TRY_VOID(add_number(step, scope, answer, out));
  } else {
    TRY_VOID(add_choices(step, runs, moment, answer, out));
  }
  return out;
}

}  // namespace shardscope::inline lesson
