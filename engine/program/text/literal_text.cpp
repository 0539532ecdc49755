// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "engine/base/float_format.h"
#include "engine/base/text.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

// "(0x7f)" behind nan: bits below the digits that say that it is none.
bool fits_payload(std::string_view text, ElementType type) {
  if (text.empty()) return true;
  if (!text.starts_with("(0x") || !text.ends_with(")")) return false;
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data() + 3, text.data() + text.size() - 1, bits, 16);
  const bool plain = !is_floating(type) || float_format(type).has_infinity();
  const int digits = plain ? element_type(type).digits : 1;
  return error == std::errc() && end == text.data() + text.size() - 1 && bits < uint64_t{1} << (digits - 1);
}

bool fits_float(std::string_view text, ElementType type) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("nan")) return fits_payload(text.substr(3), type);
  if (text == "inf") return true;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) return text.find("e-") != std::string_view::npos;
  return error == std::errc() && std::abs(value) < float_limit(real_type(type));
}

bool fits_integer(std::string_view text, ElementType type) {
  const int64_t width = bits(type);
  if (!is_signed(type) && !text.starts_with('-')) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && (width == 64 || value >> width == 0);
  }
  const auto value = parse_int(text);
  if (!value) return false;
  if (width == 64) return true;  // of u64 a negative one wraps
  const int64_t half = int64_t{1} << (width - 1);
  return is_signed(type) && *value >= -half && *value < half;
}

}  // namespace

bool is_number_of(std::string_view text, ElementType type) {
  if (type == ElementType::pred) return text == "true" || text == "false" || text == "1" || text == "0";
  return is_floating(type) || element_type(type).kind == TypeKind::complex ? fits_float(text, type)
                                                                           : fits_integer(text, type);
}

namespace {

class Literal {
 public:
  Literal(std::string_view text) : lexer_(text, "constant") {}

  Result<void> whole(const Shape& shape) {
    TRY_VOID(value(shape));
    return lexer_.at_end() ? Result<void>() : refuse(shape, "more than its elements");
  }

 private:
  Error refuse(const Shape& shape, const std::string& what) {
    return invalid("the constant has " + what + ", expected " + shape.text());
  }

  // No deeper than the shape.
  Result<void> value(const Shape& shape) {
    if (!shape.is_tuple) return array(shape, 0);
    TRY_VOID(lexer_.expect("("));
    for (size_t k = 0; k < shape.elements.size(); ++k) {
      if (k > 0) TRY_VOID(lexer_.expect(","));
      TRY_VOID(value(shape.elements[k]));
    }
    return lexer_.expect(")");
  }

  Result<void> array(const Shape& shape, size_t dimension) {
    if (dimension == shape.rank()) return number(shape);
    if (!lexer_.accept("{")) return refuse(shape, "nothing nested in dimension " + std::to_string(dimension));
    for (int64_t k = 0; k < shape.dims[dimension]; ++k) {
      if (k > 0 && !lexer_.accept(","))
        return refuse(shape, std::to_string(k) + " elements in dimension " + std::to_string(dimension));
      TRY_VOID(array(shape, dimension + 1));
    }
    if (lexer_.accept("}")) return {};
    return refuse(shape, "more elements in dimension " + std::to_string(dimension));
  }

  Result<void> number(const Shape& shape) {
    const bool pair = element_type(shape.type).kind == TypeKind::complex && lexer_.accept("(");
    TRY_VOID(plain_number(shape));
    if (!pair) return {};
    TRY_VOID(lexer_.expect(","));
    TRY_VOID(plain_number(shape));
    return lexer_.expect(")");
  }

  // "-1.5e+3", "inf", "nan(0x7f)", "true".
  std::string_view word() {
    const size_t start = lexer_.position();
    const std::string_view first = lexer_.word();
    size_t end = lexer_.end_of_token();  // comments may follow
    if (lexer_.accept("+")) {
      lexer_.word();
      end = lexer_.end_of_token();
    } else if (first.ends_with("nan") && lexer_.accept("(")) {
      lexer_.word();
      lexer_.accept(")");
      end = lexer_.end_of_token();
    }
    return trim(lexer_.between(start, end));
  }

  Result<void> plain_number(const Shape& shape) {
    const std::string_view text = word();
    if (is_number_of(text, shape.type)) return {};
    return refuse(shape, "'" + std::string(text.substr(0, 40)) + "'");
  }

  HloLexer lexer_;
};

bool says_nothing(std::string_view literal) {
  return literal.find_first_not_of("{}, \t\r\n") == std::string_view::npos;
}

int64_t numbers_in(const Shape& shape) {
  if (!shape.is_tuple) return shape.element_count();
  int64_t count = 0;
  for (const Shape& element : shape.elements) count += numbers_in(element);
  return count;
}

}  // namespace

Result<void> check_literal(std::string_view literal, const Shape& shape) {
  if (literal.find("...") != std::string_view::npos) return {};
  if (!shape.is_tuple &&
      (shape.type == ElementType::token || (numbers_in(shape) == 0 && says_nothing(literal))))
    return {};
  return Literal(literal).whole(shape);
}

}  // namespace shardscope::inline program
