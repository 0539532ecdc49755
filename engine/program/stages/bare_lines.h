// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// A program's instructions apart from names, metadata and layouts that are the default, by their numbers.
struct BareLines {
  // What an instruction says: operation, shapes, attributes. What it calls stands for what that does.
  std::vector<std::string> text;
  // Of that and of all that it is computed from: alike in two programs that differ in numbering and order
  // alone.
  std::vector<uint64_t> meaning;
};
// Error: cancelled.
Result<BareLines> bare_lines(const Program& program, const std::stop_token& stop = {});

}  // namespace shardscope::inline program
