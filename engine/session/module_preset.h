// SPDX-License-Identifier: Apache-2.0
// A module's run as a file of it: which module, the operations that it calls, how it is run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline session {

struct PresetText {
  std::string name, text;  // the file's name, for places of errors
};

// title = "…", module = "two_layers_step", keys of a module's run (steps, annotate, hardware, …) and, for
// each library of operations, [[operation]] with file = "adam" or hlo = "HloModule …". Files are looked for
// beside the preset; a name without a folder and an ending is one that comes with the program.
struct ModulePreset {
  std::string title;
  PresetText module;
  std::vector<PresetText> operations;
  std::map<std::string, std::string, std::less<>> asked;  // fields of Door::kModule by key, as typed
};
bool is_module_preset(std::string_view path);  // by its ending, .toml
Result<ModulePreset> read_module_preset(const std::string& path);

}  // namespace shardscope::inline session
