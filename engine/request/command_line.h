// SPDX-License-Identifier: Apache-2.0
// What was asked as a line that a shell reads: pasted, it asks the same.
#pragma once

#include <string>
#include <vector>

#include "engine/request/experiment.h"

namespace shardscope::inline request {

// "shardscope run --strategy wang.os --mesh row=2,col=4 …", without a preset: what is as it is without being
// said is left out.
std::string run_command(const Request& request);
// The same as words behind the program's name.
std::vector<std::string> run_words(const Request& request);

// Each quoted where a shell would read it as something else, with blanks between.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace shardscope::inline request
