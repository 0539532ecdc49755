// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/loop_code.h"

#include <algorithm>

#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr int32_t kLoop = -1;  // the loop itself asks for each element once

}  // namespace

LoopCode::LoopCode(const Computation& computation, int32_t result) : computation_(computation) {
  askers_[result] = {kLoop};
  times_[kLoop] = 1;
  add(computation.instructions[static_cast<size_t>(result)], result);
}

void LoopCode::add(const Instruction& member, int32_t place) {
  times_[place] = times(place);
  for (const InstructionId id : member.operands) {
    const Shape& operand = computation_.at(id).shape;
    std::set<int32_t>& askers = askers_[static_cast<int32_t>(id.value)];
    const bool same = member.opcode == Opcode::transpose ||
                      (!operand.is_tuple && !member.shape.is_tuple && operand.dims == member.shape.dims);
    if (same)
      askers.insert(askers_[place].begin(), askers_[place].end());
    else
      askers.insert(place);
  }
}

int64_t LoopCode::times(int32_t place) const {
  const auto askers = askers_.find(place);
  if (askers == askers_.end()) return 0;
  int64_t out = 0;
  for (const int32_t asker : askers->second) {
    const auto of = times_.find(asker);
    if (of != times_.end()) out += of->second;
  }
  return std::min(out, kMostTimes + 1);
}

bool LoopCode::starts_block(const Instruction& i) {
  static const OpTable<bool> kStarts({{OpClass::reduction, true}}, {{Opcode::concatenate, true},
                                                                    {Opcode::dot, true},
                                                                    {Opcode::dynamic_update_slice, true},
                                                                    {Opcode::pad, true},
                                                                    {Opcode::select_and_scatter, false}});
  return kStarts[i.opcode];
}

}  // namespace shardscope::inline backend
