// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/product_sides.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/backend/loop_rewrite.h"
#include "engine/backend/product_behind.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

using Dims = std::vector<int64_t>;

size_t place_of(InstructionId id) {
  return static_cast<size_t>(id.value);
}

struct Side {
  const Dims &batch, &contracting;
};
Side side_of(const DotDims& dims, size_t side) {
  if (side == 0) return {dims.lhs_batch, dims.lhs_contracting};
  return {dims.rhs_batch, dims.rhs_contracting};
}

Dims behind_each_other(const Dims& a, const Dims& b, const Dims& c) {
  Dims out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

// Whether dimensions of more than one element are in the shape's order.
bool is_as_it_lies(const Dims& order, const Shape& shape) {
  int64_t last = -1;
  for (const int64_t dim : order) {
    if (shape.dims[static_cast<size_t>(dim)] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return true;
}

// The order in which a library reads it; none: as it lies.
std::optional<Dims> library_order(const Shape& shape, const Side& side, size_t which) {
  const Dims free = free_dims(shape.rank(), side.batch, side.contracting);
  const Dims rows = behind_each_other(side.batch, free, side.contracting);
  const Dims columns = behind_each_other(side.batch, side.contracting, free);
  if (is_as_it_lies(rows, shape) || is_as_it_lies(columns, shape)) return std::nullopt;
  return which == 0 ? rows : columns;
}

// Where dimensions are behind a transpose.
Dims moved(const Dims& dims, const Dims& order) {
  Dims out;
  for (const int64_t dim : dims) out.push_back(std::ranges::find(order, dim) - order.begin());
  return out;
}

bool lies_by_default(const Shape& shape) {
  return shape.dynamic.empty() && std::ranges::is_sorted(physical_order(shape));
}

Instruction transpose_of(const Instruction& of, InstructionId id, const Dims& order, std::string name) {
  Shape shape = Shape::array(of.shape.type, {});
  for (const int64_t dim : order) shape.dims.push_back(of.shape.dims[static_cast<size_t>(dim)]);
  Instruction out = made_instruction(std::move(name), Opcode::transpose, std::move(shape), {id});
  out.dimensions = order;
  out.provenance.edit().source = source_name(of);
  return out;
}

void transpose_sides(Computation& c, FreshNames& fresh) {
  const Computation before = std::move(c);
  ComputationRewrite rewrite(before);
  std::map<std::pair<int64_t, Dims>, InstructionId> made;  // by array and order
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    if (before.instructions[k].opcode != Opcode::dot) {
      rewrite.copy(k);
      continue;
    }
    Instruction dot = rewrite.reading_new(before.instructions[k]);
    for (const size_t which : {size_t{0}, size_t{1}}) {
      const Instruction of = rewrite.made(dot.operands[which]);
      const Side side = side_of(*dot.dot, which);
      const auto order = lies_by_default(of.shape) ? library_order(of.shape, side, which) : std::nullopt;
      if (!order) continue;
      const Dims batch = moved(side.batch, *order), contracting = moved(side.contracting, *order);
      InstructionId& there = made[{dot.operands[which].value, *order}];
      if (!there.valid())
        there = rewrite.add(transpose_of(of, dot.operands[which], *order, fresh("transpose")));
      dot.operands[which] = there;
      DotDims& dims = dot.dot.edit();
      (which == 0 ? dims.lhs_batch : dims.rhs_batch) = batch;
      (which == 0 ? dims.lhs_contracting : dims.rhs_contracting) = contracting;
    }
    rewrite.stand_for(k, rewrite.add(std::move(dot)));
  }
  c = std::move(rewrite).finish();
}

bool is_plain(const Computation& c, const Instruction& dot) {
  return dot.opcode == Opcode::dot && dot.control_predecessors.empty() && dot.dot->lhs_batch.empty() &&
         dot.shape.rank() == 2 &&
         free_dims(c.at(dot.operands[0]).shape.rank(), {}, dot.dot->lhs_contracting).size() == 1;
}

bool is_turn(const Instruction& i) {
  return i.opcode == Opcode::transpose && i.shape.rank() == 2 && *i.dimensions == Dims{1, 0} &&
         lies_by_default(i.shape);
}

void turn(Instruction& dot) {
  std::swap(dot.operands[0], dot.operands[1]);
  DotDims& dims = dot.dot.edit();
  std::swap(dims.lhs_contracting, dims.rhs_contracting);
}

// Of products that were merged: parts of it, each transposed, are parts of it the other way round.
bool turn_merged(Computation& c, const ReadersOf& readers, size_t place, FreshNames& fresh) {
  Instruction& dot = c.instructions[place];
  if (readers[place].size() < 2 || place_of(c.root) == place || !is_plain(c, dot)) return false;
  for (const size_t part : readers[place]) {
    const bool alone = readers[part].size() == 1 && place_of(c.root) != part;
    if (c.instructions[part].opcode != Opcode::slice || !alone ||
        !is_turn(c.instructions[readers[part].front()]))
      return false;
  }
  turn(dot);
  std::swap(dot.shape.dims[0], dot.shape.dims[1]);
  dot.sharding = {};
  for (const size_t part : readers[place]) {
    Instruction& i = c.instructions[readers[part].front()];
    Instruction made = c.instructions[part];
    made.name = fresh("slice");
    made.shape = i.shape;
    made.sharding = i.sharding;
    made.provenance = i.provenance;
    made.provenance.edit().source = source_name(i);
    made.control_predecessors = i.control_predecessors;
    std::swap(made.slice.edit()[0], made.slice.edit()[1]);
    i = std::move(made);
  }
  return true;
}

// Products stand where their transposes stood.
void turn_products(Computation& c, FreshNames& fresh) {
  const auto readers = followers_of(c);
  bool any = false;
  for (size_t k = 0; k < readers.size(); ++k) {
    Instruction& i = c.instructions[k];
    if (i.opcode == Opcode::dot && turn_merged(c, readers, k, fresh)) any = true;
    if (!is_turn(i)) continue;
    const Instruction& dot = c.at(i.operands[0]);
    const bool alone = readers[place_of(i.operands[0])].size() == 1 && c.root != i.operands[0];
    if (!alone || !is_plain(c, dot)) continue;
    Instruction made = dot;
    made.name = fresh(dot.name);
    made.provenance.edit().source = source_name(dot);
    made.sharding = i.sharding;
    made.shape = i.shape;
    turn(made);
    made.control_predecessors = i.control_predecessors;
    i = std::move(made);
    any = true;
  }
  if (any) drop_unread(c);
}

// The operand that it is made of, element by element; none: of several, or otherwise.
std::optional<size_t> main_operand(const Computation& c, const Instruction& i) {
  std::optional<size_t> out;
  for (size_t o = 0; o < i.operands.size(); ++o) {
    if (is_spread(c, i.operands[o])) continue;
    if (out && i.operands[o] != i.operands[*out]) return std::nullopt;
    out = o;
  }
  return out;
}

// What a product would read more of, if it did it itself.
bool narrows(const Computation& c, const Instruction& i) {
  return i.opcode == Opcode::convert && bits(c.at(i.operands[0]).shape.type) > bits(i.shape.type);
}

// By dimension of what a product reads, whether it is neither of the batch nor contracted; followed upwards.
class FreeDims {
 public:
  FreeDims(const Computation& c, const Instruction& product, size_t side)
      : c_(c), free_(c.at(product.operands[side]).shape.rank(), false) {
    const Side of = side_of(*product.dot, side);
    for (const int64_t d : free_dims(free_.size(), of.batch, of.contracting))
      free_[static_cast<size_t>(d)] = true;
  }

  // From the array that it makes to the one that it is made of.
  void behind(const Instruction& i) {
    if (has(i.opcode, Trait::view)) look_through(i.shape, c_.at(i.operands[0]).shape);
    if (i.opcode != Opcode::transpose || free_.empty()) return;
    std::vector<bool> before(free_.size());
    for (size_t d = 0; d < free_.size(); ++d) before[static_cast<size_t>((*i.dimensions)[d])] = free_[d];
    free_ = std::move(before);
  }
  // Whether it puts arrays together along one of them.
  bool joins(const Instruction& i) const {
    if (i.opcode != Opcode::concatenate || free_.empty() || i.operands.size() > kMostJoined) return false;
    const auto along = static_cast<size_t>(i.dimensions->front());
    return free_[along] && std::ranges::all_of(i.operands, [&](InstructionId id) {
             return c_.at(id).shape.dims[along] % kTile == 0;
           });
  }

 private:
  // Arrays that Triton's kernel of a product reads for one side; each has to fill tiles.
  static constexpr size_t kMostJoined = 4;
  static constexpr int64_t kTile = 64;

  // Of a reshape that adds and drops dimensions of one element; otherwise it is not known behind it.
  void look_through(const Shape& made, const Shape& of) {
    std::vector<bool> before(of.rank(), false);
    size_t d = 0;
    for (size_t o = 0; o < of.rank(); ++o) {
      if (of.dims[o] == 1) continue;
      while (d < made.rank() && made.dims[d] == 1) ++d;
      if (free_.empty() || d == made.rank() || made.dims[d] != of.dims[o]) {
        free_.clear();
        return;
      }
      before[o] = free_[d++];
    }
    free_ = std::move(before);
  }

  const Computation& c_;
  std::vector<bool> free_;  // empty: not known
};

bool only_products_read(const Computation& c, const std::vector<size_t>& readers) {
  return !readers.empty() && std::ranges::all_of(readers, [&](size_t reader) {
    return c.instructions[reader].opcode == Opcode::dot;
  });
}

}  // namespace

void arrange_products(Computation& computation, FreshNames& fresh) {
  turn_products(computation, fresh);
  transpose_sides(computation, fresh);
}

MadeSide made_side(const Computation& c, const ReadersOf& readers, const std::vector<bool>& behind,
                   const Instruction& product, size_t side) {
  constexpr size_t kLongest = 32;
  MadeSide out;
  size_t place = place_of(product.operands[side]);
  FreeDims free(c, product, side);
  for (;;) {
    const Instruction& i = c.instructions[place];
    if (free.joins(i)) {
      out.places.push_back(place);
      out.moves = true;
      break;
    }
    const bool computes = operation(i.opcode).kind == OpClass::elementwise;
    const bool moves =
        i.opcode == Opcode::transpose && !is_as_it_lies(*i.dimensions, c.at(i.operands[0]).shape);
    static const OpTable<bool> kTurns({}, {{Opcode::transpose, true}, {Opcode::reshape, true}});
    const bool passes = (computes && !narrows(c, i)) || kTurns[i.opcode];
    if (behind[place]) break;
    const bool is_own =
        out.places.empty() ? only_products_read(c, readers[place]) : readers[place].size() == 1;
    const auto of = passes && is_own && is_fusible(i) ? main_operand(c, i) : std::nullopt;
    if (!of || out.places.size() == kLongest || place_of(c.root) == place) break;
    out.places.push_back(place);
    out.computes = out.computes || computes;
    out.moves = out.moves || moves;
    free.behind(i);
    place = place_of(i.operands[*of]);
  }
  // What only looks at the array in another shape stays with what it is made of.
  while (!out.places.empty() && has(c.instructions[out.places.back()].opcode, Trait::view))
    out.places.pop_back();
  std::ranges::reverse(out.places);
  return out;
}

void give_each_its_own(Computation& c, FreshNames& fresh) {
  const Computation before = std::move(c);
  const auto readers = followers_of(before);
  const auto behind = stand_behind_products(before, readers);
  ComputationRewrite rewrite(before);
  // What stands for the places of a side, made again for one product.
  const auto again = [&](const MadeSide& made) {
    std::vector<std::pair<size_t, InstructionId>> copies;
    for (const size_t place : made.places) {
      Instruction i = before.instructions[place];
      i.provenance.edit().source = source_name(i);
      i.name = fresh(i.name);
      for (InstructionId& operand : i.operands) {
        const auto copy =
            std::ranges::find(copies, place_of(operand), &std::pair<size_t, InstructionId>::first);
        operand = copy != copies.end() ? copy->second : rewrite.at(operand);
      }
      copies.emplace_back(place, rewrite.add(std::move(i)));
    }
    return copies.back().second;
  };
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    const Instruction& old = before.instructions[k];
    std::vector<std::pair<size_t, InstructionId>> own;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (old.opcode != Opcode::dot || readers[place_of(old.operands[side])].front() == k) continue;
      if (const MadeSide made = made_side(before, readers, behind, old, side); made.computes)
        own.emplace_back(side, again(made));
    }
    Instruction dot = rewrite.reading_new(old);
    for (const auto& [side, id] : own) dot.operands[side] = id;
    rewrite.stand_for(k, rewrite.add(std::move(dot)));
  }
  c = std::move(rewrite).finish();
}

}  // namespace shardscope::inline backend
