// SPDX-License-Identifier: Apache-2.0
// Constants: dense<…> as HLO's literals.
#include <cmath>
#include <fmt/format.h>

#include "engine/base/float_format.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kResourceHeader = 8;  // hex digits: the alignment

std::string number_text(ElementType type, double value) {
  if (std::isnan(value)) return "nan";
  return bits(type) <= 32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

// What is no number has a sign and bits of its own, which HLO says where they are not the usual ones.
std::string nan_text(ElementType type, uint64_t pattern) {
  const FloatFormat format = float_format(type);
  const bool negative = format.codes != FloatCodes::one_zero && (pattern & format.sign_bit()) != 0;
  const uint64_t payload = pattern & ((uint64_t{1} << format.fraction) - 1);
  const bool usual = format.codes != FloatCodes::ieee || payload == uint64_t{1} << (format.fraction - 1);
  return fmt::format("{}nan{}", negative ? "-" : "", usual ? "" : fmt::format("(0x{:x})", payload));
}

std::string element_text(ElementType type, uint64_t pattern) {
  if (type == ElementType::pred) return pattern != 0 ? "true" : "false";
  if (is_floating(type)) {
    const double value = float_value(type, pattern);
    return std::isnan(value) ? nan_text(type, pattern) : number_text(type, value);
  }
  const auto width = static_cast<int>(bits(type));
  if (!is_signed(type) || width >= 64) {
    return is_signed(type) ? std::to_string(static_cast<int64_t>(pattern)) : std::to_string(pattern);
  }
  const auto shift = 64 - width;
  return std::to_string(static_cast<int64_t>(pattern << shift) >> shift);
}

// Writes elements in order with the braces of an array's dimensions.
class LiteralText {
 public:
  explicit LiteralText(const Shape& shape) : dims_(shape.dims), at_(shape.dims.size()) {}
  void add(std::string_view element) {
    size_t opened = 0;
    while (opened < at_.size() && at_[at_.size() - 1 - opened] == 0) ++opened;
    out_.append(opened, '{');
    out_ += element;
    size_t closed = 0;
    for (size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < dims_[d]) break;
      at_[d] = 0;
      ++closed;
    }
    out_.append(closed, '}');
    if (closed < at_.size()) out_ += ", ";
  }
  std::string text() { return std::move(out_); }

 private:
  const std::vector<int64_t>& dims_;
  std::vector<int64_t> at_;
  std::string out_;
};

// Elements little-endian in hex digits.
class RawElements {
 public:
  static Result<RawElements> of(const MlirLexer& lexer, std::string_view hex) {
    for (size_t k = 0; k < hex.size(); ++k)
      if (mlir_hex_digit(hex[k]) < 0) return lexer.error_at(lexer.place_of(hex) + k, "expected a hex digit");
    return RawElements(hex);
  }
  size_t bytes() const { return hex_.size() / 2; }
  uint64_t at(size_t byte, size_t count) const {
    uint64_t out = 0;
    for (size_t k = 0; k < count; ++k) {
      const size_t place = 2 * (byte + k);
      out |= static_cast<uint64_t>(mlir_hex_digit(hex_[place]) * 16 + mlir_hex_digit(hex_[place + 1]))
             << (8 * k);
    }
    return out;
  }

 private:
  explicit RawElements(std::string_view hex) : hex_(hex) {}
  std::string_view hex_;
};

Result<MlirLiteral> raw_literal(const MlirLexer& lexer, std::string_view text, const Shape& shape) {
  std::string_view hex = text;
  if (hex.substr(0, 2) == "0x") hex.remove_prefix(2);
  TRY(const RawElements raw, RawElements::of(lexer, hex));
  const auto count = static_cast<size_t>(shape.element_count());
  const bool complex = is_complex(shape.type);
  const ElementType part = real_type(shape.type);
  const size_t width = (static_cast<size_t>(bits(part)) + 7) / 8, each = width * (complex ? 2 : 1);
  const bool packed =
      shape.type == ElementType::pred && raw.bytes() < count && raw.bytes() == (count + 7) / 8;
  const bool splat = count > 1 && raw.bytes() == each && !packed;
  if (!packed && !splat && raw.bytes() != count * each)
    return lexer.error_at(lexer.place_of(text), std::to_string(raw.bytes()) + " bytes, expected " +
                                                    std::to_string(count * each) + " of " + shape.text());
  const auto element = [&](size_t k) {
    if (packed) return std::string((raw.at(k / 8, 1) >> (k % 8)) & 1 ? "true" : "false");
    std::string out = element_text(part, raw.at(k * each, width));
    return complex ? "(" + out + ", " + element_text(part, raw.at(k * each + width, width)) + ")" : out;
  };
  if (splat) return MlirLiteral{element(0), true};
  if (count == 0) return MlirLiteral{"{}", false};
  LiteralText out(shape);
  for (size_t k = 0; k < count; ++k) out.add(element(k));
  return MlirLiteral{out.text(), false};
}

// A number, truth or complex number at the cursor, as HLO writes it.
Result<std::string> read_element(MlirLexer& lexer, const Shape& shape) {
  if (lexer.accept("(")) {
    const Shape part = Shape::scalar(real_type(shape.type));
    TRY(const std::string real, read_element(lexer, part));
    TRY_VOID(lexer.expect(","));
    TRY(const std::string imaginary, read_element(lexer, part));
    TRY_VOID(lexer.expect(")"));
    return "(" + real + ", " + imaginary + ")";
  }
  const size_t start = lexer.position();
  lexer.accept("-");
  std::string_view word = lexer.word();  // "1.5e", and "+00" behind it
  if (!word.empty() && (word.back() == 'e' || word.back() == 'E') && !word.starts_with("0x") &&
      (lexer.accept("+") || lexer.accept("-"))) {
    lexer.word();
  }
  word = lexer.between(start, lexer.end_of_token());
  if (word.size() > 2 && word.substr(0, 2) == "0x" && word.size() <= 18) {
    TRY_VOID(RawElements::of(lexer, word.substr(2)));
    uint64_t pattern = 0;
    for (const char c : word.substr(2)) pattern = pattern * 16 + static_cast<uint64_t>(mlir_hex_digit(c));
    return element_text(shape.type, pattern);
  }
  if (!is_number_of(word, shape.type))
    return lexer.error_at(start, "got '" + std::string(word) + "', expected a number of " + name(shape.type));
  return std::string(word);
}

// "[[1, 2], [3, 4]]" as "{{1, 2}, {3, 4}}".
Result<std::string> read_list(MlirLexer& lexer, const Shape& shape) {
  const size_t start = lexer.position();
  std::string out;
  int64_t count = 0;
  size_t depth = 0;
  do {
    if (lexer.accept("[")) {
      if (++depth > shape.rank()) return lexer.error_at(start, "a list nested deeper than " + shape.text());
      out += '{';
    } else if (lexer.accept("]")) {
      --depth;
      out += '}';
    } else if (lexer.accept(",")) {
      out += ", ";
    } else {
      TRY(const std::string element, read_element(lexer, shape));
      out += element;
      ++count;
    }
  } while (depth > 0);
  if (count == shape.element_count()) return out;
  return lexer.error_at(start, std::to_string(count) + " numbers, expected " +
                                   std::to_string(shape.element_count()) + " of " + shape.text());
}

// "1.500000e+00" as "1.5".
std::string shortened(const std::string& text, ElementType type) {
  if (!is_floating(type)) return text;
  const double value = std::strtod(text.c_str(), nullptr);
  return number_text(type, value);
}

}  // namespace

Result<MlirLiteral> read_mlir_literal(const MlirLexer& whole, const MlirModule& module, std::string_view text,
                                      const Shape& shape) {
  MlirLexer lexer = whole.within(text);
  if (shape.is_tuple || bits(shape.type) == 0) return lexer.expected("a constant array");
  if (lexer.accept_word("dense_resource")) {
    TRY_VOID(lexer.expect("<"));
    TRY(const std::string_view key, lexer.expect_word("a resource"));
    TRY_VOID(lexer.expect(">"));
    const auto found = module.resources.find(key);
    if (found == module.resources.end()) return MlirLiteral{"{...}", false};
    if (found->second.size() < 2 + kResourceHeader)
      return lexer.error_at(lexer.place_of(found->second), "expected \"0x\" and hex digits");
    return raw_literal(lexer, found->second.substr(2 + kResourceHeader), shape);
  }
  if (!lexer.accept_word("dense")) return lexer.expected("dense<…>");
  TRY_VOID(lexer.expect("<"));
  MlirLiteral out;
  if (lexer.accept(">")) {
    if (shape.element_count() != 0) return lexer.expected("numbers of " + shape.text());
    return MlirLiteral{"{}", false};
  }
  if (lexer.peek() == '"') {
    TRY(const std::string_view hex, lexer.expect_quoted("hex digits"));
    TRY(out, raw_literal(lexer, hex, shape));
  } else if (lexer.peek() == '[') {
    TRY(out.text, read_list(lexer, shape));
  } else {
    TRY(const std::string element, read_element(lexer, shape));
    out = {shortened(element, shape.type), true};
  }
  TRY_VOID(lexer.expect(">"));
  return out;
}

}  // namespace shardscope::inline program
