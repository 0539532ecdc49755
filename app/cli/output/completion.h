// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardscope::inline cli {

// What a shell sources to complete our command line, from the same commands and options that --help prints.
// Words of an option are those that it takes: of its check, of its row in the table of fields, of the
// registry it names (presets, strategies, chips, lessons, kernels, views); else files, or nothing for a
// number.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace shardscope::inline cli
