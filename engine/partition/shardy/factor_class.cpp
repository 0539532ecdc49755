// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/op_table.h"

namespace shardscope {

FactorClass factor_class(const Instruction& i) {
  if (operation(i.opcode).kind == OpClass::elementwise) return FactorClass::arrays;
  switch (i.opcode) {
    case Opcode::copy:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::bitcast_convert:
    case Opcode::transpose:
      return FactorClass::arrays;
    case Opcode::custom_call:
      return custom_call_target(i) == kPropagationBarrier || i.shape.is_tuple ? FactorClass::other
                                                                              : FactorClass::arrays;
    case Opcode::dynamic_slice:
    case Opcode::dynamic_update_slice:
      return FactorClass::slices;
    case Opcode::broadcast:
      return FactorClass::broadcast;
    default:
      return FactorClass::other;
  }
}

}  // namespace shardscope
