// SPDX-License-Identifier: Apache-2.0
// What `doctor` finds of the machine: one value that its text and its JSON print.
#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

namespace shardscope::inline cli {

enum class Health : uint8_t {
  fine,
  lacking,  // something works less well, or not at all, as `advice` says
  broken,   // nothing can be recorded or drawn
};
std::string_view name(Health health);

struct Finding {
  std::string id;  // "memory"
  std::string title;
  Health health = Health::fine;
  std::string found{};                                               // a sentence, or a list
  std::string advice{};                                              // empty: nothing to do
  nlohmann::ordered_json values = nlohmann::ordered_json::object();  // the same as numbers and words
};

std::vector<Finding> machine_findings();  // system, processor, threads, memory, SQLite, folders
// Display and OpenGL, fonts, MPI. Starts `program` with --probe-window for what only a window's process can
// find out, as that may crash.
std::vector<Finding> outside_findings(const std::string& program, const std::stop_token& stop);

// In such a process: a line of what canvases draw with. Never returns without a display.
int probe_window();

}  // namespace shardscope::inline cli
