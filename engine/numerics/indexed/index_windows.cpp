// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/indexed/index_windows.h"

#include <type_traits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/index_space.h"

namespace shardscope::inline numerics {

IndexedDims IndexedDims::of(const GatherDims& g) {
  return {g.offset_dims,           g.collapsed_slice_dims,        g.start_index_map,
          g.operand_batching_dims, g.start_indices_batching_dims, g.index_vector_dim};
}

IndexedDims IndexedDims::of(const ScatterDims& s) {
  return {s.update_window_dims,  s.inserted_window_dims,  s.to_operand_dims,
          s.input_batching_dims, s.indices_batching_dims, s.index_vector_dim};
}

IndexWindows::IndexWindows(IndexedDims dims, Dims array, Dims indices, Dims slices)
    : dims_(std::move(dims)),
      array_strides_(row_major_strides(array)),
      indices_(std::move(indices)),
      index_strides_(row_major_strides(indices_)),
      slice_strides_(row_major_strides(slices)),
      sizes_(array.size(), 1) {
  Dims kept;
  for (size_t d = 0; d < array.size(); ++d)
    if (!holds(dims_.left_out, d) && !holds(dims_.array_batch, d)) kept.push_back(static_cast<int64_t>(d));
  for (size_t d = 0; d < slices.size(); ++d) {
    if (!holds(dims_.window, d)) {
      around_.push_back(static_cast<int64_t>(d));
      count_ *= slices[d];
      continue;
    }
    const auto of_array = static_cast<size_t>(kept[axes_.size()]);
    sizes_[of_array] = slices[d];
    axes_.push_back({slices[d], array_strides_[of_array], slice_strides_[d]});
    elements_ *= slices[d];
  }
}

IndexWindows::Dims IndexWindows::vector_place(int64_t n) const {
  Dims place(indices_.size(), 0);
  for (size_t d = place.size(); d-- > 0;) {
    if (static_cast<int64_t>(d) == dims_.vector_dim) continue;
    place[d] = n % indices_[d];
    n /= indices_[d];
  }
  return place;
}

IndexWindows::Dims IndexWindows::start(int64_t n, const std::vector<int64_t>& entries) const {
  const Dims place = vector_place(n);
  const int64_t first = flat_place(place, index_strides_);
  const auto vector = static_cast<size_t>(dims_.vector_dim);
  const int64_t step = vector < index_strides_.size() ? index_strides_[vector] : 0;
  Dims out(sizes_.size(), 0);
  for (size_t k = 0; k < dims_.places.size(); ++k)
    out[static_cast<size_t>(dims_.places[k])] =
        entries[static_cast<size_t>(first + static_cast<int64_t>(k) * step)];
  for (size_t k = 0; k < dims_.array_batch.size(); ++k)
    out[static_cast<size_t>(dims_.array_batch[k])] = place[static_cast<size_t>(dims_.indices_batch[k])];
  return out;
}

int64_t IndexWindows::in_array(const Dims& start) const {
  return flat_place(start, array_strides_);
}

int64_t IndexWindows::in_slices(int64_t n) const {
  // The slices' dimensions around their windows are those of the indices, in order.
  const Dims place = vector_place(n);
  int64_t out = 0;
  for (size_t k = 0, d = 0; k < around_.size(); ++k, ++d) {
    if (static_cast<int64_t>(d) == dims_.vector_dim) ++d;
    out += place[d] * slice_strides_[static_cast<size_t>(around_[k])];
  }
  return out;
}

std::vector<int64_t> index_entries(const View& indices) {
  std::vector<int64_t> out(static_cast<size_t>(indices.element_count()));
  element::visit(indices.type(), [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (std::is_arithmetic_v<typename Tag::Computed>) {
      const auto* from = reinterpret_cast<const typename Tag::Stored*>(indices.data());
      for (int64_t& entry : out) entry = static_cast<int64_t>(element::real_part(Tag::load(*from++)));
    }
  });
  return out;
}

}  // namespace shardscope::inline numerics
