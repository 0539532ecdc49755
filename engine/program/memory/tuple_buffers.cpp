// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/tuple_buffers.h"

namespace shardscope::inline program {

size_t buffer_count(const Shape& shape) {
  if (!shape.is_tuple) return 1;
  size_t out = 1;
  for (const Shape& element : *shape.elements) out += buffer_count(element);
  return out;
}

size_t buffer_place(const Shape& tuple, int64_t which) {
  size_t out = 1;
  for (int64_t k = 0; k < which; ++k) out += buffer_count((*tuple.elements)[static_cast<size_t>(k)]);
  return out;
}

std::vector<int32_t> buffers_of_element(const Shape& tuple, const std::vector<int32_t>& buffers,
                                        int64_t which) {
  if (!tuple.is_tuple || which < 0 || which >= std::ssize(*tuple.elements)) return buffers;
  const auto from = buffers.begin() + static_cast<std::ptrdiff_t>(buffer_place(tuple, which));
  const size_t count = buffer_count((*tuple.elements)[static_cast<size_t>(which)]);
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

std::optional<size_t> buffer_at(const Shape& shape, const LeafPath& path) {
  size_t out = 0;
  const Shape* at = &shape;
  for (const int64_t k : path) {
    if (!at->is_tuple || k < 0 || k >= static_cast<int64_t>(at->elements->size())) return std::nullopt;
    out += buffer_place(*at, k);
    at = &(*at->elements)[static_cast<size_t>(k)];
  }
  return at->is_tuple ? std::nullopt : std::optional(out);
}

}  // namespace shardscope::inline program
