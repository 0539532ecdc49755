// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/grouped_products.h"

#include <algorithm>
#include <utility>

#include "engine/program/analysis/analysis.h"
#include "engine/program/build/grouped_rows.h"

namespace shardscope::inline backend {
namespace {

class Expansion {
 public:
  Expansion(const Computation& from, FreshNames& fresh) : from_(from), rewrite_(from), fresh_(fresh) {}

  Computation run() {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      is_grouped_product(from_.instructions[k]) ? write(k) : void(rewrite_.copy(k));
    }
    return std::move(rewrite_).finish();
  }

 private:
  InstructionId add(const Instruction& like, Instruction made) {
    made.name = fresh_(like.name + ".group");
    made.provenance = like.provenance;
    made.provenance.edit().source = source_name(like);
    return rewrite_.add(std::move(made));
  }

  void write(size_t k) {
    const Instruction& i = from_.instructions[k];
    const Shape &lhs = from_.at(i.operands[0]).shape, &rhs = from_.at(i.operands[1]).shape;
    const InstructionId own =
        rows_of_each_group([&](Instruction made) { return add(i, std::move(made)); },
                           rewrite_.at(i.operands[0]), lhs, rewrite_.at(i.operands[2]), rhs.dims[0]);
    Instruction dot = made_instruction("", Opcode::dot, i.shape, {own, rewrite_.at(i.operands[1])});
    dot.dot = over_groups();
    dot.verbatim = i.verbatim;
    rewrite_.stand_for(k, add(i, std::move(dot)));
  }

  const Computation& from_;
  ComputationRewrite rewrite_;
  FreshNames& fresh_;
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
