// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/element_codes.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program::proto {
namespace {

using field::Layout;
using field::Shape;

constexpr int kDeepestShape = 34;  // a tuple more than the reader of the text takes
constexpr int64_t kCombine = INT64_MIN;

std::string shape_at(const wire::Message& shape, bool layouts, int depth);

std::string tiles_text(const wire::Message& layout) {
  std::string out;
  for (const wire::Message& tile : layout.messages(Layout::tiles)) {
    std::vector<std::string> sizes;
    for (const int64_t size : tile.numbers(Layout::tile_dimensions))
      sizes.push_back(size == kCombine ? "*" : std::to_string(size));
    out += "(" + join(sizes, ",") + ")";
  }
  return out.empty() ? out : "T" + out;
}

std::string levels_text(const wire::Message& layout) {
  std::string out;
  for (const int64_t level : layout.numbers(Layout::level_types))
    out += (out.empty() ? "" : ",") + std::string(1, level >= 0 && level < 4 ? "DCSH"[level] : '?');
  return out.empty() ? out : "D(" + out + ")";
}

std::string layout_text(const wire::Message& layout, int depth) {
  std::string behind = levels_text(layout) + tiles_text(layout);
  if (const int64_t align = layout.number(Layout::tail_alignment, 1); align > 1)
    behind += fmt::format("L({})", align);
  if (const int64_t type = layout.number(Layout::index_type)) behind += "#(" + element_text(type) + ")";
  if (const int64_t type = layout.number(Layout::pointer_type)) behind += "*(" + element_text(type) + ")";
  if (const int64_t bits = layout.number(Layout::element_bits)) behind += fmt::format("E({})", bits);
  if (const int64_t space = layout.number(Layout::memory_space)) behind += fmt::format("S({})", space);
  for (const wire::Message& split : layout.messages(Layout::splits))
    behind += fmt::format("SC({}:{})", split.number(Layout::split_dimension),
                          numbers_text(split.numbers(Layout::split_indices)));
  if (layout.has(Layout::physical_shape))
    behind += "P(" + shape_at(layout.message(Layout::physical_shape), true, depth + 1) + ")";
  if (const int64_t bytes = layout.number(Layout::prefix_bytes)) behind += fmt::format("M({})", bytes);
  const std::string order = numbers_text(layout.numbers(Layout::minor_to_major));
  return behind.empty() ? order : order + ":" + behind;
}

std::string array_text(const wire::Message& shape, bool layouts, int depth) {
  std::vector<std::string> sizes;
  const std::vector<int64_t> dynamic = shape.numbers(Shape::dynamic);
  for (const int64_t size : shape.numbers(Shape::dimensions)) {
    const bool bound = sizes.size() < dynamic.size() && dynamic[sizes.size()] != 0;
    sizes.push_back(size == INT64_MIN ? "?" : (bound ? "<=" : "") + std::to_string(size));
  }
  std::string out = element_text(shape.number(Shape::element_type)) + "[" + join(sizes, ",") + "]";
  if (!layouts || !shape.has(Shape::layout)) return out;
  const std::string layout = layout_text(shape.message(Shape::layout), depth);
  return sizes.empty() && layout.empty() ? out : out + "{" + layout + "}";
}

std::string tuple_text(const wire::Message& shape, bool layouts, int depth) {
  std::string out;
  int64_t place = 0;
  for (const wire::Message& element : shape.messages(Shape::tuple_shapes)) {
    if (place > 0) out += ", ";
    if (place > 0 && place % 5 == 0) out += fmt::format("/*index={}*/", place);
    out += shape_at(element, layouts, depth + 1);
    ++place;
  }
  return "(" + out + ")";
}

std::string shape_at(const wire::Message& shape, bool layouts, int depth) {
  const int64_t type = shape.number(Shape::element_type);
  if (depth < kDeepestShape && type == kTupleCode) return tuple_text(shape, layouts, depth);
  if (depth < kDeepestShape && type == kBufferCode)
    return "b(" + shape_at(shape.message(Shape::tuple_shapes), layouts, depth + 1) + ")";
  return array_text(shape, layouts, depth);
}

}  // namespace

std::string shape_text(const wire::Message& shape, bool layouts) {
  return shape_at(shape, layouts, 0);
}

std::string numbers_text(const std::vector<int64_t>& numbers, std::string_view separator) {
  return join(numbers, separator);
}

std::string braced(const std::vector<int64_t>& numbers) {
  return "{" + join(numbers, ",") + "}";
}

std::string name_text(std::string_view name) {
  std::string out(name);
  std::ranges::replace_if(
      out, [](char c) { return !HloLexer::in_word(c); }, '_');
  return out;
}

}  // namespace shardscope::inline program::proto
