// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/widened.h"

#include <utility>

#include "engine/backend/functions.h"

namespace shardscope::inline backend {
void widen_functions(Computation& computation, FreshNames& fresh) {
  const Computation before = std::move(computation);
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    const Instruction& i = before.instructions[k];
    if (!function_of(i.opcode).wide_alone || i.shape.type != ElementType::bf16 ||
        !i.control_predecessors.empty()) {
      rewrite.copy(k);
      continue;
    }
    Instruction wide = i;
    wide.name = fresh(i.name);
    wide.sharding = {};
    wide.provenance.edit().source = source_name(i);
    wide.shape.type = ElementType::f32;
    for (InstructionId& operand : wide.operands) {
      Shape shape = before.at(operand).shape;
      shape.type = ElementType::f32;
      operand = rewrite.add(
          made_instruction(fresh("convert"), Opcode::convert, std::move(shape), {rewrite.at(operand)}));
    }
    Instruction rounded = made_instruction(i.name, Opcode::convert, i.shape, {rewrite.add(std::move(wide))});
    rounded.provenance = i.provenance;
    rounded.sharding = i.sharding;
    rewrite.stand_for(k, rewrite.add(std::move(rounded)));
  }
  computation = std::move(rewrite).finish();
}

}  // namespace shardscope::inline backend
