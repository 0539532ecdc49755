// SPDX-License-Identifier: Apache-2.0
// Which arguments' memory a module's results may take: input_output_alias and buffer_donor; which operands'
// an instruction's results take.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/memory/tuple_buffers.h"

namespace shardscope::inline program {

struct DonatedLeaf {
  int64_t parameter = 0;
  LeafPath path;
  bool whole = false;  // any result may take it; else `result`
  LeafPath result;
};

std::vector<DonatedLeaf> donated_leaves(const Program& program);

// The same of one instruction: which operands' memory its results take (output_to_operand_aliasing). Its
// `parameter` is the operand's number.
std::vector<DonatedLeaf> aliased_operands(const Instruction& instruction);

}  // namespace shardscope::inline program
