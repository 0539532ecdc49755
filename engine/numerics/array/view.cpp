// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/view.h"

#include <algorithm>
#include <cstring>

#include "engine/numerics/array/factors.h"

namespace shardscope::inline numerics {

View View::of(const Array& array) {
  return row_major(array.type(), array.dims(), array.buffer(), array.data());
}

View View::row_major(ElementType type, std::vector<int64_t> dims, std::shared_ptr<const std::byte[]> buffer,
                     const std::byte* data) {
  View view;
  view.type_ = type;
  view.dims_ = dims;
  view.factors_ = std::move(dims);
  Piece piece{std::move(buffer), data, std::vector<Extent>(view.dims_.size())};
  int64_t stride = 1;
  for (size_t i = view.dims_.size(); i-- > 0;) {
    piece.extents[i] = {0, view.dims_[i], stride};
    stride *= view.dims_[i];
  }
  for (size_t i = 0; i < view.dims_.size(); ++i) view.first_.push_back(i + 1);
  view.pieces_.push_back(std::move(piece));
  return view;
}

View View::splat(const Array& element, std::vector<int64_t> dims) {
  View view;
  view.type_ = element.type();
  view.dims_ = dims;
  view.factors_ = std::move(dims);
  Piece piece{element.buffer(), element.data(), {}};
  for (size_t i = 0; i < view.dims_.size(); ++i) {
    piece.extents.push_back({0, view.dims_[i], 0});
    view.first_.push_back(i + 1);
  }
  view.pieces_.push_back(std::move(piece));
  return view;
}

int64_t View::element_count() const {
  return count_of(dims_);
}

bool View::contiguous() const {
  if (pieces_.size() != 1) return false;
  int64_t stride = 1;
  const std::vector<Extent>& extents = pieces_.front().extents;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i].size != factors_[i]) return false;
    if (factors_[i] != 1 && extents[i].stride != stride) return false;
    stride *= factors_[i];
  }
  return true;
}

bool is_zero(const View& view) {
  static constexpr std::byte kZeros[16] = {};
  const auto size = static_cast<size_t>(stored_bytes(view.type(), 1));
  for (const View::Piece& piece : view.pieces()) {
    for (const View::Extent& e : piece.extents) {
      if (e.size != 1 && e.stride != 0) return false;
    }
    if (std::memcmp(piece.data, kZeros, size) != 0) return false;
  }
  return true;
}

std::vector<int64_t> View::factors_of(size_t dim) const {
  return {factors_.begin() + static_cast<std::ptrdiff_t>(first_[dim]),
          factors_.begin() + static_cast<std::ptrdiff_t>(first_[dim + 1])};
}

// Keeps indices start, start+stride, … below limit of one factor.
void View::clip(size_t factor, int64_t start, int64_t limit, int64_t stride) {
  const int64_t kept = limit <= start ? 0 : (limit - start + stride - 1) / stride;
  std::vector<Piece> pieces;
  for (Piece& piece : pieces_) {
    Extent& e = piece.extents[factor];
    const int64_t first = e.start <= start ? 0 : (e.start - start + stride - 1) / stride;
    const int64_t end = e.start + e.size <= start ? 0 : (e.start + e.size - start + stride - 1) / stride;
    const int64_t size = std::min(end, kept) - first;
    if (size <= 0 && kept > 0) continue;
    piece.data += (start + first * stride - e.start) * e.stride * stored_bytes(type_, 1);
    e = {first, std::max<int64_t>(size, 0), e.stride * stride};
    pieces.push_back(std::move(piece));
    if (kept == 0) break;  // an empty array has one empty piece
  }
  pieces_ = std::move(pieces);
  factors_[factor] = kept;
}

std::optional<View> View::slice(size_t dim, int64_t start, int64_t limit, int64_t stride) const {
  View result = *this;
  result.dims_[dim] = limit <= start ? 0 : (limit - start + stride - 1) / stride;
  for (size_t f = first_[dim]; f < first_[dim + 1]; ++f) {
    int64_t inner = 1;
    for (size_t i = f + 1; i < first_[dim + 1]; ++i) inner *= factors_[i];
    if (inner == 1 || (stride == 1 && start % inner == 0 && limit % inner == 0)) {
      result.clip(f, start / inner, limit / inner, stride);
      result.drop_ones();
      return result;
    }
    const int64_t index = start / inner;
    if ((limit - 1) / inner != index) return std::nullopt;
    result.clip(f, index, index + 1, 1);
    start -= index * inner;
    limit -= index * inner;
  }
  return std::nullopt;
}

// Factor f becomes (f / inner, inner). A piece that is no box afterwards is cut in up to three.
void View::split_factor(size_t factor, int64_t inner) {
  std::vector<Piece> pieces;
  const auto add = [&](const Piece& piece, int64_t start, int64_t size) {
    if (size <= 0) return;
    const Extent& e = piece.extents[factor];
    Piece part = piece;
    part.data += (start - e.start) * e.stride * stored_bytes(type_, 1);
    const bool rows = start % inner == 0 && size % inner == 0;
    const Extent outer_extent{start / inner, rows ? size / inner : 1, e.stride * inner};
    const Extent inner_extent{start % inner, rows ? inner : size, e.stride};
    part.extents[factor] = outer_extent;
    part.extents.insert(part.extents.begin() + static_cast<std::ptrdiff_t>(factor) + 1, inner_extent);
    pieces.push_back(std::move(part));
  };
  for (const Piece& piece : pieces_) {
    const int64_t start = piece.extents[factor].start, end = start + piece.extents[factor].size;
    if (start / inner == (end - 1) / inner) {
      add(piece, start, end - start);
      continue;
    }
    const int64_t head = (start + inner - 1) / inner * inner, tail = end / inner * inner;
    add(piece, start, head - start);
    add(piece, head, tail - head);
    add(piece, tail, end - tail);
  }
  pieces_ = std::move(pieces);
  factors_[factor] /= inner;
  factors_.insert(factors_.begin() + static_cast<std::ptrdiff_t>(factor) + 1, inner);
  for (size_t& first : first_) first += first > factor;
}

// Splits the factors of `dim` until they are `factors`; false when these are no refinement.
bool View::refine(size_t dim, std::span<const int64_t> factors) {
  size_t f = first_[dim];
  for (size_t i = 0; i < factors.size(); ++i, ++f) {
    if (f >= first_[dim + 1]) return false;
    if (factors_[f] == factors[i]) continue;
    if (factors[i] == 0 || factors_[f] % factors[i] != 0) return false;
    split_factor(f, factors_[f] / factors[i]);
  }
  return f == first_[dim + 1];
}

// Factors of 1 say nothing; a dimension keeps one factor at least.
void View::drop_ones() {
  for (size_t d = 0; d < rank(); ++d) {
    for (size_t f = first_[d]; f < first_[d + 1] && first_[d + 1] - first_[d] > 1;) {
      if (factors_[f] != 1) {
        ++f;
        continue;
      }
      factors_.erase(factors_.begin() + static_cast<std::ptrdiff_t>(f));
      for (Piece& piece : pieces_)
        piece.extents.erase(piece.extents.begin() + static_cast<std::ptrdiff_t>(f));
      for (size_t i = d + 1; i < first_.size(); ++i) --first_[i];
    }
  }
}

std::optional<View> View::reshape(std::vector<int64_t> dims) const {
  if (dims == dims_) return *this;
  if (contiguous()) return row_major(type_, std::move(dims), pieces_.front().buffer, data());
  if (element_count() == 0) return std::nullopt;
  // One dimension of all factors but the ones; then its factors are refined so that every new dimension ends
  // at one.
  View result;
  result.type_ = type_;
  for (size_t f = 0; f < factors_.size(); ++f) {
    if (factors_[f] != 1) result.factors_.push_back(factors_[f]);
  }
  const bool no_factors = result.factors_.empty();
  if (no_factors) result.factors_.push_back(1);
  result.first_ = {0, result.factors_.size()};
  result.dims_ = {element_count()};
  result.pieces_ = pieces_;
  for (Piece& piece : result.pieces_) {
    size_t kept = 0;
    for (size_t f = 0; f < factors_.size(); ++f) {
      if (factors_[f] != 1) piece.extents[kept++] = piece.extents[f];
    }
    piece.extents.resize(kept);
    if (no_factors) piece.extents.push_back({0, 1, 0});
  }
  std::vector<int64_t> ends = inner_products(result.factors_);
  for (int64_t end : inner_products(dims)) ends.push_back(end);
  const auto factors = factors_with(std::move(ends), element_count());
  if (!factors || !result.refine(0, *factors)) return std::nullopt;
  // Groups the factors by the new dimensions; a dimension of 1 gets a factor 1.
  View grouped;
  grouped.type_ = type_;
  grouped.dims_ = std::move(dims);
  grouped.pieces_ = result.pieces_;
  for (Piece& piece : grouped.pieces_) piece.extents.clear();
  size_t f = 0;
  for (int64_t dim : grouped.dims_) {
    int64_t product = 1;
    do {
      const bool one = product == dim;
      grouped.factors_.push_back(one ? 1 : result.factors_[f]);
      for (size_t p = 0; p < grouped.pieces_.size(); ++p) {
        grouped.pieces_[p].extents.push_back(one ? Extent{0, 1, 0} : result.pieces_[p].extents[f]);
      }
      product *= grouped.factors_.back();
      f += !one;
    } while (product < dim);
    grouped.first_.push_back(grouped.factors_.size());
  }
  return grouped;
}

View View::transpose(std::span<const int64_t> permutation) const {
  View result;
  result.type_ = type_;
  result.pieces_ = pieces_;
  for (Piece& piece : result.pieces_) piece.extents.clear();
  for (int64_t from : permutation) {
    const size_t dim = static_cast<size_t>(from);
    result.dims_.push_back(dims_[dim]);
    for (size_t f = first_[dim]; f < first_[dim + 1]; ++f) {
      result.factors_.push_back(factors_[f]);
      for (size_t p = 0; p < pieces_.size(); ++p) result.pieces_[p].extents.push_back(pieces_[p].extents[f]);
    }
    result.first_.push_back(result.factors_.size());
  }
  return result;
}

View View::broadcast(std::vector<int64_t> dims, std::span<const int64_t> map) const {
  View result;
  result.type_ = type_;
  result.dims_ = std::move(dims);
  result.pieces_ = pieces_;
  for (Piece& piece : result.pieces_) piece.extents.clear();
  for (size_t d = 0; d < result.dims_.size(); ++d) {
    const auto from = std::find(map.begin(), map.end(), static_cast<int64_t>(d));
    if (from == map.end()) {
      result.factors_.push_back(result.dims_[d]);
      for (Piece& piece : result.pieces_) piece.extents.push_back({0, result.dims_[d], 0});
    } else {
      const size_t dim = static_cast<size_t>(from - map.begin());
      for (size_t f = first_[dim]; f < first_[dim + 1]; ++f) {
        result.factors_.push_back(factors_[f]);
        for (size_t p = 0; p < pieces_.size(); ++p)
          result.pieces_[p].extents.push_back(pieces_[p].extents[f]);
      }
    }
    result.first_.push_back(result.factors_.size());
  }
  return result;
}

}  // namespace shardscope::inline numerics
