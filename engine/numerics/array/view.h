// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// An array that is not there yet: a description of where its elements lie in other arrays. Gathered,
// permuted, sliced, reshaped, transposed, concatenated and updated values are views; nothing is copied until
// a product or a sum reads it.
//
// Each dimension is a product of factors, the first the most significant: 12 = 3·4 says that element 4a+b of
// the dimension is (a, b). A reshape only groups or splits factors. The array is cut into pieces: each is a
// box in the space of all factors and lies in one buffer with one stride per factor. Invariant: the pieces do
// not overlap and cover everything. Immutable once made.
class View {
 public:
  // Of one piece along one factor: [start, start+size), and the distance of neighbours in elements.
  struct Extent {
    int64_t start = 0;
    int64_t size = 1;
    int64_t stride = 0;
  };
  struct Piece {
    std::shared_ptr<const std::byte[]> buffer;  // keeps the memory
    const std::byte* data = nullptr;            // the piece's first element
    std::vector<Extent> extents;                // by factor
  };

  static View of(const Array& array);
  static View row_major(ElementType type, std::vector<int64_t> dims,
                        std::shared_ptr<const std::byte[]> buffer, const std::byte* data);
  // One element everywhere: `element` has one element.
  static View splat(const Array& element, std::vector<int64_t> dims);

  ElementType type() const { return type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  size_t rank() const { return dims_.size(); }
  int64_t element_count() const;
  const std::vector<int64_t>& factors() const { return factors_; }
  // The factors of dimension d are [first_factor(d), first_factor(d+1)).
  size_t first_factor(size_t dim) const { return first_[dim]; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  // The whole view lies in one buffer in row-major order, from data() on.
  bool contiguous() const;
  bool plain() const {
    return factors_.size() == rank() && contiguous();
  }                                                               // and no dimension has inner factors
  const std::byte* data() const { return pieces_.front().data; }  // of a contiguous view

  // The same elements, otherwise arranged. None: the view's factors do not allow it, copy it first (see
  // copy.h).
  std::optional<View> slice(size_t dim, int64_t start, int64_t limit, int64_t stride = 1) const;
  std::optional<View> reshape(std::vector<int64_t> dims) const;
  View transpose(std::span<const int64_t> permutation) const;
  // HLO's broadcast: dimension i of this is dimension map[i] of the result.
  View broadcast(std::vector<int64_t> dims, std::span<const int64_t> map) const;
  static std::optional<View> concatenate(std::span<const View* const> parts, size_t dim);
  std::optional<View> update(const View& update, std::span<const int64_t> start) const;

  // The view keeps no memory from now on, and is for reading as long as others do.
  void let_go() {
    for (Piece& piece : pieces_) piece.buffer.reset();
  }

 private:
  std::vector<int64_t> factors_of(size_t dim) const;
  void clip(size_t factor, int64_t start, int64_t limit, int64_t stride);
  void split_factor(size_t factor, int64_t inner);
  bool refine(size_t dim, std::span<const int64_t> factors);
  void drop_ones();

  ElementType type_ = ElementType::f32;
  std::vector<int64_t> dims_;
  std::vector<int64_t> factors_;
  std::vector<size_t> first_{0};
  std::vector<Piece> pieces_;
};

bool is_zero(const View& view);  // a splat of 0

}  // namespace shardscope::inline numerics
