// SPDX-License-Identifier: Apache-2.0
// What one instruction takes on one device: a rule for each cost class of the table of operations, of fusions
// and custom-calls local_cost. Collectives are timed by their transfers, calls and loops written out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/request/module_timing.h"
#include "engine/run/local_cost.h"

namespace shardscope::inline run {

struct CostCase {
  const Program& program;  // what fusions call is in it
  const Computation& computation;
  const Instruction& instruction;
  const Hardware& hardware;
  const ModuleTiming& timing;  // what custom-calls take, as somebody said
  bool accumulates = false;    // a product that also does the add of its only reader
  bool by_product = false;     // the kernel of the product before does it
};

// By instruction of the computation, for CostCase: as what `timing` names compiles, else the chip's compiler.
std::vector<bool> done_by_products(const Program& program, const Computation& computation,
                                   const Hardware& hardware, const ModuleTiming& timing);

// Its parts beside `cost` are said of fusions and custom-calls alone. Errors: unpublished numbers that it
// needs, an operation that has no rule. Free operations cost nothing.
Result<LocalCost> instruction_cost(const CostCase& c);

// Why an operation cannot be timed; empty: it can.
std::string time_hole(Opcode opcode);

}  // namespace shardscope::inline run
