// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/scalar_fusions.h"

#include <algorithm>
#include <set>
#include <string>

#include "engine/program/analysis/analysis.h"

namespace shardscope::inline program {
namespace {

// A fusion of at most a few operations whose every value is one number.
bool is_of_scalars(const Program& program, const Instruction& i) {
  const Computation* inner = fused_computation(program, i);
  return inner != nullptr && !i.shape.is_tuple && i.shape.rank() == 0 &&
         std::ranges::all_of(inner->instructions, [](const Instruction& one) {
           return !one.shape.is_tuple && one.shape.rank() == 0 && is_free(one);
         });
}

class Inliner {
 public:
  Inliner(const Program& program, const Computation& from) : program_(program), from_(from) {
    for (const Instruction& i : from.instructions) names_.insert(i.name);
  }

  Computation inlined() {
    out_ = from_;
    out_.instructions.clear();
    std::vector<InstructionId> to;
    for (const Instruction& i : from_.instructions) {
      Instruction moved = i;
      for (InstructionId& operand : moved.operands) operand = to[static_cast<size_t>(operand.value)];
      if (!moved.control_predecessors.empty()) {
        auto& predecessors = moved.control_predecessors.edit();
        for (InstructionId& earlier : predecessors) earlier = to[static_cast<size_t>(earlier.value)];
        std::ranges::sort(predecessors);
      }
      to.push_back(is_of_scalars(program_, i) ? body(moved) : add(std::move(moved)));
    }
    out_.root = to[static_cast<size_t>(from_.root.value)];
    return std::move(out_);
  }

 private:
  InstructionId add(Instruction i) {
    out_.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out_.instructions.size()) - 1);
  }

  InstructionId body(const Instruction& fusion) {
    const Computation& inner = *fused_computation(program_, fusion);
    std::vector<InstructionId> to;
    for (const Instruction& i : inner.instructions) {
      if (i.parameter_number >= 0) {
        to.push_back(fusion.operands[static_cast<size_t>(i.parameter_number)]);
        continue;
      }
      Instruction moved = i;
      while (!names_.insert(moved.name).second) moved.name += "." + fusion.name;
      for (InstructionId& operand : moved.operands) operand = to[static_cast<size_t>(operand.value)];
      to.push_back(add(std::move(moved)));
    }
    return to[static_cast<size_t>(inner.root.value)];
  }

  const Program& program_;
  const Computation& from_;
  Computation out_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<bool> fusions_to_keep(const Program& program) {
  std::vector<bool> out;
  for (const Computation& c : program.computations) {
    out.push_back(std::ranges::all_of(c.instructions, [&](const Instruction& i) {
      if (i.opcode == Opcode::fusion && !i.called.empty())
        return bool(out[static_cast<size_t>(i.called.front().computation.value)]);
      const CostClass cost = operation(i.opcode).cost;
      return cost != CostClass::link && cost != CostClass::called && cost != CostClass::unknown;
    }));
  }
  return out;
}

Computation without_scalar_fusions(const Program& program, const Computation& computation) {
  const bool any = std::ranges::any_of(computation.instructions,
                                       [&](const Instruction& i) { return is_of_scalars(program, i); });
  return any ? Inliner(program, computation).inlined() : computation;
}

}  // namespace shardscope::inline program
