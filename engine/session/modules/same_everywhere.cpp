// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/program/analysis/async_pairs.h"
#include "engine/session/hlo_explain.h"

namespace shardscope::inline session {

// "reduce-scatter-start" has no opcode of its own.
bool is_communication(const Instruction& i) {
  return is_known(collective_opcode(i));
}

std::set<std::string> same_everywhere(const Program& program) {
  const Computation& entry = program.entry_computation();
  const size_t devices = static_cast<size_t>(program.mesh.device_count());
  std::vector<bool> same;
  for (const Instruction& i : entry.instructions) {
    const bool replicated = i.sharding && i.sharding->kind == HloSharding::Kind::replicated;
    bool one = std::ranges::all_of(
        i.operands, [&](InstructionId operand) { return same[static_cast<size_t>(operand.value)]; });
    if (i.opcode == Opcode::parameter) one = replicated;
    if (has(i.opcode, Trait::device_number)) one = false;
    if (has(i.opcode, Trait::same_result)) {
      const auto groups = device_groups(program, i);
      one = one || (groups.size() == 1 && groups.front().size() == devices);
    } else if (is_communication(i) || !i.called.empty()) {
      one = false;
    }
    same.push_back(one);
  }
  std::set<std::string> out;
  for (size_t k = 0; k < same.size(); ++k)
    if (same[k]) out.insert(entry.instructions[k].name);
  return out;
}

}  // namespace shardscope::inline session
