// SPDX-License-Identifier: Apache-2.0
#include "app/cli/parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/terminal.h"
#include "app/report/made_now.h"
#include "app/window/shell/run_window.h"
#include "engine/base/catalogue.h"
#include "engine/base/machine/memory_door.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

void add_window_options(CLI::App& app, TopLevel& o) {
  app.add_option("file", o.file,
                 "A workspace (.shardscope), an experiment (.toml), a lesson (.lesson.toml) or a module "
                 "(.hlo, .mlir) to open");
  app.add_option("--preset", o.preset, "Open the window on this built-in preset");
  app.add_option("--view", o.view, "With --screenshot: this view alone (" + join(window_views(), ", ") + ")");
  app.add_option("--screenshot", o.screenshot, "Open the window, run the preset, save a PNG, close")
      ->type_name(kOutputFile);
  app.add_option("--scale", o.scale, "Size of the interface, 1 to 3")->check(CLI::Range(1.0, 3.0));
  app.add_option("--theme", o.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
  std::vector<std::string> ids;
  for (const Language& each : languages()) ids.push_back(each.id);
  app.add_option("--language", o.language, "Of the window: " + join(ids, ", "))->check(CLI::IsMember(ids));
  app.add_flag("--man", o.man, "Print the man page")->group("");
}

// By name, added to the parser in the order of its help.
std::map<std::string, Command> add_commands(CLI::App& app, Ask ask) {
  std::map<std::string, Command> commands;
  commands["strategies"] = add_strategies_command(app);
  commands["presets"] = add_presets_command(app);
  commands["run"] = add_run_command(app);
  commands["sweep"] = add_sweep_command(app);
  commands["tune"] = add_tune_command(app);
  commands["calibrate"] = add_calibrate_command(app);
  commands["sharding"] = add_sharding_command(app);
  commands["reshard"] = add_reshard_command(app);
  commands["atlas"] = add_atlas_command(app);
  commands["runs"] = add_runs_command(app);
  commands["compare"] = add_compare_command(app);
  commands["diff"] = add_diff_command(app);
  commands["render"] = add_render_command(app);
  commands["export"] = add_export_command(app);
  commands["story"] = add_story_command(app);
  commands["what-if"] = add_what_if_command(app);
  commands["errors"] = add_errors_command(app);
  commands["gmm"] = add_gmm_command(app);
  commands["tgmm"] = add_tgmm_command(app);
  commands["kernel"] = add_kernel_command(app);
  commands["hlo"] = add_hlo_command(app);
  commands["lesson"] = add_lesson_command(app);
  commands["measure"] = add_measure_command(app);
  commands["schema"] = add_schema_command(app);
  commands["beside"] = add_beside_command(app);
  commands["truth"] = add_truth_command(app);
  commands["doctor"] = add_doctor_command(app);
  commands["serve"] = add_serve_command(app, std::move(ask));
  commands["completion"] = add_completion_command(app);
  return commands;
}

// The door of commands.
Result<int> run_command(const Command& command, const std::stop_token& stop) {
  try {
    return command(stop);
  } catch (...) {
    return refused_by_machine("", "use smaller sizes, fewer devices or --numerics off");
  }
}

// Of a command that has no answer of its own in JSON: what it printed and which files it wrote.
Result<int> run_for_json(const Command& command, const std::stop_token& stop) {
  Result<int> code = kExitDone;
  nlohmann::ordered_json answer;
  {
    const KeptOutput kept;
    code = run_command(command, stop);
    answer = {{"text", kept.text}, {"files", kept.files}};
  }
  if (!code.ok()) return code;
  TRY_VOID(write_output(answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", ""));
  return code;
}

// The parser's words for a value that is no number of its option's type, in front of "--beat = 99999999999".
constexpr std::string_view kNotConverted = "Could not convert: ";

Error no_number(const std::string& option_and_value, const std::string& help) {
  constexpr std::string_view kEquals = " = ";
  const size_t equals = option_and_value.find(kEquals);
  if (equals == std::string::npos) return invalid(option_and_value);
  const std::string value = option_and_value.substr(equals + kEquals.size());
  return invalid(parse_int(value) ? fmt::format("{} is too large", value)
                                  : fmt::format("expected a number, got '{}'", value),
                 option_and_value.substr(0, equals), help);
}

}  // namespace

Parser::Parser(Ask ask)
    : app("Shardscope: explore sharded matrix multiplication on device meshes.\n"
          "Without a command it opens the window.",
          "shardscope") {
  app.set_version_flag("--version", "shardscope " + built_version());
  app.require_subcommand(0, 1);
  app.footer(
      "Exit status: 0 done; 2 the request, or what a file holds, is wrong; 3 a run's numbers are wrong; 4 a "
      "file "
      "cannot be opened, read or written; 130 cancelled, 143 by SIGTERM.");
  add_window_options(app, top);
  commands = add_commands(app, std::move(ask));
  add_common_options(app, common);
  settle_options(app);
}

Error usage_error(const CLI::ParseError& problem, const CLI::App& app) {
  std::string what = problem.what();
  const std::string help = fmt::format("see {} --help", called_name(app));
  if (what.starts_with(kNotConverted)) return no_number(what.substr(kNotConverted.size()), help);
  if (!what.empty()) what[0] = small_letter(what[0]);
  for (char& c : what) c = c == '\n' ? ' ' : c;
  while (!what.empty() && (what.back() == '.' || what.back() == ' ')) what.pop_back();
  // "--threads: Value 0 not in range 1 to 1024"
  const size_t colon = what.find(": ");
  if (!what.starts_with('-') || what.find(' ') < colon || colon == std::string::npos)
    return invalid(what, "command line", help);
  if (what.find("At Most 1 ") != std::string::npos)
    return invalid("the option is there more than once", what.substr(0, colon), "say it once");
  std::string problem_of = what.substr(colon + 2);
  if (!problem_of.empty()) problem_of[0] = small_letter(problem_of[0]);
  return invalid(problem_of, what.substr(0, colon), help);
}

Result<int> run_read_command(const Parser& parser, const std::stop_token& stop) {
  const Command& command = parser.commands.at(parser.app.get_subcommands().front()->get_name());
  return parser.common.json ? run_for_json(command, stop) : run_command(command, stop);
}

SessionAnswer answer_words(const std::vector<std::string>& words, const std::stop_token& stop) {
  SessionAnswer out;
  Parser parser([](const auto&, const auto&) {
    return SessionAnswer{.error = invalid("a session asks commands alone")};
  });
  std::vector<std::string> typed = {"shardscope"};
  typed.insert(typed.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : typed) argv.push_back(word.data());
  const int argc = static_cast<int>(argv.size());
  out.error = missing_value(parser.app, argc, argv.data());
  if (out.error) return out;
  try {
    parser.app.parse(argc, argv.data());
  } catch (const CLI::Success&) {
    out.error = invalid("help and version are no answers", "", "ask for them on the command line");
  } catch (const CLI::ParseError& problem) {
    out.error =
        parser.app.remaining(true).empty() ? usage_error(problem, parser.app) : unexpected_words(parser.app);
  }
  if (out.error) return out;
  if (const auto fine = check_files(parser.app); !fine.ok()) return {.error = fine.error()};
  if (parser.app.get_subcommands().empty()) return {.error = invalid("a session asks commands alone")};
  KeptOutput kept;
  const Result<int> code = run_read_command(parser, stop);
  if (!code.ok()) return {.error = code.error()};
  if (*code == kExitCancelled) return {.error = cancelled()};
  return {.exit = *code, .text = std::move(kept.text)};
}

}  // namespace shardscope::inline cli
