// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/value_place.h"

#include "engine/program/analysis/async_pairs.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {

ValuePlace value_place(const Instruction& instruction) {
  static const OpTable<ValuePlace> places(
      {}, {{Opcode::tuple, {Lies::table}},
           {Opcode::get_tuple_element, {Lies::element}},
           {Opcode::constant, {Lies::constant}},
           {Opcode::after_all, {Lies::constant}},
           {Opcode::bitcast, {Lies::operand}},
           {Opcode::reshape, {Lies::reshaped}},
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
           {Opcode::all_reduce_start, {Lies::started, 0, true}},
           {Opcode::all_reduce_done, {Lies::ended, 1, true}},
           {Opcode::collective_permute_start, {Lies::started, 0, false, false}},
           {Opcode::collective_permute_done, {Lies::ended, 1}},
           {Opcode::copy_start, {Lies::started, 1}},
           {Opcode::copy_done, {Lies::ended, 0}},
           {Opcode::async_start, {Lies::started, 0}},
           {Opcode::async_update, {Lies::operand}},
           {Opcode::async_done, {Lies::ended, 1}}});
  if (is_known(instruction.opcode)) return places[instruction.opcode];
  if (instruction.opcode_name->ends_with("-update")) return places[Opcode::async_update];
  return places[is_start(instruction)     ? Opcode::async_start
                : ends_start(instruction) ? Opcode::async_done
                                          : Opcode::unknown];
}

}  // namespace shardscope::inline program
