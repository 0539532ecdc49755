// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/activity.h"

#include <algorithm>

#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline grad {
namespace {

bool has_derivative(ElementType type) {
  return is_floating(type) || is_complex(type);
}

LeafFlags joined(LeafFlags a, const LeafFlags& b) {
  for (size_t k = 0; k < a.size() && k < b.size(); ++k) a[k] = a[k] || b[k];
  return a;
}

LeafFlags both(LeafFlags a, const LeafFlags& b) {
  for (size_t k = 0; k < a.size(); ++k) a[k] = a[k] && b[k];
  return a;
}

LeafFlags varied_state(const Program& program, const Instruction& loop, LeafFlags state) {
  const Computation& body = called_by(program, loop, "body");
  for (;;) {
    const LeafFlags after = varied_arrays(program, body, {state})[static_cast<size_t>(body.root.value)];
    LeafFlags both_of = joined(state, after);
    if (both_of == state) return state;
    state = std::move(both_of);
  }
}

LeafFlags useful_parameter(const Program& program, const Computation& computation, const LeafFlags& wanted) {
  const auto useful = useful_arrays(program, computation, computation.root, wanted);
  const auto given = parameter_ids(computation);
  return given.empty() ? LeafFlags() : useful[static_cast<size_t>(given.front().value)];
}

LeafFlags useful_state(const Program& program, const Instruction& loop, LeafFlags state) {
  const Computation& body = called_by(program, loop, "body");
  for (;;) {
    LeafFlags both_of = joined(state, useful_parameter(program, body, state));
    if (both_of == state) return state;
    state = std::move(both_of);
  }
}

class Varied {
 public:
  Varied(const Program& program, const Computation& c, const std::vector<LeafFlags>& given)
      : program_(program), c_(c), given_(given) {}

  std::vector<LeafFlags> all() {
    for (const Instruction& i : c_.instructions) {
      LeafFlags flags = of(i);
      const std::vector<Shape> leaves = leaves_of(i.shape);
      for (size_t k = 0; k < flags.size(); ++k) flags[k] = flags[k] && has_derivative(leaves[k].type);
      out_.push_back(std::move(flags));
    }
    return std::move(out_);
  }

 private:
  const LeafFlags& operand(const Instruction& i, size_t k) const {
    return out_[static_cast<size_t>(i.operands[k].value)];
  }

  LeafFlags of(const Instruction& i) const {
    const size_t leaves = leaf_count(i.shape);
    switch (i.opcode) {
      case Opcode::parameter: {
        LeafFlags flags = given_[static_cast<size_t>(i.parameter_number)];
        flags.resize(leaves);
        return flags;
      }
      case Opcode::tuple: {
        LeafFlags flags;
        for (size_t k = 0; k < i.operands.size(); ++k)
          flags.insert(flags.end(), operand(i, k).begin(), operand(i, k).end());
        return flags;
      }
      case Opcode::get_tuple_element: {
        const auto first =
            operand(i, 0).begin() + static_cast<std::ptrdiff_t>(first_leaf(
                                        c_.at(i.operands[0]).shape, static_cast<size_t>(i.tuple_index)));
        return LeafFlags(first, first + static_cast<std::ptrdiff_t>(leaves));
      }
      case Opcode::while_:
        return varied_state(program_, i, operand(i, 0));
      case Opcode::conditional:
        return branches(i);
      default:
        if (has(i.opcode, Trait::forwards) && i.operands.size() == 1) return operand(i, 0);
        return LeafFlags(leaves, std::ranges::any_of(i.operands, [this](InstructionId id) {
                           return any(out_[static_cast<size_t>(id.value)]);
                         }));
    }
  }

  LeafFlags branches(const Instruction& i) const {
    LeafFlags flags(leaf_count(i.shape));
    for (size_t b = 0; b < i.called->size(); ++b) {
      const Computation& branch = program_.computation((*i.called)[b].computation);
      flags = joined(flags, varied_arrays(program_, branch,
                                          {operand(i, b + 1)})[static_cast<size_t>(branch.root.value)]);
    }
    return flags;
  }

  const Program& program_;
  const Computation& c_;
  const std::vector<LeafFlags>& given_;
  std::vector<LeafFlags> out_;
};

class Useful {
 public:
  Useful(const Program& program, const Computation& c) : program_(program), c_(c) {
    for (const Instruction& i : c.instructions) out_.emplace_back(leaf_count(i.shape));
  }

  std::vector<LeafFlags> all(InstructionId of, const LeafFlags& wanted) {
    out_[static_cast<size_t>(of.value)] = wanted;
    for (size_t k = static_cast<size_t>(of.value) + 1; k-- > 0;)
      if (any(out_[k])) spread(c_.instructions[k], out_[k]);
    return std::move(out_);
  }

 private:
  void want(InstructionId id, size_t leaf, bool wanted) {
    if (wanted) out_[static_cast<size_t>(id.value)][leaf] = true;
  }
  void want_all(InstructionId id, const LeafFlags& flags, size_t from = 0) {
    for (size_t k = 0; k < out_[static_cast<size_t>(id.value)].size() && from + k < flags.size(); ++k)
      want(id, k, flags[from + k]);
  }

  using Spread = void (Useful::*)(const Instruction&, const LeafFlags&);
  void spread(const Instruction& i, const LeafFlags& flags) {
    static const OpTable<Spread> rules({}, {{Opcode::tuple, &Useful::to_elements},
                                            {Opcode::get_tuple_element, &Useful::to_tuple},
                                            {Opcode::while_, &Useful::to_state},
                                            {Opcode::conditional, &Useful::to_branches}});
    if (const Spread rule = rules[i.opcode])
      (this->*rule)(i, flags);
    else if (has(i.opcode, Trait::forwards) && i.operands.size() == 1)
      want_all(i.operands[0], flags);
    else
      to_operands(i);
  }
  void to_elements(const Instruction& tuple, const LeafFlags& flags) {
    size_t from = 0;
    for (const InstructionId id : tuple.operands) {
      want_all(id, flags, from);
      from += out_[static_cast<size_t>(id.value)].size();
    }
  }
  void to_tuple(const Instruction& element, const LeafFlags& flags) {
    const InstructionId tuple = element.operands[0];
    const size_t first = first_leaf(c_.at(tuple).shape, static_cast<size_t>(element.tuple_index));
    for (size_t k = 0; k < flags.size(); ++k) want(tuple, first + k, flags[k]);
  }
  void to_state(const Instruction& loop, const LeafFlags& flags) {
    want_all(loop.operands[0], useful_state(program_, loop, flags));
  }
  void to_branches(const Instruction& i, const LeafFlags& flags) {
    for (size_t b = 0; b < i.called->size(); ++b)
      want_all(i.operands[b + 1],
               useful_parameter(program_, program_.computation((*i.called)[b].computation), flags));
  }
  void to_operands(const Instruction& i) {
    for (const InstructionId id : i.operands)
      want_all(id, LeafFlags(out_[static_cast<size_t>(id.value)].size(), true));
  }

  const Program& program_;
  const Computation& c_;
  std::vector<LeafFlags> out_;
};

}  // namespace

bool any(const LeafFlags& flags) {
  return std::ranges::find(flags, true) != flags.end();
}

size_t first_leaf(const Shape& tuple, size_t element) {
  size_t out = 0;
  for (size_t k = 0; k < element; ++k) out += leaf_count(tuple.elements[k]);
  return out;
}

const Computation& called_by(const Program& program, const Instruction& i, std::string_view key) {
  for (const CalledComputation& c : *i.called)
    if (std::string_view(c.key) == key) return program.computation(c.computation);
  CHECK(false, i.name);
  return program.entry_computation();
}

std::vector<LeafFlags> varied_arrays(const Program& program, const Computation& computation,
                                     const std::vector<LeafFlags>& given) {
  return Varied(program, computation, given).all();
}

std::vector<LeafFlags> useful_arrays(const Program& program, const Computation& computation, InstructionId of,
                                     const LeafFlags& wanted) {
  return Useful(program, computation).all(of, wanted);
}

std::vector<LeafFlags> active_arrays(const Program& program, const Computation& computation,
                                     const std::vector<LeafFlags>& given, InstructionId of,
                                     const LeafFlags& wanted) {
  std::vector<LeafFlags> out = varied_arrays(program, computation, given);
  const std::vector<LeafFlags> useful = useful_arrays(program, computation, of, wanted);
  for (size_t k = 0; k < out.size(); ++k) out[k] = both(out[k], useful[k]);
  return out;
}

LeafFlags active_state(const Program& program, const Instruction& loop, const LeafFlags& given,
                       const LeafFlags& wanted) {
  return both(varied_state(program, loop, given), useful_state(program, loop, wanted));
}

}  // namespace shardscope::inline grad
