// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/value_place.h"

#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {

ValuePlace value_place(const Instruction& i) {
  if (!is_known(i.opcode) && i.shape.is_tuple && i.opcode_name->ends_with("-start"))
    return {Lies::started, 0};
  if (!is_known(i.opcode) && i.opcode_name->ends_with("-done")) return {Lies::ended, 1};
  static const OpTable<ValuePlace> places({{OpClass::collective, {Lies::collected}}},
                                          {{Opcode::tuple, {Lies::table}},
                                           {Opcode::get_tuple_element, {Lies::element}},
                                           {Opcode::constant, {Lies::constant}},
                                           {Opcode::after_all, {Lies::constant}},
                                           {Opcode::bitcast, {Lies::operand}},
                                           {Opcode::reshape, {Lies::operand}},
                                           {Opcode::bitcast_convert, {Lies::operand}},
                                           {Opcode::optimization_barrier, {Lies::operand}},
                                           {Opcode::domain, {Lies::operand}},
                                           {Opcode::add_dependency, {Lies::operand}},
                                           {Opcode::copy, {Lies::copied}},
                                           {Opcode::while_, {Lies::looped}},
                                           {Opcode::conditional, {Lies::branched}},
                                           {Opcode::call, {Lies::called}},
                                           {Opcode::all_gather_start, {Lies::started, 0}},
                                           {Opcode::all_gather_done, {Lies::ended, 1}},
                                           {Opcode::all_reduce_start, {Lies::new_array}},
                                           {Opcode::all_reduce_done, {Lies::operand}},
                                           {Opcode::collective_permute_start, {Lies::started, 0}},
                                           {Opcode::collective_permute_done, {Lies::ended, 1}},
                                           {Opcode::copy_start, {Lies::started, 1}},
                                           {Opcode::copy_done, {Lies::ended, 0}},
                                           {Opcode::async_start, {Lies::started, 0}},
                                           {Opcode::async_update, {Lies::operand}},
                                           {Opcode::async_done, {Lies::ended, 1}}});
  return places[i.opcode];
}

}  // namespace shardscope::inline program
