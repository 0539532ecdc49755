// SPDX-License-Identifier: Apache-2.0
#include "engine/program/rules/infer_shape.h"

#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

// The operations whose rule compares the whole shape with one that it makes of the operands.
bool follows_from_operands(Opcode opcode) {
  static const OpTable<const char*> written({}, {{Opcode::parameter, ""},
                                                 {Opcode::constant, ""},
                                                 {Opcode::iota, ""},
                                                 {Opcode::convert, ""},
                                                 {Opcode::bitcast, ""},
                                                 {Opcode::bitcast_convert, ""},
                                                 {Opcode::reshape, ""},
                                                 {Opcode::rng_bit_generator, ""},
                                                 {Opcode::broadcast, ""}});
  return shape_rule(opcode) != nullptr && written[opcode] == nullptr;
}

bool is_in(const std::vector<int64_t>& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Offset dimensions are those of the slice that are kept, the others those of the indices, in order. What
// does not fit is the rule's to refuse.
Shape gathered(const InstructionCheck& c) {
  Shape out = Shape::array(c.operand(0).type, {});
  const auto* g = std::get_if<GatherDims>(&*c.instruction.attributes);
  if (g == nullptr) return out;
  std::vector<int64_t> kept, around;
  for (size_t d = 0; d < g->slice_sizes.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (!is_in(g->collapsed_slice_dims, at) && !is_in(g->operand_batching_dims, at))
      kept.push_back(g->slice_sizes[d]);
  }
  const Shape& indices = c.operand(1);
  for (size_t d = 0; d < indices.rank(); ++d)
    if (static_cast<int64_t>(d) != g->index_vector_dim) around.push_back(indices.dims[d]);
  size_t next_kept = 0, next_around = 0;
  for (size_t d = 0; d < kept.size() + around.size(); ++d) {
    const bool offset = is_in(g->offset_dims, static_cast<int64_t>(d));
    if (offset ? next_kept == kept.size() : next_around == around.size()) return out;
    out.dims.push_back(offset ? kept[next_kept++] : around[next_around++]);
  }
  return out;
}

Shape convolved(const InstructionCheck& c) {
  const Shape &lhs = c.operand(0), &rhs = c.operand(1);
  Shape out = Shape::array(lhs.type, {});
  const auto* of = std::get_if<ConvolutionDims>(&*c.instruction.attributes);
  const size_t rank = lhs.rank();
  if (of == nullptr || of->input_batch < 0 || of->input_spatial.size() + 2 != rank || rhs.rank() != rank ||
      of->batch_groups < 1)
    return out;
  ConvolutionDims dims = *of;
  dims.window.resize(of->input_spatial.size());
  out.dims = convolution_result(dims, lhs, rhs);
  return out;
}

// Of the operands that are updated.
Shape scattered(const InstructionCheck& c) {
  std::vector<Shape> results;
  for (size_t k = 0; k < c.operand_count() / 2; ++k) results.push_back(c.operand(k));
  return results.size() == 1 ? results.front() : Shape::tuple(std::move(results));
}

// A shape that the rule of the operation then checks against everything else.
using Guess = Shape (*)(const InstructionCheck&);
Guess guess_of(Opcode opcode) {
  static const OpTable<Guess> guesses(
      {}, {{Opcode::gather, &gathered}, {Opcode::convolution, &convolved}, {Opcode::scatter, &scattered}});
  return guesses[opcode];
}

}  // namespace

Result<Shape> infer_shape(const Program& program, const Computation& computation,
                          const Instruction& instruction) {
  Instruction shaped = instruction;
  Shape inferred;
  const InstructionCheck c{program, computation, shaped, &inferred};
  TRY_VOID(c.arity());
  if (shaped.opcode == Opcode::after_all) return Shape::scalar(ElementType::token);
  if (has(shaped.opcode, Trait::device_number)) return Shape::scalar(ElementType::u32);
  if (!follows_from_operands(shaped.opcode)) return c.error("needs its shape written");
  if (const Guess guess = guess_of(shaped.opcode)) {
    TRY_VOID(c.array_operands());
    shaped.shape = guess(c);
    if (!is_sound(shaped.shape)) return c.error("its shape would have more than 2^50 elements");
    TRY_VOID(shape_rule(shaped.opcode)({program, computation, shaped}));
    return shaped.shape;
  }
  // Where the type is free it is that of the operand.
  if (c.operand_count() > 0 && !c.operand(0).is_tuple) shaped.shape.type = c.operand(0).type;
  TRY_VOID(shape_rule(shaped.opcode)(c));
  if (!is_sound(inferred)) return c.error("its shape would have more than 2^50 elements");
  return inferred;
}

}  // namespace shardscope::inline program
