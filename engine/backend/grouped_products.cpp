// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/grouped_products.h"

#include <algorithm>
#include <utility>

#include "engine/program/analysis/analysis.h"
#include "engine/program/build/grouped_rows.h"

namespace shardscope::inline backend {
namespace {

class Expansion : ComputationPass {
 public:
  Expansion(const Computation& from, FreshNames& fresh) : ComputationPass(from, fresh, ".group") {}

  Computation run() {
    return written([&](size_t k) {
      const bool grouped = is_grouped_product(*like_);
      if (grouped) write(k);
      return grouped;
    });
  }

 private:
  void write(size_t k) {
    const Instruction& i = *like_;
    const Shape &lhs = from_.at(i.operands[0]).shape, &rhs = from_.at(i.operands[1]).shape;
    const InstructionId own =
        rows_of_each_group([&](Instruction made) { return add(std::move(made)); }, rewrite_.at(i.operands[0]),
                           lhs, rewrite_.at(i.operands[2]), rhs.dims[0]);
    Instruction dot = made_instruction("", Opcode::dot, i.shape, {own, rewrite_.at(i.operands[1])});
    dot.dot = over_groups();
    dot.verbatim = i.verbatim;
    rewrite_.stand_for(k, add(std::move(dot)));
  }
};

}  // namespace

Program grouped_products_as_one(Program program) {
  FreshNames fresh(program);
  for (Computation& c : program.computations)
    if (std::ranges::any_of(c.instructions, is_grouped_product)) {
      const Computation before = std::move(c);
      c = Expansion(before, fresh).run();
    }
  return program;
}

}  // namespace shardscope::inline backend
