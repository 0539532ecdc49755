// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_types.h"

#include <algorithm>
#include <utility>

#include "engine/backend/library_kernels.h"
#include "engine/base/element_type.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr ElementType kWide = ElementType::f32;

bool is_product(const Instruction& i) {
  return operation(i.opcode).kind == OpClass::product;
}

// What only moves elements, or picks them, takes any type but bf16: XLA's float normalization knows of
// nothing that a CPU does with that.
bool moves_elements(const Instruction& i) {
  static const OpTable<bool> kMoves({{OpClass::elementwise, true},
                                     {OpClass::reduction, true},
                                     {OpClass::movement, true},
                                     {OpClass::indexed, true},
                                     {OpClass::collective, true}},
                                    {{Opcode::convert, false},
                                     {Opcode::bitcast, false},
                                     {Opcode::bitcast_convert, false},
                                     {Opcode::copy_start, false},
                                     {Opcode::copy_done, false}});
  return kMoves[i.opcode];
}

bool has_arithmetic(const Instruction& i) {
  static const OpTable<bool> kArithmetic(
      {{OpClass::elementwise, true}, {OpClass::product, true}, {OpClass::reduction, true}},
      {{Opcode::convert, false},
       {Opcode::select, false},
       {Opcode::select_and_scatter, false},
       {Opcode::all_reduce, true}});
  return kArithmetic[i.opcode];
}

bool is_too_narrow(const WidenedTypes& types, const Instruction& i, ElementType type) {
  if (!is_narrow(type)) return false;
  if (type == ElementType::bf16) return types.bf16;
  if (!has_arithmetic(i) || has(i.opcode, Trait::sums)) return false;
  return type == ElementType::f16 ? types.f16 && is_product(i) : types.eight_bits;
}

// Whole numbers that a convolution keeps wider.
bool is_kept_wider(const Instruction& i, ElementType operand) {
  return i.opcode == Opcode::convolution && is_integer(operand) && bits(operand) < bits(i.shape.type);
}

// The library multiplies bf16 into f32 where both sides lie as it reads them.
bool is_narrow_in_library(const Computation& c, const Instruction& i) {
  return is_librarys_product(c, i) && c.at(i.operands[0]).shape.type == ElementType::bf16 &&
         i.dot->rhs_contracting.front() == static_cast<int64_t>(i.dot->rhs_batch.size());
}

class Widening {
 public:
  Widening(const Computation& from, const WidenedTypes& types, FreshNames& fresh)
      : from_(from), types_(types), rewrite_(from), fresh_(fresh), wide_(from.instructions.size()) {}

  Computation run() {
    for (size_t k = 0; k < wide_.size(); ++k) {
      const Instruction& i = from_.instructions[k];
      if (i.opcode == Opcode::convert && !i.shape.is_tuple)
        convert(k);
      else if ((has_arithmetic(i) || moves_elements(i)) && !i.shape.is_tuple &&
               !is_narrow_in_library(from_, i))
        compute(k);
      else
        rewrite_.copy(k);
    }
    return std::move(rewrite_).finish();
  }

 private:
  const Shape& shape(InstructionId id) const { return from_.at(id).shape; }
  InstructionId& wide(InstructionId id) { return wide_[static_cast<size_t>(id.value)]; }

  InstructionId converted(InstructionId operand, InstructionId made, ElementType type) {
    const Instruction& like = from_.at(operand);
    return rewrite_.add(
        in_place_of(like, fresh_(like.name + ".convert"),
                    made_instruction("", Opcode::convert, Shape::array(type, like.shape.dims), {made})));
  }
  InstructionId in_type(InstructionId operand, ElementType type) {
    if (type != kWide) return converted(operand, rewrite_.at(operand), type);
    if (!wide(operand).valid()) wide(operand) = converted(operand, rewrite_.at(operand), type);
    return wide(operand);
  }

  // To bf16 or f16 and back again is left out: XLA allows for more precision.
  void convert(size_t k) {
    const Instruction& i = from_.instructions[k];
    const InstructionId from = i.operands[0];
    if (i.shape.type == kWide && wide(from).valid()) {
      rewrite_.stand_for(k, wide(from));
      return;
    }
    Instruction same = i;
    const bool is_known_wide = wide(from).valid();
    if (!is_known_wide) {
      rewrite_.copy(k);
    } else {
      same.operands = {wide(from)};
      rewrite_.stand_for(k, rewrite_.add(std::move(same)));
    }
    if (i.shape.type != ElementType::bf16 && i.shape.type != ElementType::f16) return;
    if (shape(from).type == kWide) wide_[k] = rewrite_.at(from);
    if (is_known_wide) wide_[k] = wide(from);
  }

  void compute(size_t k) {
    Instruction i = from_.instructions[k];
    std::vector<InstructionId> operands;
    bool changed = false;
    for (const InstructionId operand : i.operands) {
      const Shape& of = shape(operand);
      const bool is_short = !of.is_tuple && is_too_narrow(types_, i, of.type);
      const bool is_kept = !of.is_tuple && types_.whole && is_kept_wider(i, of.type);
      changed = changed || is_short || is_kept;
      operands.push_back(is_short  ? in_type(operand, kWide)
                         : is_kept ? in_type(operand, i.shape.type)
                                   : rewrite_.at(operand));
    }
    const bool is_short = is_too_narrow(types_, i, i.shape.type);
    if (!changed && !is_short) {
      rewrite_.copy(k);
      return;
    }
    const Shape given = i.shape;
    if (is_short) i.shape = Shape::array(kWide, given.dims);
    i.operands = std::move(operands);
    i.control_predecessors = {};
    const InstructionId made = rewrite_.add(std::move(i));
    rewrite_.stand_for(k, made);
    if (!is_short) return;
    const InstructionId id(static_cast<int64_t>(k));
    wide(id) = made;
    rewrite_.stand_for(k, converted(id, made, given.type));
  }

  const Computation& from_;
  const WidenedTypes types_;
  ComputationRewrite rewrite_;
  FreshNames& fresh_;
  std::vector<InstructionId> wide_;  // by old place: the same in f32, of the new computation
};

}  // namespace

Computation in_wide_types(const Computation& computation, const WidenedTypes& types, FreshNames& fresh) {
  return Widening(computation, types, fresh).run();
}

}  // namespace shardscope::inline backend
