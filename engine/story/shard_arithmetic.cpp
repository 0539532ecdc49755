// SPDX-License-Identifier: Apache-2.0
#include "engine/story/shard_arithmetic.h"

#include <algorithm>
#include <optional>

namespace shardscope {
namespace {

bool holds(const std::vector<int64_t>& list, size_t value) {
  return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end();
}

// Every dimension that moves in the global array does so in the contracting one if it is contracted, else in
// the other.
bool is_oriented(const ShardPiece& piece, const std::vector<int64_t>& contracting, int contracting_global) {
  for (size_t d = 0; d < piece.dims.size(); ++d) {
    if (piece.dims[d].digits.empty()) continue;
    if ((piece.dims[d].global == contracting_global) != holds(contracting, d)) return false;
  }
  return piece.base.size() == 2;
}

// What a contraction walks through: the digits of the contracting dimensions, in the dot's order.
std::vector<StrideDigits> contracted_digits(const ShardPiece& piece,
                                            const std::vector<int64_t>& contracting) {
  std::vector<StrideDigits> digits;
  for (const int64_t d : contracting) digits.push_back(piece.dims[static_cast<size_t>(d)].digits);
  return digits;
}

void append_free_dims(const ShardPiece& piece, const std::vector<int64_t>& contracting, int global,
                      ShardPiece& product) {
  for (size_t d = 0; d < piece.dims.size(); ++d) {
    if (holds(contracting, d)) continue;
    product.dims.push_back(piece.dims[d]);
    product.dims.back().global = global;
  }
}

// The product of two pieces over the same range of the contracting dimensions.
std::optional<ShardPiece> multiply_two(const ShardPiece& a, const ShardPiece& b, const DotDims& dot,
                                       const Orientation& orientation, ContractionSets& sets) {
  const int ka = orientation.contracting(a.array);
  const int kb = orientation.contracting(b.array);
  if (!is_oriented(a, dot.lhs_contracting, ka) || !is_oriented(b, dot.rhs_contracting, kb))
    return std::nullopt;
  const auto walk = contracted_digits(a, dot.lhs_contracting);
  const int64_t start = a.base[static_cast<size_t>(ka)];
  if (walk != contracted_digits(b, dot.rhs_contracting) || start != b.base[static_cast<size_t>(kb)])
    return std::nullopt;
  StrideDigits digits;
  for (const StrideDigits& part : walk) digits.insert(digits.end(), part.begin(), part.end());
  ShardPiece product;
  product.kind = ShardPiece::Kind::product;
  product.array = ArrayRole::product;
  product.k_set = sets.of_run(digits, start);
  const bool x_first = a.array == ArrayRole::lhs;
  append_free_dims(a, dot.lhs_contracting, x_first ? 0 : 1, product);
  append_free_dims(b, dot.rhs_contracting, x_first ? 1 : 0, product);
  const int64_t a_free = a.base[static_cast<size_t>(1 - ka)];
  const int64_t b_free = b.base[static_cast<size_t>(1 - kb)];
  product.base = x_first ? std::vector<int64_t>{a_free, b_free} : std::vector<int64_t>{b_free, a_free};
  return product;
}

// `box` with its contracting dimensions cut to what the other side covers.
IndexBox contraction_window(IndexBox box, const std::vector<int64_t>& dims, const IndexBox& other,
                            const std::vector<int64_t>& other_dims) {
  for (size_t k = 0; k < dims.size(); ++k) {
    IndexRange& mine = box[static_cast<size_t>(dims[k])];
    const IndexRange& its = other[static_cast<size_t>(other_dims[k])];
    mine = {std::max(mine.start, its.start), std::min(mine.stop, its.stop)};
  }
  return box;
}

bool same_contraction(const ShardPiece& a, const ShardPiece& b, const DotDims& dot) {
  for (size_t k = 0; k < dot.lhs_contracting.size(); ++k)
    if (a.dims[static_cast<size_t>(dot.lhs_contracting[k])].local !=
        b.dims[static_cast<size_t>(dot.rhs_contracting[k])].local)
      return false;
  return true;
}

// Products of the same elements over different contraction indices are one piece.
void accumulate(ShardPieces& out, ShardPiece product, ContractionSets& sets) {
  for (ShardPiece& piece : out) {
    if (piece.dims != product.dims || piece.base != product.base) continue;
    piece.k_set = sets.unite(piece.k_set, product.k_set);
    return;
  }
  out.push_back(std::move(product));
}

std::optional<ShardPiece> add_two(const ShardPiece& a, const ShardPiece& b, ContractionSets& sets) {
  if (a.kind == ShardPiece::Kind::zero) return b;
  if (b.kind == ShardPiece::Kind::zero) return a;
  if (a.kind != ShardPiece::Kind::product || b.kind != ShardPiece::Kind::product) return std::nullopt;
  ShardPiece sum = b;
  sum.k_set = a.k_set;
  if (sum != a) return std::nullopt;
  sum.k_set = sets.unite(a.k_set, b.k_set);
  return sum;
}

void add_overlap(const ShardPiece& a, const ShardPiece& b, ContractionSets& sets, ShardPieces& out) {
  const IndexBox box_a = local_box(a);
  const IndexBox box_b = local_box(b);
  if (!intersects(box_a, box_b)) return;
  if (box_a == box_b) {
    if (auto sum = add_two(a, b, sets)) out.push_back(*std::move(sum));
    return;
  }
  ShardPieces parts_a;
  ShardPieces parts_b;
  append_inside(a, box_b, parts_a);
  append_inside(b, box_a, parts_b);
  for (const ShardPiece& part_a : parts_a)
    for (const ShardPiece& part_b : parts_b) add_overlap(part_a, part_b, sets, out);
}

}  // namespace

ShardPieces multiply_pieces(const ShardPieces& lhs, const ShardPieces& rhs, const Instruction& instruction,
                            const Orientation& orientation, ContractionSets& sets) {
  const DotDims& dot = instruction.dot;
  ShardPieces out;
  if (!dot.lhs_batch.empty()) return out;
  for (const ShardPiece& a : lhs) {
    for (const ShardPiece& b : rhs) {
      const bool x_and_w = a.kind == ShardPiece::Kind::input && b.kind == ShardPiece::Kind::input &&
                           ((a.array == ArrayRole::lhs && b.array == ArrayRole::rhs) ||
                            (a.array == ArrayRole::rhs && b.array == ArrayRole::lhs));
      if (!x_and_w) continue;
      ShardPieces parts_a;
      ShardPieces parts_b;
      append_inside(a,
                    contraction_window(local_box(a), dot.lhs_contracting, local_box(b), dot.rhs_contracting),
                    parts_a);
      append_inside(b,
                    contraction_window(local_box(b), dot.rhs_contracting, local_box(a), dot.lhs_contracting),
                    parts_b);
      for (const ShardPiece& part_a : parts_a)
        for (const ShardPiece& part_b : parts_b)
          if (same_contraction(part_a, part_b, dot))
            if (auto product = multiply_two(part_a, part_b, dot, orientation, sets))
              accumulate(out, *std::move(product), sets);
    }
  }
  merge_neighbours(out);
  return out;
}

ShardPieces add_pieces(const ShardPieces& a, const ShardPieces& b, ContractionSets& sets) {
  ShardPieces out;
  for (const ShardPiece& piece_a : a)
    for (const ShardPiece& piece_b : b) add_overlap(piece_a, piece_b, sets, out);
  merge_neighbours(out);
  return out;
}

}  // namespace shardscope
