// SPDX-License-Identifier: Apache-2.0
// What a program says that is built without the window.
#include <cstdio>

#include "app/cli/output/findings.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/terminal.h"
#include "app/window/docks/dock_names.h"
#include "app/window/shell/run_window.h"

namespace shardscope::inline cli {
namespace {

constexpr const char* kAdvice =
    "commands, reports and SVG pictures work without; the package shardscope has it";

Error no_window() {
  return invalid("this program is built without the window", "", kAdvice);
}

}  // namespace

void start_offscreen_gui() {}

std::vector<Finding> outside_findings(const std::string&, const std::stop_token&) {
  Finding out{"display", "Display", Health::lacking, no_window().what, kAdvice};
  out.values = {{"display", ""}, {"wayland", ""}, {"platform", ""}, {"canvas", nullptr}};
  return {out};
}

int probe_window() {
  return run_window(0, nullptr, {});
}

std::vector<std::string> window_views() {
  return dock_ids();
}

int run_window(int, char**, const WindowOptions&) {
  std::fputs(marked_line("error", no_window().text()).c_str(), stderr);
  return exit_code(no_window());
}

}  // namespace shardscope::inline cli
