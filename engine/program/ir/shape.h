// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/base/rare.h"
#include "engine/base/result.h"

namespace shardscope::inline program {

// An HLO shape: an array of elements or a tuple of shapes. `layout` is the text inside the layout braces
// ("1,0:T(8,128)"), kept as it was read; empty means the default order.
struct Shape {
  ElementType type = ElementType::f32;
  bool is_tuple = false;
  bool is_buffer = false;  // of an array: memory that is written in place, b(f32[2])
  std::vector<int64_t> dims;
  Rare<std::string> layout{};
  Rare<std::vector<Shape>> elements{};  // of a tuple
  // Per dimension whether its size is a bound, f32[<=8], or 0 where there is none, f32[?]; empty: none is.
  Rare<std::vector<bool>> dynamic{};

  static Shape array(ElementType type, std::vector<int64_t> dims) {
    return {type, false, false, std::move(dims)};
  }
  static Shape scalar(ElementType type) { return array(type, {}); }
  static Shape tuple(std::vector<Shape> elements) {
    return {ElementType::f32, true, false, {}, {}, std::move(elements)};
  }
  // "f32[16,4]{1,0}", "(f32[2], s32[])".
  static Result<Shape> parse(std::string_view text);

  size_t rank() const { return dims.size(); }
  int64_t element_count() const;  // of an array; dims are verified not to overflow
  int64_t bytes() const;          // of all leaves
  std::string text() const;
  std::string text_without_layout() const;
  bool operator==(const Shape&) const = default;
};

}  // namespace shardscope::inline program
