// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/plain_program.h"

#include <algorithm>
#include <set>

#include "engine/numerics/plan/collective_fusions.h"
#include "engine/numerics/plan/conversions.h"
#include "engine/numerics/plan/library_calls.h"
#include "engine/numerics/plan/tiled_bitcast.h"
#include "engine/numerics/product/product.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/program/ir/bitcast_moves.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/attribute_values.h"

namespace shardscope::inline numerics {
namespace {

// Its operand, wherever it lies.
bool is_annotation(const Computation& c, const Instruction& i) {
  if (i.opcode == Opcode::domain) return true;
  const CustomTarget target = custom_target(i);
  const bool known = target == CustomTarget::sharding || target == CustomTarget::region_end ||
                     target == CustomTarget::placement;
  return known && i.operands.size() == 1 && same_shape(i.shape, c.at(i.operands[0]).shape);
}

bool is_several(const Instruction& i) {
  return is_collective(i.opcode) && i.shape.is_tuple && !i.operands.empty() &&
         i.shape.elements.size() == i.operands.size() &&
         !(i.opcode == Opcode::all_to_all && i.dimensions.empty());
}

bool wants_converts(const Computation& c, const Instruction& i) {
  if (i.operands.size() != 2 || !product_type(i.shape.type)) return false;
  const ElementType a = c.at(i.operands[0]).shape.type, b = c.at(i.operands[1]).shape.type;
  return a != b || !product_type(a);
}

bool is_mixed_dot(const Computation& c, const Instruction& i) {
  return i.opcode == Opcode::dot && wants_converts(c, i);
}

// The widest type of a convolution's factors and its sums: in it they are multiplied where they differ.
ElementType widest_of(const Computation& c, const Instruction& i) {
  ElementType out = i.shape.type;
  for (const InstructionId operand : i.operands)
    if (const ElementType type = c.at(operand).shape.type; bits(type) > bits(out)) out = type;
  return out;
}

// XLA:TPU holds a pred in as many bits as its neighbours have, and reads 0 or 1 there.
bool reads_truth(const Shape& from, const Shape& to) {
  return from.type == ElementType::pred && is_integer(to.type) && from.dims == to.dims;
}

bool moves_bits(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::bitcast || i.operands.size() != 1) return false;
  const Shape& from = c.at(i.operands[0]).shape;
  return reads_truth(from, i.shape) || is_between_tiles(from, i.shape) ||
         bitcast_moves(from, i.shape).has_value();
}

// A sum between devices by a computation of the compiler's own.
bool has_own_reducer(const Program& program, const Instruction& i) {
  return i.opcode == Opcode::all_reduce && i.operands.size() == 1 && !i.shape.is_tuple && !i.rooted &&
         i.replica_groups->ragged.empty() && !i.called.empty() && !is_known(reducer_opcode(program, i));
}

bool needs_rewriting(const Program& program, const Computation& c, const Instruction& i, PlainFor what) {
  if (is_start(i) || ends_start(i) || is_annotation(c, i) || is_several(i)) return true;
  if (i.opcode == Opcode::convolution) return true;
  return what == PlainFor::numbers &&
         (is_mixed_dot(c, i) || moves_bits(c, i) || library_call(c, i) || has_own_reducer(program, i));
}

// What a scheduled module does not start and end by two instructions: nothing runs beside it.
bool is_synchronous(const Instruction& i) {
  return operation(i.opcode).kind == OpClass::collective && !is_start(i);
}

// Whether it keeps the core busy, or runs what does.
bool computes(const Instruction& i) {
  const CostClass cost = operation(i.opcode).cost;
  return cost != CostClass::free && cost != CostClass::link && cost != CostClass::copy &&
         (i.shape.is_tuple || i.shape.rank() > 0);
}

class Rewriter {
 public:
  // `in_order`: of a scheduled module, whose asynchronous transfers run between their start and their end.
  Rewriter(const Program& program, const Computation& from, PlainFor what, bool in_order)
      : program_(program), from_(from), what_(what), in_order_(in_order), to_(from.instructions.size()) {
    out_.name = from.name;
  }

  Computation rewritten() {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      Instruction i = from_.instructions[k];
      for (InstructionId& operand : i.operands) operand = to_[static_cast<size_t>(operand.value)];
      if (what_ == PlainFor::numbers)
        i.control_predecessors = {};
      else
        keep_order(from_.instructions[k], i);
      to_[k] = rewrite(from_.instructions[k], std::move(i));
      if (computes(from_.instructions[k])) last_computed_ = to_[k];
      const bool ends = ends_start(from_.instructions[k]) || is_synchronous(from_.instructions[k]);
      if (ends && in_order_) ended_.push_back(to_[k]);
    }
    out_.root = to_[static_cast<size_t>(from_.root.value)];
    return std::move(out_);
  }

 private:
  // `i` is `old` with operands in the new computation.
  InstructionId rewrite(const Instruction& old, Instruction i) {
    const Opcode plain = started_opcode(old);
    if (is_known(plain) && !old.operands.empty()) return at_start(plain, std::move(i));
    if ((ends_known(old) || is_annotation(from_, old)) && !i.operands.empty()) return i.operands[0];
    if (is_several(i)) return one_by_one(i);
    if (old.opcode == Opcode::convolution) return convolution(old, std::move(i));
    if (what_ == PlainFor::numbers && is_mixed_dot(from_, old)) return converted_dot(std::move(i));
    if (what_ == PlainFor::numbers && moves_bits(from_, old)) return bitcast(old, std::move(i));
    if (what_ == PlainFor::numbers && has_own_reducer(program_, old)) return folded(std::move(i));
    if (what_ == PlainFor::numbers)
      if (const auto call = library_call(from_, old)) return (*call)(i, writer());
    return add(std::move(i));
  }

  bool ends_known(const Instruction& old) const {
    if (!ends_start(old) || old.operands.empty()) return false;
    const Instruction& before = from_.at(old.operands[0]);
    return is_start(before) || ends_start(before);
  }

  void keep_order(const Instruction& old, Instruction& i) {
    std::vector<InstructionId> before;
    for (const InstructionId earlier : i.control_predecessors)
      before.push_back(to_[static_cast<size_t>(earlier.value)]);
    const bool starts = is_start(old) || is_synchronous(old);
    if (in_order_ && starts && last_computed_.valid()) before.push_back(last_computed_);
    if (in_order_ && computes(old)) {
      before.insert(before.end(), ended_.begin(), ended_.end());
      ended_.clear();
    }
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    i.control_predecessors = std::move(before);
  }

  // An asynchronous pair is the plain operation, done at its start.
  InstructionId at_start(Opcode plain, Instruction i) {
    if (plain == Opcode::copy && what_ == PlainFor::numbers) return i.operands[0];
    const Shape result = started_result(plain, i.shape, i.operands.size());
    i.shape = result;
    if (!is_known(i.opcode)) read_texts(plain, Instruction(i), i);
    i.opcode = plain;
    i.opcode_name = {};
    if (plain == Opcode::call && !i.called.empty())
      for (CalledComputation& called : i.called.edit()) called.key = "to_apply";
    return is_several(i) ? one_by_one(i) : add(std::move(i));
  }

  InstructionId add(Instruction i) {
    if (!names_.insert(i.name).second) {
      int part = 1;
      while (!names_.insert(i.name + ".plain" + std::to_string(part)).second) ++part;
      Provenance& from = i.provenance.edit();
      if (from.source.empty()) from.source = i.name;
      from.part = part;
      i.name += ".plain" + std::to_string(part);
    }
    out_.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out_.instructions.size()) - 1);
  }
  InstructionId add_unary(const Instruction& like, Opcode opcode, Shape shape, InstructionId operand,
                          std::vector<int64_t> dimensions = {}) {
    Instruction made;
    made.name = like.name;
    made.opcode = opcode;
    made.shape = std::move(shape);
    made.operands = {operand};
    made.dimensions = std::move(dimensions);
    return add(std::move(made));
  }

  // Each device gathers what all of its group have, and applies the computation to one after the other.
  InstructionId folded(Instruction i) {
    const Shape shape = i.shape;
    const TileAssignment& tiles = i.replica_groups->tiles;
    const int64_t devices = tiles.devices.empty() ? program_.mesh.device_count() : tiles.dims[1];
    Shape row = Shape::array(shape.type, shape.dims);
    row.dims.insert(row.dims.begin(), 1);
    Shape rows = row;
    rows.dims[0] = devices;
    Instruction map = like_it(i, Opcode::map, shape);
    map.called = i.called;
    Instruction gather = std::move(i);
    gather.opcode = Opcode::all_gather;
    gather.called = {};
    gather.shape = rows;
    gather.dimensions = {0};
    gather.operands = {add_unary(map, Opcode::reshape, row, gather.operands[0])};
    const InstructionId all = add(std::move(gather));
    InstructionId sum;
    for (int64_t d = 0; d < devices; ++d) {
      Instruction part = like_it(map, Opcode::slice, row);
      part.operands = {all};
      for (size_t k = 0; k < rows.rank(); ++k) part.slice.edit().push_back({0, rows.dims[k], 1});
      part.slice.edit()[0] = {d, d + 1, 1};
      const InstructionId own = add_unary(map, Opcode::reshape, shape, add(std::move(part)));
      map.operands = {sum, own};
      sum = d == 0 ? own : add(map);
    }
    return sum;
  }
  static Instruction like_it(const Instruction& like, Opcode opcode, const Shape& shape) {
    Instruction made;
    made.name = like.name;
    made.opcode = opcode;
    made.shape = Shape::array(shape.type, shape.dims);
    return made;
  }

  InstructionId one_by_one(const Instruction& i) {
    Instruction all;
    all.name = i.name;
    all.opcode = Opcode::tuple;
    all.shape = i.shape;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      Instruction one = i;
      one.shape = i.shape.elements[k];
      one.operands = {i.operands[k]};
      all.operands.push_back(add(std::move(one)));
    }
    return add(std::move(all));
  }

  InstructionId converted_dot(Instruction i) {
    const ElementType type = i.shape.type;
    for (InstructionId& operand : i.operands) {
      const Shape shape = out_.at(operand).shape;
      if (shape.type != type)
        operand = add_unary(i, Opcode::convert, Shape::array(type, shape.dims), operand);
    }
    return add(std::move(i));
  }

  InstructionId convolution(const Instruction& old, Instruction i) {
    const auto dot = product_dims(from_, old);
    if (!dot) {
      if (what_ == PlainFor::time) return add(std::move(i));
      const Shape result = i.shape;
      i.shape = Shape::array(widest_of(from_, old), i.shape.dims);
      const InstructionId wide = converted_dot(i);
      return i.shape.type == result.type ? wide : add_unary(i, Opcode::convert, result, wide);
    }
    i.opcode = Opcode::dot;
    i.dot = *dot;
    i.attributes = {};
    i.verbatim = {};
    return what_ == PlainFor::numbers && wants_converts(from_, old) ? converted_dot(std::move(i))
                                                                    : add(std::move(i));
  }

  CallWriter writer() {
    CallWriter writer;
    writer.add = [this](Instruction made) {
      return is_mixed_dot(out_, made) ? converted_dot(std::move(made)) : add(std::move(made));
    };
    writer.shape = [this](InstructionId id) -> const Shape& { return out_.at(id).shape; };
    return writer;
  }

  InstructionId bitcast(const Instruction& old, Instruction i) {
    InstructionId at = i.operands[0];
    const Shape& from = from_.at(old.operands[0]).shape;
    if (reads_truth(from, i.shape)) return add_unary(i, Opcode::convert, i.shape, at);
    if (is_between_tiles(from, i.shape)) return write_tiled_bitcast(i, from, writer());
    const BitcastMoves moves = *bitcast_moves(from, i.shape);
    if (!moves.before.empty()) at = add_unary(i, Opcode::transpose, moves.from, at, moves.before);
    at = add_unary(i, Opcode::bitcast, moves.to, at);
    if (moves.after.empty()) return at;
    return add_unary(i, Opcode::transpose, Shape::array(i.shape.type, i.shape.dims), at, moves.after);
  }

  const Program& program_;
  const Computation& from_;
  PlainFor what_;
  bool in_order_;
  Computation out_;
  std::vector<InstructionId> to_;
  InstructionId last_computed_;
  std::vector<InstructionId> ended_;  // transfers that the next work waits for
  std::set<std::string> names_;
};

}  // namespace

bool is_plain_call(const Computation& computation, const Instruction& custom_call) {
  return is_annotation(computation, custom_call) || library_call(computation, custom_call);
}

bool is_rewritten(Opcode opcode) {
  Instruction i;
  i.opcode = opcode;
  return opcode == Opcode::domain || is_start(i) || ends_start(i);
}

namespace {

std::optional<Program> rewritten(const Program& program, PlainFor what) {
  const bool in_order = what == PlainFor::time && is_scheduled(program);
  const auto needs = [&program, what, in_order](const Computation& c) {
    return std::any_of(c.instructions.begin(), c.instructions.end(), [&](const Instruction& i) {
      return needs_rewriting(program, c, i, what) || (in_order && is_synchronous(i));
    });
  };
  if (std::none_of(program.computations.begin(), program.computations.end(), needs)) return std::nullopt;
  Program out = program;
  for (Computation& c : out.computations) {
    if (!needs(c)) continue;
    const Computation before = std::move(c);
    c = Rewriter(program, before, what, in_order).rewritten();
  }
  return out;
}

}  // namespace

std::optional<Program> plain_program(const Program& program, PlainFor what) {
  if (!is_scheduled(program)) return rewritten(program, what);
  if (what == PlainFor::numbers) {
    std::optional<Program> plain = rewritten(program, what);
    std::optional<Program> out = with_conversions(plain ? *plain : program);
    return out ? std::move(out) : std::move(plain);
  }
  std::optional<Program> outside = without_collective_fusions(program);
  std::optional<Program> out = rewritten(outside ? *outside : program, what);
  return out ? std::move(out) : std::move(outside);
}

}  // namespace shardscope::inline numerics
