// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/literal_array.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "engine/base/text.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {
namespace {

// The elements of a literal in row-major order: braces say nothing that the shape does not say.
class LiteralElements {
 public:
  explicit LiteralElements(std::string_view text) : rest_(text) {}

  // Empty at the end. A complex number is one with its parentheses.
  std::string_view next() {
    skip();
    size_t end = rest_.starts_with('(') ? rest_.find(')') + 1 : rest_.find_first_of("{}, \t\r\n/(");
    if (end != std::string_view::npos && end < rest_.size() && rest_[end] == '(') end = rest_.find(')') + 1;
    if (end == 0) end = 1;  // a bracket that does not end
    const std::string_view element = rest_.substr(0, end);
    rest_.remove_prefix(element.size());
    return element;
  }

 private:
  // Blanks, braces, and the comments in which XLA counts.
  void skip() {
    for (;;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of("{}, \t\r\n"), rest_.size()));
      if (!rest_.starts_with("/*")) return;
      rest_.remove_prefix(std::min(rest_.find("*/"), rest_.size() - 2) + 2);
    }
  }

  std::string_view rest_;
};

template <class T>
bool parse_all(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Tag>
typename Tag::Stored of_code(uint64_t code) {
  if constexpr (element::kNarrow<Tag>)
    return static_cast<typename Tag::Stored>(code);
  else if constexpr (sizeof(typename Tag::Stored) == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(code));
  else
    return std::bit_cast<double>(code);
}

// "nan", "-nan(0x400001)".
template <class Tag>
bool put_nan(std::string_view text, typename Tag::Stored& out) {
  constexpr FloatFormat kFormat = float_format(element::kType<Tag>);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("nan")) return false;
  text.remove_prefix(3);
  uint64_t code = kFormat.nan();
  if (!text.empty()) {
    uint64_t bits = 0;
    const bool said = text.starts_with("(0x") && text.ends_with(')');
    const std::string_view digits = said ? text.substr(3, text.size() - 4) : std::string_view();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (!said || error != std::errc() || end != digits.data() + digits.size()) return false;
    if (kFormat.codes == FloatCodes::ieee) code = kFormat.beyond() | bits;
  }
  out = of_code<Tag>(code | (negative ? kFormat.sign_bit() : 0));
  return true;
}

template <class Tag>
bool put_float(std::string_view text, typename Tag::Stored& out) {
  using Stored = typename Tag::Stored;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (put_nan<Tag>(text, out)) return true;
  if constexpr (std::is_same_v<Stored, float>)
    if (parse_all(text, out)) return true;  // rounded once
  double value = 0;
  if (!parse_all(text, value)) {
    // Beyond f64, or below it.
    const std::string whole(text);
    char* end = nullptr;
    value = std::strtod(whole.c_str(), &end);
    if (whole.empty() || *end != '\0') return false;
  }
  if constexpr (element::kNarrow<Tag>)
    out = Tag::store(element::round_to_odd(value));
  else
    out = static_cast<Stored>(value);
  return true;
}

template <class Tag>
bool put_integer(std::string_view text, typename Tag::Stored& out) {
  int64_t value = 0;
  uint64_t large = 0;
  if (text == "true" || text == "false")
    value = text == "true";
  else if (parse_all(text, large))
    value = static_cast<int64_t>(large);
  else if (!parse_all(text, value))
    return false;
  out = Tag::store(value);
  return true;
}

template <class Tag>
bool put_complex(std::string_view text, typename Tag::Stored& out) {
  using Part = element::Element<sizeof(typename Tag::Stored) == 8 ? ElementType::f32 : ElementType::f64>;
  typename Part::Stored real{}, imaginary{};
  if (text.starts_with('(') && text.ends_with(')')) {
    text = text.substr(1, text.size() - 2);
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos || !put_float<Part>(trim(text.substr(comma + 1)), imaginary))
      return false;
    text = trim(text.substr(0, comma));
  }
  if (!put_float<Part>(text, real)) return false;
  out = {real, imaginary};
  return true;
}

template <class Tag>
bool put_element(std::string_view text, typename Tag::Stored& out) {
  if constexpr (element::kFloat<Tag>)
    return put_float<Tag>(text, out);
  else if constexpr (element::kInteger<Tag>)
    return put_integer<Tag>(text, out);
  else
    return put_complex<Tag>(text, out);
}

}  // namespace

std::optional<Array> literal_array(std::string_view literal, ElementType type, std::vector<int64_t> dims) {
  Array array = Array::allocate(type, std::move(dims));
  bool read = false;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    LiteralElements elements(literal);
    read = true;
    for (auto& out : array.template mutable_as<typename Tag::Stored>())
      if (read) read = put_element<Tag>(elements.next(), out);
    read = read && elements.next().empty();
  });
  return read ? std::optional(array) : std::nullopt;
}

}  // namespace shardscope::inline numerics
