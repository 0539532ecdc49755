// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace shardscope::inline window {

// How the window opens. `preset` or `file` (an experiment .toml, a workspace .shardscope, a module .hlo, a
// lesson .lesson.toml) may be given; neither opens the default preset.
struct WindowOptions {
  std::optional<std::string> preset;
  std::optional<std::string> file;
  std::string view;  // with screenshot: one of window_views() alone, enlarged; empty: the whole window
  std::optional<std::string> screenshot;  // run the experiment, draw the window, save it as PNG, close
  std::optional<double> scale;            // 1 to 3; unset: as the user left it
  std::optional<bool> dark;               // unset: as the user left it
  bool tour = false;                      // shown once, to who has not seen it
  std::optional<std::string> language;    // an id of languages(); unset: as the user left it
};

std::vector<std::string> window_views();  // the ids of its docks

// Opens the main window and returns the process's exit code when it closes. Makes the QApplication.
int run_window(int argc, char** argv, const WindowOptions& options);

}  // namespace shardscope::inline window
