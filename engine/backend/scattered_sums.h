// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

// An instruction of the new program and one of the old that it is there for, by name.
using PassLinks = std::vector<std::pair<std::string, std::string>>;

// An all-reduce whose one reader is a dynamic-slice by which each device of a group keeps another part
// becomes a reduce-scatter. Names of what was made, with what it stands for.
PassLinks scatter_sums(const Program& program, Computation& computation);

}  // namespace shardscope
