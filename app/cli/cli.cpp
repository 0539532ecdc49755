// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <new>
#include <unistd.h>

#include "app/cli/commands/commands.h"
#include "app/cli/options/backend_option.h"
#include "app/cli/options/interrupt.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/man_page.h"
#include "app/cli/output/output.h"
#include "app/report/made_now.h"
#include "engine/base/catalogue.h"
#include "engine/base/escape.h"
#include "engine/base/file/write_file.h"
#include "engine/base/machine/memory_door.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"

namespace shardscope {
namespace {

int print_error(const Error& error) {
  if (is_quiet_rank()) return exit_code(error);
  std::fprintf(stderr, "error: %s\n", terminal_text(error.text()).c_str());
  return exit_code(error);
}

// A word that is neither a subcommand nor a file is more likely a slip than a file name.
std::optional<Error> check_file(const CLI::App& app, const std::string& file) {
  if (file.empty()) return std::nullopt;
  if (std::filesystem::exists(file)) {
    const Result<int64_t> bytes = bytes_of_file(file);
    return bytes.ok() ? std::nullopt : std::optional(bytes.error());
  }
  if (!std::filesystem::path(file).extension().empty()) return io_error("no such file", file);
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const auto near = nearest(file, commands);
  return invalid(fmt::format("unknown command '{}'", file), "shardscope",
                 near ? fmt::format("did you mean {}", *near) : std::string("see shardscope --help"));
}

Error usage_error(const CLI::ParseError& problem) {
  std::string what = problem.what();
  if (!what.empty()) what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  for (char& c : what) c = c == '\n' ? ' ' : c;
  while (!what.empty() && (what.back() == '.' || what.back() == ' ')) what.pop_back();
  // "--threads: Value 0 not in range 1 to 1024"
  const size_t colon = what.find(": ");
  if (!what.starts_with('-') || what.find(' ') < colon || colon == std::string::npos)
    return invalid(what, "command line", "see shardscope --help");
  std::string problem_of = what.substr(colon + 2);
  if (!problem_of.empty())
    problem_of[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(problem_of[0])));
  return invalid(problem_of, what.substr(0, colon), "see shardscope --help");
}

struct TopLevel {
  std::string file, view;
  std::optional<std::string> preset, screenshot;
  std::optional<double> scale;
  std::optional<std::string> theme, language;
  bool man = false;
};

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

WindowOptions window_options(const TopLevel& o) {
  WindowOptions out;
  out.preset = o.preset;
  if (!o.file.empty()) out.file = o.file;
  out.view = o.view;
  out.screenshot = o.screenshot;
  out.tour = !o.screenshot && o.file.empty();  // a file that was named is not hidden
  out.scale = o.scale;
  out.language = o.language;
  if (o.theme) out.dark = *o.theme == "dark";
  return out;
}

// By name, added to the parser in the order of its help.
std::map<std::string, Command> add_commands(CLI::App& app) {
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
  commands["doctor"] = add_doctor_command(app);
  commands["completion"] = add_completion_command(app);
  return commands;
}

}  // namespace

// The door of commands.
static Result<int> run_command(const Command& command, const std::stop_token& stop) {
  try {
    return command(stop);
  } catch (...) {
    return refused_by_machine("", "use smaller sizes, fewer devices or --numerics off");
  }
}

static std::variant<int, WindowOptions> run_words(int argc, char** argv) {
  CLI::App app(
      "Shardscope: explore sharded matrix multiplication on device meshes.\nWithout a command it opens the "
      "window.",
      "shardscope");
  app.set_version_flag("--version", "shardscope " + built_version());
  app.require_subcommand(0, 1);
  app.footer(
      "Exit status: 0 done; 2 the request is wrong; 3 a run's numbers are wrong; 4 a file cannot be used; "
      "130 cancelled, 143 by SIGTERM.");
  TopLevel top;
  add_window_options(app, top);
  const std::map<std::string, Command> commands = add_commands(app);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is told to whoever writes
  std::signal(SIGXFSZ, SIG_IGN);  // and so is the end of what a file may hold
  settle_options(app);
  if (const auto missing = missing_value(app, argc, argv)) return print_error(*missing);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    return kExitDone;
  } catch (const CLI::CallForVersion&) {
    std::printf("%s\n", app.version().c_str());
    return kExitDone;
  } catch (const CLI::ParseError& problem) {
    // A word too many is often why another is missed.
    return print_error(app.remaining(true).empty() ? usage_error(problem) : unexpected_words(app));
  }
  if (const auto fine = check_files(app); !fine.ok()) return print_error(fine.error());
  if (top.man) {
    std::printf("%s", man_page(app).c_str());
    return kExitDone;
  }
  if (app.get_subcommands().empty()) {
    if (const auto problem = check_file(app, top.file)) return print_error(*problem);
    return window_options(top);
  }
  const Interrupt interrupt;
  const Command& command = commands.at(app.get_subcommands().front()->get_name());
  const Result<bool> leads = join_ranks(app, interrupt.token());
  const Result<int> code = !leads.ok() ? Result<int>(leads.error())
                           : *leads    ? run_command(command, interrupt.token())
                                       : Result<int>(kExitDone);
  if (code.ok() && *code != kExitCancelled) return leave_ranks(*code);
  const int status =
      print_error(code.ok() ? cancelled() : code.error());  // one that shows what it has is one too
  const bool terminated = status == kExitCancelled && interrupt.signal() == SIGTERM;
  return leave_ranks(terminated ? kExitTerminated : status);
}

// Not even enough to put it into words.
static void say_out_of_memory() {
  static constexpr char kLine[] = "error: out of memory\n";
  const ssize_t written = write(STDERR_FILENO, kLine, sizeof kLine - 1);
  static_cast<void>(written);
}

static std::terminate_handler usual_end = nullptr;

// Where memory ends in a destructor (JSON's takes some), nobody can catch it: the process ends as one that is
// killed would, workspaces whole, but says why.
[[noreturn]] static void end_without_memory() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    remove_unfinished_files();
    _exit(kExitRequest);
  } catch (...) {
  }
  if (usual_end != nullptr) usual_end();
  std::abort();
}

std::variant<int, WindowOptions> run_cli(int argc, char** argv) {
  usual_end = std::set_terminate(end_without_memory);
  try {
    return run_words(argc, argv);
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    return kExitRequest;
  } catch (...) {
    return print_error(refused_by_machine(""));
  }
}

}  // namespace shardscope
