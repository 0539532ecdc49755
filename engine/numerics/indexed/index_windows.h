// SPDX-License-Identifier: Apache-2.0
// Windows of an array whose places follow from data: gather takes them, scatter writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/numerics/array/view.h"
#include "engine/program/ir/attributes.h"

namespace shardscope::inline numerics {

// Which dimensions of the array, the indices and the slices (a gather's result, a scatter's updates) are
// what.
struct IndexedDims {
  std::vector<int64_t> window;                      // of the slices: the others number the index vectors
  std::vector<int64_t> left_out;                    // of the array, one place each
  std::vector<int64_t> places;                      // by entry of an index vector: of the array
  std::vector<int64_t> array_batch, indices_batch;  // in pairs
  int64_t vector_dim = 0;                           // of the indices
  static IndexedDims of(const GatherDims& g);
  static IndexedDims of(const ScatterDims& s);
};

// Where the windows lie: one for each index vector, in row-major order. Offsets are in elements.
class IndexWindows {
 public:
  using Dims = std::vector<int64_t>;
  IndexWindows(IndexedDims dims, Dims array, Dims indices, Dims slices);

  int64_t count() const { return count_; }
  // The elements of one window, in row-major order of its dimensions.
  int64_t elements() const { return elements_; }
  // The size of the window along each dimension of the array: 1 where it has none.
  const Dims& sizes() const { return sizes_; }

  // `entries`: of all the indices. Where window n begins along each dimension of the array.
  Dims start(int64_t n, const std::vector<int64_t>& entries) const;
  int64_t in_array(const Dims& start) const;
  int64_t in_slices(int64_t n) const;

  // Calls run(offset in the array, offset in the slices, length, stride in the array, stride in the slices)
  // for stretches of one window, relative to where it begins.
  template <class F>
  void for_each_run(F&& run) const {
    if (elements_ == 0) return;
    const Axis inner = axes_.empty() ? Axis() : axes_.back();
    Dims at(axes_.empty() ? 0 : axes_.size() - 1, 0);
    for (;;) {
      int64_t array = 0, slices = 0;
      for (size_t k = 0; k < at.size(); ++k) {
        array += at[k] * axes_[k].in_array;
        slices += at[k] * axes_[k].in_slices;
      }
      run(array, slices, inner.size, inner.in_array, inner.in_slices);
      size_t k = at.size();
      while (k > 0 && ++at[k - 1] == axes_[k - 1].size) at[--k] = 0;
      if (k == 0) return;
    }
  }

 private:
  struct Axis {
    int64_t size = 1, in_array = 0, in_slices = 0;
  };
  // The place of index vector n along each of the indices' dimensions; 0 along that of the vector.
  Dims vector_place(int64_t n) const;

  IndexedDims dims_;
  Dims array_strides_, indices_, index_strides_, slice_strides_, sizes_;
  Dims around_;             // of the slices: the dimensions that number index vectors
  std::vector<Axis> axes_;  // of a window
  int64_t count_ = 1, elements_ = 1;
};

// All entries of integers, row-major.
std::vector<int64_t> index_entries(const View& indices);

}  // namespace shardscope::inline numerics
