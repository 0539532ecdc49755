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

// The library multiplies bf16 into f32 where both sides lie as it reads them, and finds extremes in it.
bool is_narrow_in_library(const Program& program, const Computation& c, const Instruction& i) {
  if (is_librarys_reduction(program, c, i)) return is_narrow(i.shape.type);
  return is_librarys_product(c, i) && c.at(i.operands[0]).shape.type == ElementType::bf16 &&
         i.dot->rhs_contracting.front() == static_cast<int64_t>(i.dot->rhs_batch.size());
}

class Widening {
 public:
  Widening(const Program& program, const Computation& from, const WidenedTypes& types, FreshNames& fresh)
      : program_(program),
        from_(from),
        types_(types),
        rewrite_(from),
        fresh_(fresh),
        wide_(from.instructions.size()),
        computed_(from.instructions.size()) {}

  Computation run() {
    for (size_t k = 0; k < wide_.size(); ++k) {
      const Instruction& i = from_.instructions[k];
      if (i.opcode == Opcode::convert && !i.shape.is_tuple)
        convert(k);
      else if ((has_arithmetic(i) || moves_elements(i)) && !i.shape.is_tuple &&
               !is_narrow_in_library(program_, from_, i))
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

  // What is computed in f32 is rounded for whoever reads it, but for a conversion to f32 itself.
  void convert(size_t k) {
    const Instruction& i = from_.instructions[k];
    const InstructionId computed = computed_[static_cast<size_t>(i.operands[0].value)];
    if (i.shape.type == kWide && computed.valid())
      rewrite_.stand_for(k, computed);
    else
      rewrite_.copy(k);
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
    const bool is_rounded = has_arithmetic(i);  // what only moves is as it was
    if (is_short) i.shape = Shape::array(kWide, given.dims);
    i.operands = std::move(operands);
    i.control_predecessors = {};
    const InstructionId made = rewrite_.add(std::move(i));
    rewrite_.stand_for(k, made);
    if (!is_short) return;
    computed_[k] = made;
    if (!is_rounded) wide(InstructionId(static_cast<int64_t>(k))) = made;
    rewrite_.stand_for(k, converted(InstructionId(static_cast<int64_t>(k)), made, given.type));
  }

  const Program& program_;
  const Computation& from_;
  const WidenedTypes types_;
  ComputationRewrite rewrite_;
  FreshNames& fresh_;
  // By old place, of the new computation: what was rounded in f32, and what was computed in it.
  std::vector<InstructionId> wide_, computed_;
};

}  // namespace

Computation in_wide_types(const Program& program, const Computation& computation, const WidenedTypes& types,
                          FreshNames& fresh) {
  return Widening(program, computation, types, fresh).run();
}

}  // namespace shardscope::inline backend
