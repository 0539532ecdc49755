// SPDX-License-Identifier: Apache-2.0
#include "engine/story/shard_arithmetic.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/mesh/mesh.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline story {
namespace {

using Kind = ShardPiece::Kind;
// Pieces of all operands over one box.
using Aligned = std::vector<ShardPiece>;

// Cuts `known`, which are over one box, and the pieces of one more operand where both are known.
std::vector<Aligned> with_operand(const std::vector<Aligned>& known, const ShardPieces& more,
                                  TraceBudget& budget) {
  std::vector<Aligned> out;
  for (const Aligned& parts : known) {
    if (!budget.take(static_cast<int64_t>(more.size()))) return {};
    for (const ShardPiece& piece : more) {
      const IndexBox box = local_box(parts.front());
      if (!intersects(box, local_box(piece))) continue;
      if (box == local_box(piece)) {
        out.push_back(parts);
        out.back().push_back(piece);
        continue;
      }
      ShardPieces cut;
      append_inside(piece, box, cut);
      for (const ShardPiece& part : cut) {
        // A cut may fall into several runs, of the others too.
        std::vector<Aligned> matched = {{}};
        for (const ShardPiece& other : parts) {
          ShardPieces inside;
          append_inside(other, local_box(part), inside);
          if (inside.size() != 1) {
            matched.clear();
            break;
          }
          matched.front().push_back(inside.front());
        }
        if (matched.empty()) continue;
        matched.front().push_back(part);
        out.push_back(std::move(matched.front()));
      }
    }
  }
  return out;
}

std::optional<ShardPiece> add_two(const ShardPiece& a, const ShardPiece& b, TracedSums sums) {
  if (a.kind == Kind::zero) return b;
  if (b.kind == Kind::zero) return a;
  if (a.kind != Kind::part || b.kind != Kind::part || a.k_set < 0 || b.k_set < 0) return std::nullopt;
  if (sums.arrays.complete(a, sums.sets) && sums.arrays.complete(b, sums.sets)) return std::nullopt;
  ShardPiece sum = b;
  sum.k_set = a.k_set;
  if (sum != a) return std::nullopt;
  sum.k_set = sums.sets.unite(a.k_set, b.k_set);
  return sum;
}

void add_overlap(const ShardPiece& a, const ShardPiece& b, TracedSums sums, ShardPieces& out) {
  const IndexBox box_a = local_box(a);
  const IndexBox box_b = local_box(b);
  if (!intersects(box_a, box_b)) return;
  if (box_a == box_b) {
    if (auto sum = add_two(a, b, sums)) out.push_back(*std::move(sum));
    return;
  }
  ShardPieces parts_a;
  ShardPieces parts_b;
  append_inside(a, box_b, parts_a);
  append_inside(b, box_a, parts_b);
  for (const ShardPiece& part_a : parts_a)
    for (const ShardPiece& part_b : parts_b) add_overlap(part_a, part_b, sums, out);
}

// What an operation does with a sum's terms.
enum class OnTerms : uint8_t {
  unknown,
  add,       // puts them beside the other operand's
  subtract,  // and with the other sign
  scale,     // does the same with each, when all other operands are made of no input
  divide,    // the same, of its first operand
};
OnTerms on_terms(Opcode opcode) {
  static const OpTable<OnTerms> all({}, {{Opcode::add, OnTerms::add},
                                         {Opcode::subtract, OnTerms::subtract},
                                         {Opcode::negate, OnTerms::scale},
                                         {Opcode::multiply, OnTerms::scale},
                                         {Opcode::divide, OnTerms::divide}});
  return all[opcode];
}

size_t moving_dims(const ShardPiece& piece) {
  return static_cast<size_t>(std::count_if(piece.dims.begin(), piece.dims.end(), [](const PieceDim& dim) {
    return dim.global >= 0 && !dim.digits.empty();
  }));
}

// How `other` lies over `leading`: "0=1,": its dimension 0 runs with the leading one's 1; where it is fixed.
// None when an element of it does not follow from the leading one's.
std::optional<std::string> alignment(const ShardPiece& leading, const ShardPiece& other) {
  std::string key;
  std::vector<bool> moves(other.base.size(), false);
  for (size_t d = 0; d < other.dims.size(); ++d) {
    const PieceDim& mine = other.dims[d];
    if (mine.global < 0 || mine.digits.empty()) continue;
    const PieceDim& its = leading.dims[d];
    if (its.global < 0 || its.digits != mine.digits ||
        leading.base[static_cast<size_t>(its.global)] != other.base[static_cast<size_t>(mine.global)])
      return std::nullopt;
    moves[static_cast<size_t>(mine.global)] = true;
    key += fmt::format("{}={},", mine.global, its.global);
  }
  for (size_t g = 0; g < moves.size(); ++g) {
    if (moves[g]) continue;
    // Of one size everywhere, or standing where the leading one stands.
    const bool with_leading = g < leading.base.size() && leading.base.size() == other.base.size() &&
                              leading.base[g] == other.base[g];
    key += with_leading ? fmt::format("{}~,", g) : fmt::format("{}@{},", g, other.base[g]);
  }
  return key;
}

class Elementwise {
 public:
  Elementwise(const ElementwiseCase& c, TracedSums sums) : c_(c), sums_(sums) {}

  // The result over the box of `parts`; none when it cannot be said.
  std::optional<ShardPiece> of(const Aligned& parts) {
    std::vector<size_t> arrays;
    for (size_t k = 0; k < parts.size(); ++k)
      if (parts[k].kind == Kind::part) arrays.push_back(k);
    const Opcode opcode = c_.instruction.opcode;
    if (arrays.empty()) return made_of_nothing(parts);
    const ShardPiece& only = parts[arrays[0]];
    const OnTerms does = on_terms(opcode);
    if (arrays.size() == 1) {
      if (has(opcode, Trait::same_array)) return only;
      const bool zero_beside = parts.size() == 2 && parts[1 - arrays[0]].kind == Kind::zero;
      if (zero_beside && (does == OnTerms::add || (does == OnTerms::subtract && arrays[0] == 0))) return only;
      if (does == OnTerms::scale || (does == OnTerms::divide && arrays[0] == 0))
        return made(parts, arrays, true);
    }
    if (does == OnTerms::add && arrays.size() == 2 && parts.size() == 2 && !both_whole(parts))
      return add_two(parts[0], parts[1], sums_);
    for (const size_t k : arrays)
      if (!sums_.arrays.complete(parts[k], sums_.sets)) return std::nullopt;
    if (auto piece = made(parts, arrays, false)) return piece;
    return local(parts.front());
  }

 private:
  bool both_whole(const Aligned& parts) const {
    return sums_.arrays.complete(parts[0], sums_.sets) && sums_.arrays.complete(parts[1], sums_.sets);
  }
  std::optional<ShardPiece> made_of_nothing(const Aligned& parts) const {
    ShardPiece piece = parts.front();
    const bool zeros =
        std::all_of(parts.begin(), parts.end(), [](const ShardPiece& p) { return p.kind == Kind::zero; });
    piece.kind = zeros && has(c_.instruction.opcode, Trait::keeps_zeros) ? Kind::zero : Kind::fill;
    return piece;
  }
  // The array that the operation makes of the arrays in `parts`, where they run together.
  std::optional<ShardPiece> made(const Aligned& parts, const std::vector<size_t>& arrays, bool keeps_terms) {
    size_t lead = arrays[0];
    for (const size_t k : arrays)
      if (moving_dims(parts[k]) > moving_dims(parts[lead])) lead = k;
    const ShardPiece& leading = parts[lead];
    const Instruction& i = c_.instruction;
    std::string key = std::string(opcode_text(i.opcode));
    if (i.attributes->index() != 0) key += " " + i.name;
    int32_t device = -1;
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].kind != Kind::part) {
        key += parts[k].kind == Kind::zero ? " 0" : " " + c_.fills[k];
        continue;
      }
      const auto how = alignment(leading, parts[k]);
      if (!how) return std::nullopt;
      key += fmt::format(" {}:{}", parts[k].array, *how);
      if (sums_.arrays.at(parts[k].array).device >= 0) device = sums_.arrays.at(parts[k].array).device;
    }
    const TracedArray& from = sums_.arrays.at(leading.array);
    TracedArray array{value_name(i), from.dims, keeps_terms ? from.terms : 0, from.reducer, device};
    ShardPiece piece = leading;
    piece.array = sums_.arrays.find_or_add(key, array);
    if (!keeps_terms) piece.k_set = -1;
    return piece;
  }
  std::optional<ShardPiece> local(const ShardPiece& over) {
    const ShardPiece whole = local_piece(c_.instruction, c_.device, sums_.arrays).front();
    ShardPieces inside;
    append_inside(whole, local_box(over), inside);
    return inside.front();
  }

  const ElementwiseCase& c_;
  TracedSums sums_;
};

}  // namespace

ShardPieces add_pieces(const ShardPieces& a, const ShardPieces& b, TracedSums sums) {
  ShardPieces out;
  for (const ShardPiece& piece_a : a) {
    if (!sums.budget.take(static_cast<int64_t>(b.size()))) return {};
    for (const ShardPiece& piece_b : b) add_overlap(piece_a, piece_b, sums, out);
  }
  merge_neighbours(out);
  return out;
}

ShardPieces elementwise_pieces(const ElementwiseCase& c, TracedSums sums) {
  std::vector<Aligned> aligned;
  for (const ShardPiece& piece : *c.operands.front()) aligned.push_back({piece});
  for (size_t k = 1; k < c.operands.size(); ++k) aligned = with_operand(aligned, *c.operands[k], sums.budget);
  Elementwise elementwise(c, sums);
  ShardPieces out;
  for (const Aligned& parts : aligned)
    if (auto piece = elementwise.of(parts)) out.push_back(*std::move(piece));
  merge_neighbours(out);
  return out;
}

ShardPieces local_piece(const Instruction& i, int32_t device, TracedArrays& arrays) {
  TracedArray array{value_name(i), i.shape.dims, 0, Opcode::add, device};
  IndexBox box;
  for (const int64_t size : i.shape.dims) box.push_back({0, size});
  return {input_piece(arrays.find_or_add(fmt::format("local {} {}", i.name, device), array), box)};
}

int64_t covered_elements(const ShardPieces& pieces) {
  int64_t covered = 0;
  for (const ShardPiece& piece : pieces) {
    int64_t elements = 1;
    for (const PieceDim& dim : piece.dims) elements *= dim.local.size();
    covered += elements;
  }
  return covered;
}

bool covers(const ShardPieces& pieces, const std::vector<int64_t>& dims) {
  int64_t whole = 1;
  for (const int64_t size : dims) whole *= size;
  return covered_elements(pieces) == whole;
}

bool is_complete(const ShardPieces& pieces, const std::vector<int64_t>& dims, TracedSums sums) {
  return covers(pieces, dims) && std::all_of(pieces.begin(), pieces.end(), [&](const ShardPiece& piece) {
           return sums.arrays.complete(piece, sums.sets);
         });
}

}  // namespace shardscope::inline story
