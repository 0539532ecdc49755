// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/lesson_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/toml.h"
#include "engine/request/experiment_file.h"
#include "engine/request/file_tables.h"

namespace shardscope::inline lesson {
namespace {

constexpr size_t kMostSteps = 500;
constexpr int64_t kMostRing = 64;

// The texts of a step by their keys in the file, in the order in which they are written.
struct TextKey {
  const char* key;
  std::string LessonStep::*text;
};
constexpr std::array kTexts{TextKey{"say", &LessonStep::say},
                            TextKey{"ask", &LessonStep::ask},
                            TextKey{"answer", &LessonStep::answer},
                            TextKey{"because", &LessonStep::because},
                            TextKey{"hint", &LessonStep::hint},
                            TextKey{"try", &LessonStep::attempt},
                            TextKey{"expect", &LessonStep::expect},
                            TextKey{"holds", &LessonStep::holds},
                            TextKey{"experiment", &LessonStep::experiment},
                            TextKey{"run", &LessonStep::run},
                            TextKey{"note", &LessonStep::note}};
struct ListKey {
  const char* key;
  std::vector<std::string> LessonStep::*list;
};
constexpr std::array kLists{
    ListKey{"either", &LessonStep::either}, ListKey{"change", &LessonStep::change},
    ListKey{"show", &LessonStep::show},     ListKey{"point_at", &LessonStep::point_at},
    ListKey{"hide", &LessonStep::hide},     ListKey{"watch", &LessonStep::watch}};

// "file:12:1" → 12
int64_t line_in(const std::string& where) {
  const std::vector<std::string> parts = split(where, ':');
  return parts.size() < 2 ? 0 : parse_int(parts[parts.size() - 2]).value_or(0);
}

Result<void> read_string(const TomlTable& table, const char* key, std::string& out) {
  TRY(auto text, table.string(key));
  if (text) out = std::move(*text);
  return {};
}

Result<void> read_list(const TomlTable& table, const char* key, std::vector<std::string>& out) {
  TRY(auto texts, table.strings(key));
  if (texts) out = std::move(*texts);
  return {};
}

// A whole number, or an expression.
Result<void> read_beat(const TomlTable& table, std::string& out) {
  const auto number = table.integer("beat");
  if (!number.ok()) return read_string(table, "beat", out);
  if (*number) out = std::to_string(**number);
  return {};
}

Result<void> read_choices(const TomlTable& table, LessonStep& step) {
  TRY(const auto text, table.string("choices"));
  if (!text) return {};
  std::vector<std::string> known;
  for (const Choices choices : kChoices) {
    known.emplace_back(name(choices));
    if (*text != name(choices)) continue;
    step.choices = choices;
    return {};
  }
  return invalid(fmt::format("expected {}, got '{}'", join(known, ", "), *text), table.where("choices"));
}

Result<void> read_wrong(const TomlTable& table, LessonStep& step) {
  TRY(const auto tables, table.tables("wrong"));
  for (const TomlTable& wrong : tables) {
    WrongAnswer& out = step.wrong.emplace_back();
    TRY(out.answer, read_required(wrong, "answer"));
    TRY(out.because, read_required(wrong, "because"));
    TRY_VOID(wrong.refuse_unread());
  }
  return {};
}

// A step does one thing: it tells, asks, or lets try.
Result<void> check_kind(const TomlTable& table, const LessonStep& step) {
  const int kinds = !step.say.empty() + !step.ask.empty() + !step.attempt.empty();
  if (kinds == 0) return invalid("the step says nothing", table.where(), "write say, ask or try");
  if (!step.ask.empty() && !step.attempt.empty())
    return invalid("a step that asks and lets try", table.where("try"), "make it two steps");
  if (step.ask.empty() != step.answer.empty())
    return invalid(step.ask.empty() ? "an answer without a question" : "a question without its answer",
                   table.where(step.ask.empty() ? "answer" : "ask"), "write ask and answer");
  if (step.ask.empty() && !step.wrong.empty())
    return invalid("wrong answers without a question", table.where("wrong"));
  if (step.ask.empty() && !step.hint.empty())
    return invalid("nothing is asked", table.where("hint"), "write ask and answer");
  if (!step.either.empty() && (step.either.size() != 2 || step.choices != Choices::yes_no))
    return invalid("expected two texts, of a question for yes or no", table.where("either"),
                   "write choices = \"yes/no\" and what stands for yes, then for no");
  if (step.attempt.empty() && (!step.expect.empty() || !step.change.empty() || !step.watch.empty()))
    return invalid("nothing is to be tried", table.where(step.expect.empty() ? "change" : "expect"),
                   "write try");
  return {};
}

Result<LessonStep> read_step(const TomlTable& table) {
  LessonStep step;
  for (const TextKey& text : kTexts) TRY_VOID(read_string(table, text.key, step.*text.text));
  for (const ListKey& list : kLists) TRY_VOID(read_list(table, list.key, step.*list.list));
  TRY_VOID(read_beat(table, step.beat));
  TRY_VOID(read_choices(table, step));
  TRY(const auto tolerance, table.number("tolerance"));
  step.tolerance = tolerance.value_or(step.tolerance);
  if (!(step.tolerance >= 0 && step.tolerance < 1))
    return invalid("expected a share from 0 to below 1", table.where("tolerance"), "write 0.05 for 5 %");
  TRY_VOID(read_wrong(table, step));
  if (step.show.size() > 2)
    return invalid(fmt::format("{} views; a step shows one or two", step.show.size()), table.where("show"));
  TRY_VOID(check_kind(table, step));
  TRY_VOID(table.refuse_unread());
  return step;
}

Result<LessonExperiment> read_lesson_experiment(const TomlTable& table, std::string name) {
  LessonExperiment out;
  out.name = std::move(name);
  TRY_VOID(read_string(table, "preset", out.preset));
  TRY_VOID(read_string(table, "module", out.module));
  TRY_VOID(read_list(table, "shardings", out.shardings));
  if (!out.shardings.empty() && out.module.empty())
    return invalid("shardings of no module", table.where("shardings"), "write module = \"…\"");
  TRY_VOID(read_list(table, "runs", out.runs));
  TRY_VOID(read_list(table, "try_kernels", out.kernels));
  const int sources = !out.preset.empty() + !out.module.empty() + !out.kernels.empty();
  if (sources > 1)
    return invalid("an experiment is from a preset, a module or kernels, not from two of them",
                   table.where(out.kernels.empty() ? "module" : "try_kernels"));
  if (!out.kernels.empty()) {
    TRY(const auto ring, table.integer("ring"));
    out.ring = ring.value_or(0);
    if (out.ring < 0 || out.ring > kMostRing)
      return too_big(fmt::format("a ring of {}; kernels are tried on up to {}", out.ring, kMostRing),
                     table.where("ring"));
  }
  if (sources == 0) {
    TRY(out.own, read_experiment(table));
  }
  TRY_VOID(table.refuse_unread());
  return out;
}

Result<void> read_experiments(const TomlTable& root, LessonFile& out) {
  TRY(const auto tables, root.table("experiments"));
  if (!tables) return {};
  for (const std::string& key : tables->keys()) {
    TRY(const auto table, tables->table(key));
    TRY(auto experiment, read_lesson_experiment(*table, key));
    out.experiment_lines[key] = line_in(tables->where(key));
    out.lesson.experiments.push_back(std::move(experiment));
  }
  // As they stand in the file, which is how they are written again.
  std::ranges::sort(out.lesson.experiments, {},
                    [&](const LessonExperiment& e) { return out.experiment_lines[e.name]; });
  return {};
}

std::map<std::string, int64_t, std::less<>> lines_of(const TomlTable& table) {
  std::map<std::string, int64_t, std::less<>> out{{"", line_in(table.where())}};
  for (const std::string& key : table.keys()) out[key] = line_in(table.where(key));
  return out;
}

std::string line(const char* key, const std::string& text) {
  return text.empty() ? "" : fmt::format("{} = {}\n", key, toml_text(text));
}

std::string line(const char* key, std::vector<std::string> texts) {
  if (texts.empty()) return "";
  for (std::string& text : texts) text = toml_text(text);
  return fmt::format("{} = [{}]\n", key, join(texts, ", "));
}

// An experiment's own tables stand under its name.
std::string own_toml(const LessonExperiment& experiment) {
  std::string out;
  const std::string prefix = "experiments." + experiment.name + ".";
  for (const std::string& text : split(experiment_toml(*experiment.own), '\n')) {
    const size_t brackets = text.starts_with("[[") ? 2 : text.starts_with("[") ? 1 : 0;
    out += text.substr(0, brackets) + (brackets > 0 ? prefix : "") + text.substr(brackets) + "\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string experiment_text(const LessonExperiment& experiment) {
  std::string out = fmt::format("\n[experiments.{}]\n", experiment.name);
  out += line("preset", experiment.preset) + line("module", experiment.module) +
         line("shardings", experiment.shardings);
  out += line("runs", experiment.runs) + line("try_kernels", experiment.kernels);
  if (experiment.ring > 0) out += fmt::format("ring = {}\n", experiment.ring);
  return experiment.own ? out + own_toml(experiment) : out;
}

std::string step_text(const LessonStep& step) {
  std::string out = "\n[[step]]\n";
  for (const TextKey& text : kTexts) out += line(text.key, step.*text.text);
  if (!step.ask.empty() || step.choices != Choices::numbers) out += line("choices", name(step.choices));
  if (step.tolerance != LessonStep().tolerance) out += "tolerance = " + toml_text(step.tolerance) + "\n";
  if (parse_int(step.beat)) {
    out += fmt::format("beat = {}\n", step.beat);
  } else {
    out += line("beat", step.beat);
  }
  for (const ListKey& list : kLists) out += line(list.key, step.*list.list);
  for (const WrongAnswer& wrong : step.wrong)
    out += "\n[[step.wrong]]\n" + line("answer", wrong.answer) + line("because", wrong.because);
  return out;
}

}  // namespace

const char* name(Choices choices) {
  constexpr std::array kNames{"numbers", "blocks", "devices", "runs", "yes/no"};
  return kNames[static_cast<size_t>(choices)];
}

WrittenName written_name(const std::string& written) {
  const size_t equals = written.find('=');
  return {std::string(trim(written.substr(0, equals))),
          std::string(trim(equals == std::string::npos ? written : written.substr(equals + 1)))};
}

StepView view_of(const Lesson& lesson, size_t step) {
  StepView out;
  for (size_t k = 0; k <= step && k < lesson.steps.size(); ++k) {
    const LessonStep& s = lesson.steps[k];
    if (!s.experiment.empty()) {
      const auto found = std::ranges::find(lesson.experiments, s.experiment, &LessonExperiment::name);
      out.experiment =
          found == lesson.experiments.end() ? -1 : static_cast<int32_t>(found - lesson.experiments.begin());
      out.run.clear();
      out.beat.clear();
    }
    if (!s.run.empty()) {
      out.run = s.run;
      out.beat.clear();
    }
    if (!s.beat.empty()) out.beat = s.beat;
    if (!s.show.empty()) out.show = s.show;
  }
  if (out.experiment < 0 && lesson.experiments.size() == 1) out.experiment = 0;
  return out;
}

int64_t LessonFile::line_of(size_t step, std::string_view key) const {
  if (step >= lines.size()) return 0;
  const auto found = lines[step].find(key);
  if (found != lines[step].end()) return found->second;
  const auto head = lines[step].find("");
  return head == lines[step].end() ? 0 : head->second;
}

Result<LessonFile> parse_lesson(std::string_view toml, std::string_view file_name) {
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  LessonFile out;
  out.name = file_name;
  TRY(out.lesson.title, read_required(root, "title"));
  TRY(const auto minutes, root.integer("minutes"));
  out.lesson.minutes = minutes.value_or(out.lesson.minutes);
  if (out.lesson.minutes < 1 || out.lesson.minutes > 600)
    return invalid("expected 1 to 600 minutes", root.where("minutes"));
  TRY_VOID(read_string(root, "for", out.lesson.audience));
  TRY_VOID(read_string(root, "after", out.lesson.after));
  TRY_VOID(read_experiments(root, out));
  TRY(const auto steps, root.tables("step"));
  if (steps.empty()) return invalid("a lesson without steps", root.where(), "write [[step]] say = \"…\"");
  if (steps.size() > kMostSteps)
    return too_big(fmt::format("{} steps; a lesson has at most {}", steps.size(), kMostSteps), root.where());
  for (const TomlTable& table : steps) {
    TRY(LessonStep step, read_step(table));
    if (!step.experiment.empty() &&
        std::ranges::find(out.lesson.experiments, step.experiment, &LessonExperiment::name) ==
            out.lesson.experiments.end())
      return invalid(fmt::format("no experiment '{}' in this lesson", step.experiment),
                     table.where("experiment"));
    out.lines.push_back(lines_of(table));
    out.lesson.steps.push_back(std::move(step));
  }
  TRY_VOID(root.refuse_unread());
  return out;
}

std::string lesson_toml(const Lesson& lesson) {
  std::string out = line("title", lesson.title) + fmt::format("minutes = {}\n", lesson.minutes);
  out += line("for", lesson.audience) + line("after", lesson.after);
  for (const LessonExperiment& experiment : lesson.experiments) out += experiment_text(experiment);
  for (const LessonStep& step : lesson.steps) out += step_text(step);
  return out;
}

}  // namespace shardscope::inline lesson
