// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/report/lesson/lesson_page.h"
#include "app/report/lesson/presented_step.h"
#include "app/window/shell/run_window.h"
#include "engine/lesson/check_lesson.h"
#include "engine/session/lessons/lesson_changes.h"
#include "engine/session/lessons/lesson_presets.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

std::string list_json() {
  Json list = Json::array();
  for (const LessonPreset& l : lesson_presets())
    list.push_back({{"name", l.name},
                    {"title", l.title},
                    {"minutes", l.minutes},
                    {"steps", l.steps},
                    {"for", l.audience},
                    {"after", l.after}});
  return Json{{"lessons", list}}.dump(2) + "\n";
}

std::string list_text() {
  std::string out;
  for (const LessonPreset& l : lesson_presets())
    out += fmt::format("{:<22} {:>3} min {:>3} steps  {}\n", l.name, l.minutes, l.steps, l.title);
  return out;
}

std::string check_json(const LessonCheck& check) {
  Json steps = Json::array(), errors = Json::array();
  for (const CheckedStep& s : check.steps)
    steps.push_back({{"say", s.say}, {"ask", s.ask}, {"answer", s.answer}, {"ok", s.ok}});
  for (const LessonError& e : check.errors) errors.push_back({{"line", e.line}, {"message", e.message}});
  return Json{{"title", check.title}, {"steps", steps}, {"errors", errors}}.dump(2) + "\n";
}

std::string check_text(const LessonCheck& check) {
  std::string out = check.title + "\n";
  for (size_t k = 0; k < check.steps.size(); ++k) {
    const CheckedStep& s = check.steps[k];
    out += fmt::format("\n{:>3} {}{}\n", k + 1, s.say.empty() ? "" : s.say,
                       s.ask.empty() ? "" : (s.say.empty() ? "" : "\n    ") + s.ask + "\n    → " + s.answer);
  }
  for (const LessonError& e : check.errors) out += fmt::format("\nline {}: {}", e.line, e.message);
  return out + (check.errors.empty() ? "" : "\n");
}

struct LessonOptions {
  std::string name, output;
  bool json = false;
  std::string wall = "on";  // checked as it is presented, too
};

Result<int> run_check(const LessonOptions& o, const std::stop_token& stop) {
  TRY(const LessonFile file, find_lesson(o.name));
  LessonRuns runs(stop);
  const auto of = [&](const LessonExperiment& e) { return runs.of(e); };
  TRY(LessonCheck check, check_lesson(file, of, window_views(), stop));
  TRY(const auto changed, check_changes(file, runs, stop));
  check.errors.insert(check.errors.end(), changed.begin(), changed.end());
  if (o.wall == "on") {
    start_offscreen_gui();
    TRY(const auto presented, check_presented(file, runs));
    check.errors.insert(check.errors.end(), presented.begin(), presented.end());
  }
  TRY_VOID(print_text(o.json ? check_json(check) : check_text(check)));
  return check.errors.empty() ? kExitDone : kExitRequest;
}

Result<int> run_export(const std::string& name, const std::string& output, const std::stop_token& stop) {
  TRY(const LessonFile file, find_lesson(name));
  start_offscreen_gui();
  TRY(const std::string page, lesson_page(file, stop));
  TRY_VOID(write_output(page, output));
  return kExitDone;
}

}  // namespace

Command add_lesson_command(CLI::App& app) {
  CLI::App* lesson = app.add_subcommand("lesson", "Lessons: list them, check one, write one as a page");
  lesson->require_subcommand(1);
  auto o = std::make_shared<LessonOptions>();
  CLI::App* list = lesson->add_subcommand("list", "List the lessons that come with the program");
  CLI::App* check = lesson->add_subcommand("check", "Evaluate every number, question and answer of a lesson");
  CLI::App* page = lesson->add_subcommand(
      "export", "Write a lesson as one HTML file that plays offline: steps, pictures, questions");
  page->add_option("-o,--output", o->output, "File ending in .html (default: stdout)")
      ->type_name(kOutputFile);
  for (CLI::App* command : {check, page})
    command->add_option("lesson", o->name, "A lesson by name, or a file (.lesson.toml)")->required();
  check->add_option("--wall", o->wall, "off: not how its steps fit a wall of 1280x720 (default: on)")
      ->check(CLI::IsMember({"on", "off"}));
  for (CLI::App* command : {list, check}) command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o, list, page](const std::stop_token& stop) -> Result<int> {
    if (page->parsed()) return run_export(o->name, o->output, stop);
    if (!list->parsed()) return run_check(*o, stop);
    TRY_VOID(print_text(o->json ? list_json() : list_text()));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
