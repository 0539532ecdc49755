// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// Which of the entry's arrays at its ends propagation may split where nothing is said of them: parameters by
// number, results by their place in the tuple. One value holds for all of them.
struct OpenEnds {
  std::vector<bool> parameters{true};
  std::vector<bool> results{false};

  // Whether a leaf of an instruction is such an array and stays whole.
  bool keeps(const Program& module, ComputationId computation, InstructionId instruction, size_t leaf) const;
};

// "{true,false}", "true", or nothing behind the key of a module's header: what it allows, one by one.
std::vector<bool> allowed_one_by_one(std::string_view text);

}  // namespace shardscope::inline partitioner
