// SPDX-License-Identifier: Apache-2.0
// What Shardscope does with each operation of HLO, asked of the tables of rules themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/program/ir/opcode.h"

namespace shardscope::inline session {

// Why a part of the program does not do an operation; empty: it does.
struct Support {
  const char* part;  // "parse", "verify", "run", "time", "partition", "propagate", "trace", "gradient"
  std::string hole;
};
struct OperationSupport {
  Opcode opcode;
  std::vector<Support> parts;  // the same ones for all, in the order above
};
std::vector<OperationSupport> operation_support();

}  // namespace shardscope::inline session
