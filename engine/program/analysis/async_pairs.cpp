// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/async_pairs.h"

#include <string_view>

namespace shardscope::inline program {
namespace {

constexpr std::string_view kStart = "-start";

struct Start {
  Opcode start, plain;
};
constexpr Start kStarts[] = {{Opcode::all_gather_start, Opcode::all_gather},
                             {Opcode::all_reduce_start, Opcode::all_reduce},
                             {Opcode::collective_permute_start, Opcode::collective_permute},
                             {Opcode::copy_start, Opcode::copy},
                             {Opcode::async_start, Opcode::call}};

}  // namespace

Opcode started_opcode(const Instruction& instruction) {
  for (const Start& s : kStarts)
    if (s.start == instruction.opcode) return s.plain;
  const std::string_view name = instruction.opcode_name;
  // Where there is an opcode and it was not taken, nobody knows what is meant.
  if (is_known(instruction.opcode) || !name.ends_with(kStart) || is_known(parse_opcode(name)))
    return Opcode::unknown;
  return parse_opcode(name.substr(0, name.size() - kStart.size()));
}

bool is_start(const Instruction& instruction) {
  return is_known(started_opcode(instruction));
}

bool ends_start(const Instruction& instruction) {
  if (is_known(instruction.opcode)) return has(instruction.opcode, Trait::ends);
  const std::string_view name = instruction.opcode_name;
  return name.ends_with("-done") || name.ends_with("-update");
}

const Shape& started_result(Opcode plain, const Shape& start, size_t operands) {
  if (!start.is_tuple || start.elements.empty()) return start;
  if (plain == Opcode::copy) return start.elements[0];
  const bool of_the_results_alone =
      plain == Opcode::all_reduce && operands > 1 && !start.elements[0].is_tuple;
  return start.elements.size() < 2 || of_the_results_alone ? start : start.elements[1];
}

Opcode collective_opcode(const Instruction& instruction) {
  const Opcode opcode = is_start(instruction) ? started_opcode(instruction) : instruction.opcode;
  return is_collective(opcode) ? opcode : Opcode::unknown;
}

Instruction plain_collective(const Instruction& instruction) {
  Instruction out = instruction;
  if (!is_start(instruction)) return out;
  out.opcode = started_opcode(instruction);
  out.opcode_name = {};
  out.shape = Shape(started_result(out.opcode, instruction.shape, instruction.operands.size()));
  return out;
}

}  // namespace shardscope::inline program
