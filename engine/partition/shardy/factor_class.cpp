// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

const OpTable<FactorClass>& factor_classes() {
  static const OpTable<FactorClass> table({{OpClass::elementwise, FactorClass::arrays}},
                                          {{Opcode::copy, FactorClass::arrays},
                                           {Opcode::reshape, FactorClass::arrays},
                                           {Opcode::bitcast, FactorClass::arrays},
                                           {Opcode::bitcast_convert, FactorClass::arrays},
                                           {Opcode::transpose, FactorClass::arrays},
                                           {Opcode::custom_call, FactorClass::arrays},
                                           {Opcode::dynamic_slice, FactorClass::slices},
                                           {Opcode::dynamic_update_slice, FactorClass::slices},
                                           {Opcode::broadcast, FactorClass::broadcast}});
  return table;
}

}  // namespace

FactorClass factor_class(const Instruction& i) {
  if (i.opcode == Opcode::custom_call && (custom_call_target(i) == kPropagationBarrier || i.shape.is_tuple))
    return FactorClass::other;
  return factor_classes()[i.opcode];
}

}  // namespace shardscope::inline partitioner
