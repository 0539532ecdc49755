// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

#include "app/cli/options/backend_option.h"
#include "app/cli/options/interrupt.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/man_page.h"
#include "app/cli/output/output.h"
#include "app/cli/output/terminal.h"
#include "app/cli/parser.h"
#include "engine/base/file/write_file.h"
#include "engine/base/machine/memory_door.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

int print_error(const Error& error) {
  if (is_quiet_rank()) return exit_code(error);
  std::fputs(marked_line("error", error.text()).c_str(), stderr);
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

}  // namespace

static std::variant<int, WindowOptions> run_words(int argc, char** argv) {
  Parser parser(answer_words);
  CLI::App& app = parser.app;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is told to whoever writes
  std::signal(SIGXFSZ, SIG_IGN);  // and so is the end of what a file may hold
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
    return print_error(app.remaining(true).empty() ? usage_error(problem, app) : unexpected_words(app));
  }
  if (const auto fine = check_files(app); !fine.ok()) return print_error(fine.error());
  if (parser.top.man) {
    std::printf("%s", man_page(app).c_str());
    return kExitDone;
  }
  if (app.get_subcommands().empty()) {
    if (const auto problem = check_file(app, parser.top.file)) return print_error(*problem);
    return window_options(parser.top);
  }
  const Interrupt interrupt;
  set_quiet(asks_for(app, "--quiet"));
  set_screen(asks_for(app, "--json") ? 0 : terminal_columns(STDOUT_FILENO));
  const Result<bool> leads = join_ranks(app, interrupt.token());
  const Result<int> code = !leads.ok() ? Result<int>(leads.error())
                           : *leads    ? run_read_command(parser, interrupt.token())
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

}  // namespace shardscope::inline cli
