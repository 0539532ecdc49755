// SPDX-License-Identifier: Apache-2.0
// doctor: what this machine has of what the program uses.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/output/findings.h"
#include "app/cli/output/output.h"
#include "app/report/made_now.h"

namespace shardscope::inline cli {
namespace {

struct DoctorOptions {
  bool json = false;
  bool probe_window = false;
};

std::string doctor_json(const std::string& program, const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& f : findings)
    list.push_back({{"id", f.id},
                    {"health", name(f.health)},
                    {"found", f.found},
                    {"advice", f.advice},
                    {"values", f.values}});
  const nlohmann::ordered_json out = {{"version", built_version()}, {"program", program}, {"findings", list}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string doctor_text(const std::string& program, const std::vector<Finding>& findings) {
  std::string out = fmt::format("  {:<10} shardscope {}, {}\n", "Program", built_version(), program);
  for (const Finding& f : findings) {
    const char mark = f.health == Health::fine ? ' ' : f.health == Health::lacking ? '-' : '!';
    out += fmt::format("{} {:<10} {}\n", mark, f.title, f.found);
    if (!f.advice.empty()) out += fmt::format("  {:<10} → {}\n", "", f.advice);
  }
  return out;
}

std::string own_path() {
  std::error_code problem;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? "shardscope" : path.string();
}

Result<int> run(const DoctorOptions& o, const std::stop_token& stop) {
  if (o.probe_window) return probe_window();
  std::vector<Finding> findings = machine_findings();
  for (Finding& f : outside_findings(own_path(), stop)) findings.push_back(std::move(f));
  if (stop.stop_requested()) return cancelled();
  TRY_VOID(print_text(o.json ? doctor_json(own_path(), findings) : doctor_text(own_path(), findings)));
  for (const Finding& f : findings)
    if (f.health == Health::broken) return kExitFile;
  return kExitDone;
}

}  // namespace

Command add_doctor_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("doctor",
                         "Check this machine: processor, memory and its limits, SQLite, display, OpenGL, "
                         "fonts, MPI; - marks what is missing, ! what is broken (exit 4)");
  auto o = std::make_shared<DoctorOptions>();
  command->add_flag("--json", o->json, "One JSON object on stdout");
  command->add_flag("--probe-window", o->probe_window, "What canvases draw with")->group("");
  return [o](const std::stop_token& stop) { return run(*o, stop); };
}

}  // namespace shardscope::inline cli
