// SPDX-License-Identifier: Apache-2.0
// Constants: their elements lie in the order of their layout, and are printed as XLA prints them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "engine/base/float_format.h"
#include "engine/base/units.h"
#include "engine/program/proto/element_codes.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"

namespace shardscope::inline program::proto {
namespace {

constexpr int kDeepestLiteral = 32;  // tuples in tuples
constexpr size_t kMostLiteralDims = 64;

// The bits of each element, of complex ones of both parts, in the order in which they lie.
std::vector<uint64_t> codes_of(const wire::Message& literal, const ElementCode& element) {
  const auto bits_each = static_cast<int>(bits(real_type(element.type)));
  if (element.packing == Packing::fixed) return literal.fixed(element.field, bits_each / 8);
  if (element.packing == Packing::bytes) return literal.fixed(element.field, std::max(1, bits_each / 8));
  const std::vector<int64_t> numbers = literal.numbers(element.field);
  return {numbers.begin(), numbers.end()};
}

std::string nan_text(ElementType type, uint64_t code) {
  const FloatFormat format = float_format(type);
  std::string out = (code & format.sign_bit()) != 0 && format.has_infinity() ? "-nan" : "nan";
  const uint64_t payload = code & ((uint64_t{1} << format.fraction) - 1);
  const bool plain = !format.has_infinity() || payload == uint64_t{1} << (format.fraction - 1);
  return plain ? out : out + fmt::format("(0x{:x})", payload);
}

// As few digits as f32 and f64 always keep, or as many as tell every number of the type from the next.
std::string float_text(ElementType type, uint64_t code) {
  const double value = float_value(type, code);
  if (std::isnan(value)) return nan_text(type, code);
  if (type == ElementType::f32) {
    std::string few = fmt::format("{:.6g}", value);
    return std::strtof(few.c_str(), nullptr) == static_cast<float>(value) ? few
                                                                          : fmt::format("{:.9g}", value);
  }
  if (type == ElementType::f64) {
    std::string few = fmt::format("{:.15g}", value);
    return std::strtod(few.c_str(), nullptr) == value ? few : fmt::format("{:.17g}", value);
  }
  const int digits = element_type(type).digits;
  return fmt::format("{:.{}g}", value, static_cast<int>(std::ceil(1 + digits * std::log10(2.0))));
}

std::string integer_text(ElementType type, uint64_t code) {
  const int64_t width = bits(type);
  if (width < 64) {
    code &= (uint64_t{1} << width) - 1;
    if (is_signed(type) && (code >> (width - 1)) != 0) code |= ~uint64_t{0} << width;
  }
  return is_signed(type) ? std::to_string(static_cast<int64_t>(code)) : std::to_string(code);
}

// One array: its elements by their places.
class ArrayText {
 public:
  ArrayText(ElementType type, std::vector<int64_t> dims, std::vector<int64_t> order,
            std::vector<uint64_t> codes)
      : type_(type), dims_(std::move(dims)), strides_(dims_.size()), codes_(std::move(codes)) {
    int64_t stride = 1;
    for (const int64_t d : order) {  // from the least significant dimension on
      strides_[static_cast<size_t>(d)] = stride;
      stride *= dims_[static_cast<size_t>(d)];
    }
  }

  std::string text() && {
    if (std::ranges::count(dims_, 0) > 0) return dims_.size() > 1 ? "{  }" : "{}";
    put(0, 0, 0);
    return std::move(out_);
  }

 private:
  // `k`: its number among the blocks of the dimension before, which is said where there are many.
  void put(size_t dim, int64_t at, int64_t k) {
    if (dim == dims_.size()) return element(at);
    const bool spaced = dim + 1 < dims_.size() || (dims_.size() > 1 && dims_[dim] > 1);
    out_ += spaced ? "{ " : "{";
    if (dims_.size() > 3 && dim > 0 && dim + 1 < dims_.size()) out_ += fmt::format("/*i{}={}*/ ", dim - 1, k);
    for (int64_t n = 0; n < dims_[dim]; ++n) {
      if (n > 0) out_ += ", ";
      put(dim + 1, at + n * strides_[dim], n);
    }
    out_ += spaced ? " }" : "}";
  }

  void element(int64_t at) {
    const auto place = static_cast<size_t>(at);
    if (element_type(type_).kind != TypeKind::complex) return number(type_, codes_[place]);
    out_ += '(';
    number(real_type(type_), codes_[2 * place]);
    out_ += ", ";
    number(real_type(type_), codes_[2 * place + 1]);
    out_ += ')';
  }

  void number(ElementType type, uint64_t code) {
    if (type == ElementType::pred) {
      const bool truth = code != 0;
      out_ += dims_.empty() ? (truth ? "true" : "false") : (truth ? "1" : "0");
    } else {
      out_ += is_floating(type) ? float_text(type, code) : integer_text(type, code);
    }
  }

  ElementType type_;
  std::vector<int64_t> dims_, strides_;
  std::vector<uint64_t> codes_;
  std::string out_;
};

Result<std::string> array_literal(const wire::Message& literal, const wire::Message& shape) {
  const ElementCode* element = element_code(shape.number(field::Shape::element_type));
  if (element == nullptr) return invalid("a constant of " + shape_text(shape, false));
  if (element->packing == Packing::none) return std::string();
  std::vector<int64_t> dims = shape.numbers(field::Shape::dimensions);
  if (dims.size() > kMostLiteralDims) return invalid(fmt::format("a constant of {} dimensions", dims.size()));
  int64_t count = element_type(element->type).kind == TypeKind::complex ? 2 : 1;
  for (const int64_t size : dims) {
    const auto product = checked_multiply(count, size);
    if (size < 0 || !product) return invalid("a constant of " + shape_text(shape, false));
    count = *product;
  }
  std::vector<uint64_t> codes = codes_of(literal, *element);
  if (static_cast<int64_t>(codes.size()) != count)
    return invalid(fmt::format("the constant has {} numbers, expected {} of {}", codes.size(), count,
                               shape_text(shape, false)));
  std::vector<int64_t> order = shape.message(field::Shape::layout).numbers(field::Layout::minor_to_major);
  std::vector<int64_t> expected(dims.size());
  std::iota(expected.begin(), expected.end(), 0);
  if (order.size() != dims.size() || !std::is_permutation(order.begin(), order.end(), expected.begin()))
    order.assign(expected.rbegin(), expected.rend());
  return ArrayText(element->type, std::move(dims), std::move(order), std::move(codes)).text();
}

Result<std::string> literal_at(const wire::Message& literal, int depth) {
  const wire::Message shape = literal.message(field::Literal::shape);
  if (shape.number(field::Shape::element_type) != kTupleCode) return array_literal(literal, shape);
  if (depth >= kDeepestLiteral) return invalid("a constant of tuples nested deeper than 32");
  std::string out = "(";
  for (const wire::Message& part : literal.messages(field::Literal::tuple)) {
    TRY(const std::string text, literal_at(part, depth + 1));
    out += (out.size() > 1 ? ", " : "") + text;
  }
  return out + ")";
}

}  // namespace

Result<std::string> literal_text(const wire::Message& literal) {
  return literal_at(literal, 0);
}

}  // namespace shardscope::inline program::proto
