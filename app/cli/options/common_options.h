// SPDX-License-Identifier: Apache-2.0
// The options of every command.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardscope::inline cli {

inline constexpr const char* kQuietHelp = "Neither progress nor notes on stderr";

struct CommonOptions {
  bool json = false;  // of a command that has no answer of its own in JSON
  bool quiet = false;
};
// --json and --quiet for every command that does not have them. `common` outlives the parser.
void add_common_options(CLI::App& app, CommonOptions& common);
// --threads of a command that does not have the fields of a run; 0: all.
void add_threads(CLI::App& command, int& threads);
// The command that is called, of commands of commands the last.
const CLI::App& called_command(const CLI::App& app);
std::string called_name(const CLI::App& app);  // "shardscope hlo run"
// Whether it was given this flag.
bool asks_for(const CLI::App& app, const char* flag);

}  // namespace shardscope::inline cli
