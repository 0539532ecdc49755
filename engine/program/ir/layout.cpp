// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/layout.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

std::vector<int64_t> numbers_in(std::string_view list) {
  std::vector<int64_t> out;
  for (const std::string& part : split(list, ','))
    if (const auto number = parse_int(part)) out.push_back(*number);
  return out;
}

// A part of a layout behind its order: "T(8,128)", of a further tile "(2,1)".
struct Part {
  char letter = 0;
  std::vector<int64_t> numbers;
};

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> out;
  while (!text.empty()) {
    const size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
    const char before = open > 0 ? text[open - 1] : out.empty() ? char{0} : out.back().letter;
    out.push_back({before, numbers_in(text.substr(open + 1, close - open - 1))});
    text.remove_prefix(close + 1);
  }
  return out;
}

constexpr int64_t kLargestTile = int64_t{1} << 20;  // of one dimension; those of chips have hundreds
constexpr int64_t kMostStored = int64_t{1} << 55;   // so that sums of bytes stay within int64

bool cuts(const std::vector<int64_t>& tile) {
  return !tile.empty() &&
         std::ranges::all_of(tile, [](int64_t size) { return size > 0 && size <= kLargestTile; });
}

}  // namespace

Layout layout_of(const Shape& array) {
  Layout out;
  out.order = physical_order(array);
  const size_t colon = array.layout->find(':');
  if (colon == std::string::npos) return out;
  for (Part& part : parts_of(std::string_view(array.layout).substr(colon + 1))) {
    const bool one = part.numbers.size() == 1;
    if (part.letter == 'T' && cuts(part.numbers)) out.tiles.push_back(std::move(part.numbers));
    if (part.letter == 'S' && one) out.memory_space = part.numbers[0];
    if (part.letter == 'E' && one) out.element_bits = std::clamp<int64_t>(part.numbers[0], 0, 128);
  }
  return out;
}

std::vector<int64_t> in_memory_order(const Shape& array, const Layout& layout) {
  std::vector<int64_t> out;
  for (const int64_t d : layout.order) out.push_back(array.dims[static_cast<size_t>(d)]);
  return out;
}

std::vector<TileCut> tile_cuts(const Shape& array, const Layout& layout) {
  std::vector<TileCut> out;
  std::vector<int64_t> dims = in_memory_order(array, layout);
  for (const std::vector<int64_t>& tile : layout.tiles) {
    TileCut cut;
    if (dims.size() < tile.size()) dims.insert(dims.begin(), tile.size() - dims.size(), 1);
    cut.dims = cut.full = dims;
    const size_t first = dims.size() - tile.size();
    cut.split.assign(dims.begin(), dims.begin() + std::ptrdiff_t(first));
    cut.order.resize(first);
    std::iota(cut.order.begin(), cut.order.end(), 0);
    for (size_t d = 0; d < tile.size(); ++d) {
      const int64_t size = dims[first + d];
      const int64_t rows = size / tile[d] + (size % tile[d] > 0 ? 1 : 0);  // no tile is too large for it
      cut.full[first + d] = checked_multiply(rows, tile[d]).value_or(kMostStored);
      cut.split.insert(cut.split.end(), {rows, tile[d]});
      cut.order.push_back(static_cast<int64_t>(first + 2 * d));
    }
    for (size_t d = 0; d < tile.size(); ++d) cut.order.push_back(static_cast<int64_t>(first + 2 * d + 1));
    for (const int64_t d : cut.order) cut.moved.push_back(cut.split[static_cast<size_t>(d)]);
    dims = cut.moved;
    out.push_back(std::move(cut));
  }
  return out;
}

int64_t stored_bytes(const Shape& shape) {
  if (shape.is_tuple) {
    int64_t sum = 0;
    for (const Shape& element : *shape.elements) sum += stored_bytes(element);
    return sum;
  }
  const Layout layout = layout_of(shape);
  const std::vector<TileCut> cuts = tile_cuts(shape, layout);
  int64_t elements = 1;
  for (const int64_t size : cuts.empty() ? in_memory_order(shape, layout) : cuts.back().moved)
    elements = std::min(checked_multiply(elements, size).value_or(kMostStored), kMostStored);
  const int64_t own = layout.element_bits;
  return own > 0 ? (elements * own + 7) / 8 : byte_size(shape.type, elements);
}

int64_t moved_bytes(const Shape& shape) {
  if (!shape.is_tuple) {
    if (shape.layout->find(":T(") == std::string::npos) return shape.bytes();
    return layout_of(shape).memory_space == 0 ? stored_bytes(shape) : 0;
  }
  int64_t sum = 0;
  for (const Shape& element : *shape.elements) sum += moved_bytes(element);
  return sum;
}

}  // namespace shardscope::inline program
