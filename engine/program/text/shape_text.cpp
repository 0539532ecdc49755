// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

constexpr int kMaxTupleDepth = 32;
constexpr size_t kMostDims = 64;                         // as numpy; who walks them goes as deep
constexpr int64_t kMaxShapeElements = int64_t{1} << 50;  // so that sums of bytes stay within int64

Result<Shape> read_shape_at(HloLexer& lexer, int depth);

Result<Shape> read_tuple_shape(HloLexer& lexer, int depth) {
  if (depth >= kMaxTupleDepth) return lexer.expected("tuples nested at most 32 deep");
  std::vector<Shape> elements;
  if (lexer.accept(")")) return Shape::tuple({});
  do {
    TRY(Shape element, read_shape_at(lexer, depth + 1));
    elements.push_back(std::move(element));
  } while (lexer.accept(","));
  TRY_VOID(lexer.expect(")"));
  return Shape::tuple(std::move(elements));
}

Result<std::vector<int64_t>> read_shape_dims(HloLexer& lexer, std::vector<bool>& dynamic) {
  TRY_VOID(lexer.expect("["));
  std::vector<int64_t> dims;
  if (lexer.accept("]")) return dims;
  int64_t elements = 1;
  do {
    const bool boundless = lexer.accept("?");
    const bool bounded = boundless || lexer.accept("<=");  // a dynamic dimension counts with its bound
    const size_t place = lexer.position();
    int64_t size = 0;
    if (!boundless) {
      TRY(size, lexer.expect_integer("a dimension"));
      if (bounded && size == 0) return lexer.error_at(place, "a bound of 0, expected a size from 1");
    }
    if (size < 0) return lexer.error_at(place, "dimension " + std::to_string(size) + " is negative");
    const auto product = checked_multiply(elements, size > 0 ? size : 1);
    if (!product || *product > kMaxShapeElements)
      return lexer.error_at(place, "shape has more than 2^50 elements");
    elements = *product;
    if (dims.size() == kMostDims) return lexer.error_at(place, "shape has more than 64 dimensions");
    if (bounded) dynamic.resize(dims.size());
    if (bounded || !dynamic.empty()) dynamic.push_back(bounded);
    dims.push_back(size);
  } while (lexer.accept(","));
  TRY_VOID(lexer.expect("]"));
  return dims;
}

Result<Shape> read_shape_at(HloLexer& lexer, int depth) {
  if (lexer.accept("(")) return read_tuple_shape(lexer, depth);
  const size_t place = lexer.position();
  const std::string_view type_name = lexer.word();
  if (type_name == "b" && lexer.accept("(")) {
    TRY(Shape buffer, read_shape_at(lexer, kMaxTupleDepth));
    if (buffer.is_tuple || buffer.is_buffer) return lexer.error_at(place, "a buffer of no array");
    TRY_VOID(lexer.expect(")"));
    buffer.is_buffer = true;
    return buffer;
  }
  const auto type = parse_element_type(type_name);
  if (!type) {
    lexer.rewind(place);
    return lexer.expected("a shape such as f32[16,4]");
  }
  std::vector<bool> dynamic;
  TRY(std::vector<int64_t> dims, read_shape_dims(lexer, dynamic));
  Shape shape = Shape::array(*type, std::move(dims));
  shape.dynamic = std::move(dynamic);
  // A brace after a shape is its layout when a number, ':' or '}' follows; otherwise a computation's body
  // starts.
  const size_t brace = lexer.position();
  if (lexer.accept("{")) {
    const char next = lexer.peek();
    if (!(next >= '0' && next <= '9') && next != ':' && next != '}') {
      lexer.rewind(brace);
    } else {
      TRY(const std::string_view layout, lexer.inside('}'));
      shape.layout = std::string(layout);
      if (const std::string mistake = layout_mistake(layout, shape.rank()); !mistake.empty())
        return lexer.error_at(brace, mistake);
    }
  }
  return shape;
}

}  // namespace

Result<Shape> read_shape(HloLexer& lexer) {
  return read_shape_at(lexer, 0);
}

Result<Shape> Shape::parse(std::string_view text) {
  HloLexer lexer(text, "shape");
  TRY(Shape shape, read_shape(lexer));
  if (!lexer.at_end()) return lexer.expected("end of the shape");
  return shape;
}

}  // namespace shardscope::inline program
