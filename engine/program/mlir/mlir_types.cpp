// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_types.h"

#include <algorithm>
#include <cctype>

#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostDepth = 32;
constexpr int64_t kMostElements = int64_t{1} << 50;  // so that sums of bytes stay within int64
constexpr size_t kMostLeaves = 1 << 16;
constexpr const char* kType = "a type such as tensor<8x4xf32>";

size_t leaves(const Shape& shape) {
  size_t count = shape.is_tuple ? 0 : 1;
  for (const Shape& element : shape.elements) count += leaves(element);
  return count;
}

std::optional<ElementType> element_of(std::string_view text) {
  if (text == "i1") return ElementType::pred;
  if (text == "index") return ElementType::s64;
  if (text == "complex<f32>") return ElementType::c64;
  if (text == "complex<f64>") return ElementType::c128;
  std::string name = small_letters(text);
  if (name.starts_with("ui") || name.starts_with("si")) {
    name.erase(1, 1);
  } else if (name.starts_with("i")) {
    name[0] = 's';
  }
  const auto type = parse_element_type(name);
  return type && bits(*type) == 0 ? std::nullopt : type;
}

}  // namespace

Result<const Shape*> MlirTypes::read_at(MlirLexer& lexer, int depth) {
  if (depth >= kMostDepth) return lexer.expected("types nested at most 32 deep");
  const size_t start = lexer.position();
  const bool alias = lexer.accept("!");
  std::string_view text = alias ? lexer.suffix() : lexer.word();
  if (text.empty()) return lexer.expected(kType);
  if (text == "tensor" || text == "tuple" || text == "complex") {
    const bool plain = lexer.accept_plain_angle();
    if (!plain && lexer.starts_with("<")) TRY_VOID(lexer.bracket());
    text = lexer.between(start, lexer.end_of_token());
  }
  if (alias) {
    if (const auto found = aliases_.find(text); found != aliases_.end()) {
      MlirLexer inner = lexer.within(found->second);
      return read_at(inner, depth + 1);
    }
  }
  if (const Shape* const* known = shapes_.find(text)) return *known;
  const auto keep = [&](Shape shape) { return shapes_[text] = &made_.emplace_back(std::move(shape)); };
  if (alias) {
    if (text == "stablehlo.token" || text == "mhlo.token") return keep(Shape::scalar(ElementType::token));
    return lexer.error_at(start, "type '!" + std::string(text) + "' is not supported, expected " + kType);
  }
  MlirLexer inner = lexer.within(text);
  inner.word();
  if (text.starts_with("tensor<")) {
    TRY(Shape shape, read_tensor(inner));
    return keep(std::move(shape));
  }
  if (text.starts_with("tuple<")) {
    TRY(Shape shape, read_tuple(inner, depth));
    return keep(std::move(shape));
  }
  if (const auto element = element_of(text)) return keep(Shape::scalar(*element));
  return lexer.error_at(start, "got '" + std::string(text) + "', expected " + kType);
}

Result<Shape> MlirTypes::read_tensor(MlirLexer& lexer) {
  TRY_VOID(lexer.expect("<"));
  Shape shape;
  int64_t elements = 1;
  for (;;) {
    const size_t place = lexer.position();
    if (lexer.peek() == '?')
      return lexer.error_at(place, "an unknown size, expected a number: export with fixed shapes");
    if (lexer.peek() == '*') return lexer.error_at(place, "an array of unknown rank, expected its sizes");
    if (lexer.peek() < '0' || lexer.peek() > '9') break;
    // "0x4" is two sizes: digits are read alone.
    TRY(const int64_t size, lexer.expect_integer("a size below 2^63"));
    const auto product = checked_multiply(elements, size > 0 ? size : 1);
    if (!product || *product > kMostElements)
      return lexer.error_at(place, "a type of more than 2^50 elements");
    elements = *product;
    shape.dims.push_back(size);
    TRY_VOID(lexer.expect("x"));
  }
  const size_t place = lexer.position();
  TRY(const std::string_view text, lexer.balanced(","));
  const auto element = element_of(text);
  if (!element)
    return lexer.error_at(place, "elements of type '" + std::string(text) + "' are not supported");
  shape.type = *element;
  if (lexer.starts_with(","))
    return lexer.error_at(lexer.position(), "bounds and encodings are not supported");
  TRY_VOID(lexer.expect(">"));
  return shape;
}

Result<Shape> MlirTypes::read_tuple(MlirLexer& lexer, int depth) {
  TRY_VOID(lexer.expect("<"));
  std::vector<Shape> elements;
  size_t count = 0;
  while (!lexer.accept(">")) {
    TRY(const Shape* element, read_at(lexer, depth + 1));
    count += leaves(*element) + 1;  // aliases may double it at each level
    if (count > kMostLeaves) return lexer.expected("a tuple of at most 65536 arrays");
    elements.push_back(*element);
    if (!lexer.accept(",") && !lexer.starts_with(">")) return lexer.expected("',' or '>'");
  }
  return Shape::tuple(std::move(elements));
}

}  // namespace shardscope::inline program
