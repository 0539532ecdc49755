// SPDX-License-Identifier: Apache-2.0
// What a dot or a reduce makes of pieces: parts of the sum that its contraction is.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/opcode.h"
#include "engine/story/shard_arithmetic.h"

namespace shardscope::inline story {
namespace {

bool holds(const std::vector<int64_t>& list, size_t value) {
  return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end();
}

// Which global dimensions of a piece a product contracts, takes as batch or leaves free; none when one is
// used in two ways, or when what it repeats would be summed.
std::optional<std::vector<DimUse>> uses_of(const ShardPiece& piece, const std::vector<int64_t>& contracting,
                                           const std::vector<int64_t>& batch) {
  std::vector<DimUse> uses(piece.base.size(), DimUse::unset);
  // What moves decides; a dimension of size 1 only where nothing does.
  for (const bool moving : {true, false}) {
    for (size_t d = 0; d < piece.dims.size(); ++d) {
      const PieceDim& dim = piece.dims[d];
      if (dim.digits.empty() == moving) continue;
      const DimUse use = holds(contracting, d) ? DimUse::contracted
                         : holds(batch, d)     ? DimUse::batch
                                               : DimUse::free;
      if (dim.global < 0) {
        if (use != DimUse::free && moving) return std::nullopt;
        continue;
      }
      DimUse& known = uses[static_cast<size_t>(dim.global)];
      if (known == DimUse::unset) known = use;
      if (known != use && moving) return std::nullopt;
    }
  }
  return uses;
}

bool agree(const std::vector<DimUse>& uses, const std::vector<DimUse>& known) {
  for (size_t g = 0; g < uses.size(); ++g)
    if (uses[g] != DimUse::unset && uses[g] != known[g]) return false;
  return true;
}

std::vector<int> order_of(const ShardPiece& piece, const std::vector<int64_t>& contracting) {
  std::vector<int> order;
  for (const int64_t d : contracting) {
    const int global = piece.dims[static_cast<size_t>(d)].global;
    if (global >= 0 && std::find(order.begin(), order.end(), global) == order.end()) order.push_back(global);
  }
  return order;
}

// A dot's two sides, the array that comes first in the table before the other.
struct Sides {
  const ShardPiece& first;
  const ShardPiece& second;
  const std::vector<int64_t>& first_contracting;
  const std::vector<int64_t>& second_contracting;
};

const Contraction* contraction_of(const Sides& s, std::vector<DimUse> first_use,
                                  std::vector<DimUse> second_use, const std::string& name,
                                  TracedArrays& arrays) {
  for (const Contraction& c : arrays.contractions())
    if (c.first == s.first.array && c.second == s.second.array && agree(first_use, c.first_use) &&
        agree(second_use, c.second_use))
      return &c;
  std::replace(first_use.begin(), first_use.end(), DimUse::unset, DimUse::free);
  std::replace(second_use.begin(), second_use.end(), DimUse::unset, DimUse::free);
  Contraction c{s.first.array,
                s.second.array,
                std::move(first_use),
                std::move(second_use),
                order_of(s.first, s.first_contracting),
                order_of(s.second, s.second_contracting),
                0};
  const bool paired = c.first_order.size() == c.second_order.size();
  if (!paired) {  // reshaped on one side: both are flattened in their arrays' order
    std::sort(c.first_order.begin(), c.first_order.end());
    std::sort(c.second_order.begin(), c.second_order.end());
  }
  int64_t terms[2] = {1, 1};
  for (const int g : c.first_order) terms[0] *= arrays.at(c.first).dims[static_cast<size_t>(g)];
  for (const int g : c.second_order) terms[1] *= arrays.at(c.second).dims[static_cast<size_t>(g)];
  if (terms[0] != terms[1]) return nullptr;
  return &arrays.add_contraction(std::move(c), name);
}

// Where a contraction walks in the flattened contracted dimensions of one side.
struct Walk {
  StrideDigits digits;
  int64_t base = 0;
  bool operator==(const Walk&) const = default;
};

Walk walk_of(const ShardPiece& piece, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  Walk walk;
  for (const int64_t d : dims) {
    const PieceDim& dim = piece.dims[static_cast<size_t>(d)];
    if (dim.global < 0) continue;
    for (const StrideDigit& digit : dim.digits)
      walk.digits.push_back({digit.extent, digit.stride * strides[static_cast<size_t>(dim.global)]});
  }
  normalise(walk.digits);
  for (size_t g = 0; g < strides.size(); ++g) walk.base += piece.base[g] * strides[g];
  return walk;
}

// By global dimension of a side, its place in the product; -1: contracted, or the other side's.
std::vector<int> places_in_product(const std::vector<DimUse>& uses, bool with_batch, int from) {
  std::vector<int> places;
  for (const DimUse use : uses) {
    const bool there = use == DimUse::free || (with_batch && use == DimUse::batch);
    places.push_back(there ? from++ : -1);
  }
  return places;
}

void append_dims(const ShardPiece& piece, const std::vector<int64_t>& which, const std::vector<int>& places,
                 ShardPiece& product) {
  for (const int64_t d : which) {
    product.dims.push_back(piece.dims[static_cast<size_t>(d)]);
    int& global = product.dims.back().global;
    if (global >= 0) global = places[static_cast<size_t>(global)];
  }
}

bool same_batch(const ShardPiece& a, const ShardPiece& b, const DotDims& dot) {
  for (size_t k = 0; k < dot.lhs_batch.size(); ++k) {
    const PieceDim& x = a.dims[static_cast<size_t>(dot.lhs_batch[k])];
    const PieceDim& y = b.dims[static_cast<size_t>(dot.rhs_batch[k])];
    if (x.digits != y.digits) return false;
    if (x.global >= 0 && y.global >= 0 &&
        a.base[static_cast<size_t>(x.global)] != b.base[static_cast<size_t>(y.global)])
      return false;
  }
  return true;
}

// The product of two pieces over the same range of the contracting dimensions.
std::optional<ShardPiece> multiply_two(const ShardPiece& a, const ShardPiece& b, const Instruction& i,
                                       TracedSums sums) {
  const DotDims& dot = i.dot;
  if (!sums.arrays.complete(a, sums.sets) || !sums.arrays.complete(b, sums.sets) || !same_batch(a, b, dot))
    return std::nullopt;
  const auto a_use = uses_of(a, dot.lhs_contracting, dot.lhs_batch);
  const auto b_use = uses_of(b, dot.rhs_contracting, dot.rhs_batch);
  if (!a_use || !b_use) return std::nullopt;
  const bool in_order = a.array <= b.array;
  const Sides sides = in_order ? Sides{a, b, dot.lhs_contracting, dot.rhs_contracting}
                               : Sides{b, a, dot.rhs_contracting, dot.lhs_contracting};
  const Contraction* c = contraction_of(sides, in_order ? *a_use : *b_use, in_order ? *b_use : *a_use,
                                        value_name(i), sums.arrays);
  if (c == nullptr) return std::nullopt;
  const Walk walk =
      walk_of(sides.first, sides.first_contracting, flat_strides(sums.arrays.at(c->first), c->first_order));
  if (walk != walk_of(sides.second, sides.second_contracting,
                      flat_strides(sums.arrays.at(c->second), c->second_order))) {
    sums.sets.note_mismatch();
    return std::nullopt;
  }
  ShardPiece product;
  product.kind = ShardPiece::Kind::part;
  product.array = c->product;
  product.k_set = sums.sets.of_run(walk.digits, walk.base);
  const std::vector<int> first_places = places_in_product(c->first_use, true, 0);
  const int firsts = static_cast<int>(
      std::count_if(first_places.begin(), first_places.end(), [](int place) { return place >= 0; }));
  std::vector<int> second_places = places_in_product(c->second_use, false, firsts);
  product.base.assign(sums.arrays.at(c->product).dims.size(), 0);
  for (size_t g = 0; g < first_places.size(); ++g)
    if (first_places[g] >= 0) product.base[static_cast<size_t>(first_places[g])] = sides.first.base[g];
  for (size_t g = 0; g < second_places.size(); ++g)
    if (second_places[g] >= 0) product.base[static_cast<size_t>(second_places[g])] = sides.second.base[g];
  const auto& batch = in_order ? dot.lhs_batch : dot.rhs_batch;
  append_dims(sides.first, batch, first_places, product);
  append_dims(a, free_dims(a.dims.size(), dot.lhs_batch, dot.lhs_contracting),
              in_order ? first_places : second_places, product);
  append_dims(b, free_dims(b.dims.size(), dot.rhs_batch, dot.rhs_contracting),
              in_order ? second_places : first_places, product);
  return product;
}

// `box` with the dimensions that both sides share cut to what the other side covers.
IndexBox shared_window(IndexBox box, const std::vector<int64_t>& dims, const IndexBox& other,
                       const std::vector<int64_t>& other_dims) {
  for (size_t k = 0; k < dims.size(); ++k) {
    IndexRange& mine = box[static_cast<size_t>(dims[k])];
    const IndexRange& its = other[static_cast<size_t>(other_dims[k])];
    mine = {std::max(mine.start, its.start), std::min(mine.stop, its.stop)};
  }
  return box;
}

bool same_ranges(const ShardPiece& a, const std::vector<int64_t>& a_dims, const ShardPiece& b,
                 const std::vector<int64_t>& b_dims) {
  for (size_t k = 0; k < a_dims.size(); ++k)
    if (a.dims[static_cast<size_t>(a_dims[k])].local != b.dims[static_cast<size_t>(b_dims[k])].local)
      return false;
  return true;
}

std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Products of the same elements over different contraction indices are one piece.
void accumulate(ShardPieces& out, ShardPiece product, ContractionSets& sets) {
  for (ShardPiece& piece : out) {
    if (piece.array != product.array || piece.dims != product.dims || piece.base != product.base) continue;
    piece.k_set = sets.unite(piece.k_set, product.k_set);
    return;
  }
  out.push_back(std::move(product));
}

// Where in the product what one box of each side gives is.
IndexBox product_box(const IndexBox& a, const IndexBox& b, const DotDims& dot) {
  IndexBox box;
  for (const int64_t d : dot.lhs_batch) box.push_back(a[static_cast<size_t>(d)]);
  for (const int64_t d : free_dims(a.size(), dot.lhs_batch, dot.lhs_contracting))
    box.push_back(a[static_cast<size_t>(d)]);
  for (const int64_t d : free_dims(b.size(), dot.rhs_batch, dot.rhs_contracting))
    box.push_back(b[static_cast<size_t>(d)]);
  return box;
}

// The parts of an operand's box that no piece covers.
std::vector<IndexBox> unknown_boxes(const TracedOperand& operand) {
  if (covers(operand.pieces, operand.dims)) return {};
  ShardPieces rest = {zero_piece(operand.dims)};
  for (const ShardPiece& piece : operand.pieces) {
    ShardPieces next;
    for (const ShardPiece& part : rest) append_outside(part, local_box(piece), next);
    rest = std::move(next);
  }
  std::vector<IndexBox> boxes;
  for (const ShardPiece& part : rest) boxes.push_back(local_box(part));
  return boxes;
}

struct ProductParts {
  ShardPieces known, zeros;
  std::vector<IndexBox> unknown;

  ShardPieces whole() {
    // What is zero beside something is that something.
    for (const ShardPiece& zero : zeros) {
      ShardPieces rest = {zero};
      for (const ShardPiece& piece : known) {
        ShardPieces next;
        for (const ShardPiece& part : rest) append_outside(part, local_box(piece), next);
        rest = std::move(next);
      }
      known.insert(known.end(), rest.begin(), rest.end());
    }
    for (const IndexBox& box : unknown) {
      ShardPieces next;
      for (const ShardPiece& piece : known) append_outside(piece, box, next);
      known = std::move(next);
    }
    merge_neighbours(known);
    return std::move(known);
  }
};

ShardPiece zero_at(const IndexBox& box) {
  std::vector<int64_t> sizes;
  for (const IndexRange& r : box) sizes.push_back(r.size());
  ShardPiece piece = zero_piece(sizes);
  for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, box[d].start);
  return piece;
}

}  // namespace

ShardPieces multiply_pieces(const TracedOperand& lhs, const TracedOperand& rhs,
                            const Instruction& instruction, TracedSums sums) {
  const DotDims& dot = instruction.dot;
  const IndexBox whole_lhs = local_box(zero_piece(lhs.dims));
  const IndexBox whole_rhs = local_box(zero_piece(rhs.dims));
  const std::vector<int64_t> a_shared = joined(dot.lhs_contracting, dot.lhs_batch);
  const std::vector<int64_t> b_shared = joined(dot.rhs_contracting, dot.rhs_batch);
  ProductParts out;
  for (const IndexBox& box : unknown_boxes(lhs)) out.unknown.push_back(product_box(box, whole_rhs, dot));
  for (const IndexBox& box : unknown_boxes(rhs)) out.unknown.push_back(product_box(whole_lhs, box, dot));
  for (const ShardPiece& a : lhs.pieces) {
    if (!sums.budget.take(static_cast<int64_t>(rhs.pieces.size()))) return {};
    for (const ShardPiece& b : rhs.pieces) {
      ShardPieces parts_a;
      ShardPieces parts_b;
      append_inside(a, shared_window(local_box(a), a_shared, local_box(b), b_shared), parts_a);
      append_inside(b, shared_window(local_box(b), b_shared, local_box(a), a_shared), parts_b);
      for (const ShardPiece& part_a : parts_a) {
        for (const ShardPiece& part_b : parts_b) {
          if (!same_ranges(part_a, a_shared, part_b, b_shared)) continue;
          const IndexBox box = product_box(local_box(part_a), local_box(part_b), dot);
          if (part_a.kind == ShardPiece::Kind::zero || part_b.kind == ShardPiece::Kind::zero) {
            const ShardPiece zero = zero_at(box);
            if (std::find(out.zeros.begin(), out.zeros.end(), zero) == out.zeros.end())
              out.zeros.push_back(zero);
          } else if (part_a.kind != ShardPiece::Kind::part || part_b.kind != ShardPiece::Kind::part) {
            out.unknown.push_back(box);
          } else if (auto product = multiply_two(part_a, part_b, instruction, sums)) {
            accumulate(out.known, *std::move(product), sums.sets);
          } else {
            out.unknown.push_back(box);
          }
        }
      }
    }
  }
  return out.whole();
}

ShardPieces reduce_pieces(const TracedOperand& value, const Instruction& reduce, Opcode reducer,
                          TracedSums sums) {
  ProductParts out;
  const auto kept = [&](const IndexBox& whole) {
    IndexBox box;
    for (size_t d = 0; d < whole.size(); ++d)
      if (!holds(reduce.dimensions, d)) box.push_back(whole[d]);
    return box;
  };
  for (const IndexBox& box : unknown_boxes(value)) out.unknown.push_back(kept(box));
  for (const ShardPiece& piece : value.pieces) {
    if (!sums.budget.take(static_cast<int64_t>(out.known.size() + 1))) return {};
    const IndexBox box = kept(local_box(piece));
    const auto use = uses_of(piece, reduce.dimensions, {});
    if (piece.kind == ShardPiece::Kind::zero && reducer == Opcode::add) {
      out.zeros.push_back(zero_at(box));
      continue;
    }
    if (piece.kind != ShardPiece::Kind::part || !use || !sums.arrays.complete(piece, sums.sets)) {
      out.unknown.push_back(box);
      continue;
    }
    const TracedArray from = sums.arrays.at(piece.array);
    TracedArray made{value_name(reduce), {}, 1, reducer, from.device};
    std::vector<int> places;
    std::vector<int> order;
    std::string key = fmt::format("reduce {} {}", static_cast<int>(reducer), piece.array);
    for (size_t g = 0; g < from.dims.size(); ++g) {
      const bool summed = (*use)[g] == DimUse::contracted;
      places.push_back(summed ? -1 : static_cast<int>(made.dims.size()));
      if (summed) {
        order.push_back(static_cast<int>(g));
        made.terms *= from.dims[g];
        key += fmt::format(" {}", g);
      } else {
        made.dims.push_back(from.dims[g]);
      }
    }
    const Walk walk = walk_of(piece, reduce.dimensions, flat_strides(from, order));
    ShardPiece sum;
    sum.kind = ShardPiece::Kind::part;
    sum.array = sums.arrays.find_or_add(key, made);
    sum.k_set = sums.sets.of_run(walk.digits, walk.base);
    for (size_t g = 0; g < places.size(); ++g)
      if (places[g] >= 0) sum.base.push_back(piece.base[g]);
    append_dims(piece, free_dims(piece.dims.size(), {}, reduce.dimensions), places, sum);
    accumulate(out.known, std::move(sum), sums.sets);
  }
  return out.whole();
}

}  // namespace shardscope::inline story
