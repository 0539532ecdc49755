// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/analysis/readers.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Names that nothing in the program has.
class FreshNames {
 public:
  explicit FreshNames(const Program& program);
  // `base`, or "base.1", "base.2", … where it is taken; it is taken from now on.
  std::string operator()(const std::string& base);

 private:
  std::map<std::string, int> taken_;  // with the last number that was tried behind each
};

// A computation written anew from another one, whose instructions are copied in their order while others come
// between them. Instructions that were not copied and are read must stand for something.
class ComputationRewrite {
 public:
  explicit ComputationRewrite(const Computation& from);

  // The k-th of the old one, reading what its operands became.
  InstructionId copy(size_t k);
  InstructionId copy(size_t k, Instruction as);
  // One of the old computation, reading and waiting for what those became; it is not written yet.
  Instruction reading_new(Instruction old) const;
  // One whose operands are of the new computation.
  InstructionId add(Instruction made);
  // What reads the k-th reads `made`.
  void stand_for(size_t k, InstructionId made) { to_[k] = made; }
  InstructionId at(InstructionId old) const { return to_[static_cast<size_t>(old.value)]; }
  const Instruction& made(InstructionId id) const { return out_.at(id); }
  Instruction& edit(InstructionId id) { return out_.instructions[static_cast<size_t>(id.value)]; }
  Computation finish() &&;  // its root is what the old one's became
  Computation finish(InstructionId root) &&;

 private:
  const Computation& from_;
  Computation out_;
  std::vector<InstructionId> to_;
};

// The same instructions in the order of these places, each once, operands before their readers.
void reorder(Computation& computation, const std::vector<size_t>& order);

// An order for `reorder` in which operands stand before their readers, where some stand behind them (but no
// circle is closed); else as it is.
std::vector<size_t> operands_first(const Computation& computation);

// By place what must be done before it: what it reads, and what it waits for by control.
template <class Visit>
void each_needed(const Instruction& i, Visit&& visit) {
  for (const auto* before : {&i.operands, &*i.control_predecessors})
    for (const InstructionId id : *before) visit(static_cast<size_t>(id.value));
}

// Of each instruction those that read it, or wait for it by control.
inline ReadersOf followers_of(const Computation& computation) {
  return readers_of(computation, Reads::control_too);
}

// By computation whether it runs as a part of the program, not as a reducer or inside of a kernel.
std::vector<bool> executed_computations(const Program& program);

// Pieces that passes write.
Instruction made_instruction(std::string name, Opcode opcode, Shape shape,
                             std::vector<InstructionId> operands);
// As what stands in the place of `like`, whose text it comes from.
Instruction in_place_of(const Instruction& like, std::string name, Instruction made);
Instruction tuple_element(std::string name, const Shape& tuple, InstructionId of, size_t n);
Instruction scalar_constant(std::string name, ElementType type, int64_t value);

// What passes have that write some instructions of one computation in another form and copy the rest.
class ComputationPass {
 protected:
  // What is written in the place of an instruction is called as that one, with `ending` behind it.
  ComputationPass(const Computation& from, FreshNames& fresh, std::string_view ending)
      : from_(from), rewrite_(from), fresh_(fresh), ending_(ending) {}

  // `write` is asked with the place of each, which is then like_; false: it stays as it is.
  template <class Write>
  Computation written(Write&& write) {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      like_ = &from_.instructions[k];
      if (!write(k)) rewrite_.copy(k);
    }
    return std::move(rewrite_).finish();
  }
  InstructionId add(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
    return add(made_instruction("", opcode, std::move(shape), std::move(operands)));
  }
  // Under a name of its own.
  InstructionId add(Instruction made);

  const Computation& from_;
  ComputationRewrite rewrite_;
  FreshNames& fresh_;
  const Instruction* like_ = nullptr;

 private:
  std::string_view ending_;
};

}  // namespace shardscope::inline backend
