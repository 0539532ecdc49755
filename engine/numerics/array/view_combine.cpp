// SPDX-License-Identifier: Apache-2.0
// Views made of several: concatenation and update.
#include <algorithm>

#include "engine/numerics/array/factors.h"
#include "engine/numerics/array/view.h"

namespace shardscope::inline numerics {

std::optional<View> View::concatenate(std::span<const View* const> parts, size_t dim) {
  const View& model = *parts.front();
  std::vector<std::vector<int64_t>> wanted(model.rank());
  for (size_t d = 0; d < model.rank(); ++d) {
    std::vector<int64_t> ends;
    for (const View* part : parts) {
      for (int64_t end : inner_products(part->factors_of(d))) ends.push_back(end);
    }
    if (d == dim) {
      // The inner factors must fit every part; the outermost one is what grows.
      const int64_t inner = ends.empty() ? 1 : *std::max_element(ends.begin(), ends.end());
      for (const View* part : parts) {
        if (inner == 0 || part->dims_[d] % inner != 0) return std::nullopt;
      }
      ends.push_back(inner);
      const auto factors = factors_with(ends, inner);
      if (!factors) return std::nullopt;
      wanted[d] = inner == 1 ? std::vector<int64_t>{} : *factors;
    } else {
      const auto factors = factors_with(ends, model.dims_[d]);
      if (!factors) return std::nullopt;
      wanted[d] = *factors;
    }
  }
  std::optional<View> result;
  int64_t start = 0;  // along the outermost factor of `dim`
  for (const View* part : parts) {
    if (part->dims_[dim] == 0) continue;
    View refined = *part;
    for (size_t d = 0; d < model.rank(); ++d) {
      std::vector<int64_t> factors = wanted[d];
      if (d == dim) factors.insert(factors.begin(), part->dims_[d] / count_of(wanted[d]));
      // A leading factor of 1 makes the number of factors the same in every part.
      if (refined.first_[d + 1] - refined.first_[d] < factors.size() && factors.front() == 1) {
        refined.split_factor(refined.first_[d], refined.factors_[refined.first_[d]]);
      }
      if (!refined.refine(d, factors)) return std::nullopt;
    }
    const size_t outer = refined.first_[dim];
    const int64_t size = refined.factors_[outer];
    for (Piece& piece : refined.pieces_) piece.extents[outer].start += start;
    start += size;
    if (!result) {
      result = std::move(refined);
      continue;
    }
    result->factors_[outer] = start;
    result->dims_[dim] += part->dims_[dim];
    for (Piece& piece : refined.pieces_) result->pieces_.push_back(std::move(piece));
  }
  if (!result) return model;
  result->drop_ones();
  return result;
}

std::optional<View> View::update(const View& update, std::span<const int64_t> start) const {
  View target = *this, box = update;
  std::vector<Extent> hole;  // by factor of target
  if (update.element_count() == 0) return target;
  for (size_t d = 0; d < rank(); ++d) {
    if (update.dims_[d] == dims_[d]) {
      std::vector<int64_t> ends = inner_products(target.factors_of(d));
      for (int64_t end : inner_products(box.factors_of(d))) ends.push_back(end);
      const auto factors = factors_with(std::move(ends), dims_[d]);
      if (!factors || !target.refine(d, *factors) || !box.refine(d, *factors)) return std::nullopt;
      for (int64_t factor : *factors) hole.push_back({0, factor, 0});
      continue;
    }
    if (target.first_[d + 1] - target.first_[d] != 1 || box.first_[d + 1] - box.first_[d] != 1)
      return std::nullopt;
    hole.push_back({start[d], update.dims_[d], 0});
    for (Piece& piece : box.pieces_) piece.extents[box.first_[d]].start += start[d];
  }
  std::vector<Piece> pieces;
  for (Piece& piece : target.pieces_) {
    // Cuts off what lies beside the hole, factor by factor; what remains lies in the hole and is dropped.
    bool meets = true;
    for (size_t f = 0; f < hole.size(); ++f) {
      const Extent& e = piece.extents[f];
      meets = meets && e.start < hole[f].start + hole[f].size && hole[f].start < e.start + e.size;
    }
    if (!meets) {
      pieces.push_back(std::move(piece));
      continue;
    }
    for (size_t f = 0; f < hole.size(); ++f) {
      const int64_t low = hole[f].start, high = low + hole[f].size;
      const auto part = [&](int64_t from, int64_t to) {
        Piece cut = piece;
        Extent& e = cut.extents[f];
        cut.data += (from - e.start) * e.stride * stored_bytes(type_, 1);
        e = {from, to - from, e.stride};
        return cut;
      };
      const int64_t from = piece.extents[f].start, to = from + piece.extents[f].size;
      if (from < low) pieces.push_back(part(from, low));
      if (to > high) pieces.push_back(part(high, to));
      piece = part(std::max(from, low), std::min(to, high));
    }
  }
  for (Piece& piece : box.pieces_) pieces.push_back(std::move(piece));
  target.pieces_ = std::move(pieces);
  return target;
}

}  // namespace shardscope::inline numerics
