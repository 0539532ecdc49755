// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shardscope::inline cli {

// The man page in roff, from the same commands and options that --help prints.
std::string man_page(const CLI::App& app);

}  // namespace shardscope::inline cli
