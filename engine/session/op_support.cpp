// SPDX-License-Identifier: Apache-2.0
#include "engine/session/op_support.h"

#include "engine/grad/turn.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/rules/rules.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/rules/rules.h"
#include "engine/program/rules/verify_hole.h"
#include "engine/run/instruction_cost.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline session {
namespace {

std::string parse_hole(Opcode opcode) {
  return parse_opcode(opcode_text(opcode)) == opcode ? "" : "no text of its own";
}

// Modules are timed in the plain form that runs them.
std::string time_hole_of_modules(Opcode opcode) {
  return is_rewritten(opcode) ? "" : time_hole(opcode);
}

// Calls and fusions are written out first.
std::string gradient_hole(Opcode opcode) {
  return has(opcode, Trait::inlined) ? "" : grad_hole(opcode);
}

struct Part {
  const char* name;
  std::string (*hole)(Opcode);
};
constexpr Part kParts[] = {
    {"parse", &parse_hole},          {"verify", &verify_hole},       {"run", &run_hole},
    {"time", &time_hole_of_modules}, {"partition", &partition_hole}, {"propagate", &propagate_hole},
    {"trace", &trace_hole},          {"gradient", &gradient_hole},
};

}  // namespace

std::vector<OperationSupport> operation_support() {
  std::vector<OperationSupport> out;
  for (const Operation& o : operations()) {
    if (!is_known(o.opcode)) continue;
    OperationSupport& row = out.emplace_back(OperationSupport{o.opcode, {}});
    for (const Part& part : kParts) row.parts.push_back({part.name, part.hole(o.opcode)});
  }
  return out;
}

}  // namespace shardscope::inline session
