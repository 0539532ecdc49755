// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <complex>
#include <optional>

#include "engine/base/text.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/data/array_text.h"

namespace shardscope::inline numerics {
namespace {

// Numbers as typed, row-major, and the lengths of the brackets around them.
struct Nested {
  std::vector<std::string> numbers;
  std::vector<int64_t> dims;
};

class NestedReader {
 public:
  explicit NestedReader(std::string_view text) : rest_(text) {}

  Result<Nested> read() {
    TRY_VOID(value(0));
    skip();
    if (!rest_.empty()) return invalid("'" + std::string(rest_) + "' stands behind the array");
    for (const int64_t length : out_.dims)
      if (length < 0) out_.dims.clear();
    return std::move(out_);
  }

 private:
  static constexpr size_t kDeepest = 32;

  void skip() { rest_ = trim(rest_); }

  Result<void> value(size_t depth) {
    skip();
    if (depth > kDeepest) return invalid("brackets are nested too deeply");
    if (rest_.empty()) return invalid("the array ends early", "", "write it as in [[1,2],[3,4]]");
    const char open = rest_.front();
    if (open != '[' && open != '{') return number(depth);
    rest_.remove_prefix(1);
    if (number_depth_ && depth >= *number_depth_) return uneven();
    if (depth == out_.dims.size()) out_.dims.resize(depth + 1, -1);
    int64_t length = 0;
    skip();
    while (rest_.empty() || rest_.front() != (open == '[' ? ']' : '}')) {
      TRY_VOID(value(depth + 1));
      ++length;
      skip();
      if (!rest_.empty() && rest_.front() == ',') rest_.remove_prefix(1);
      skip();
    }
    rest_.remove_prefix(1);
    int64_t& known = out_.dims[depth];
    if (known >= 0 && known != length) return uneven();
    known = length;
    return {};
  }

  Result<void> number(size_t depth) {
    if (number_depth_.value_or(depth) != depth) return uneven();
    number_depth_ = depth;
    const size_t pair = rest_.front() == '(' ? std::min(rest_.find(')'), rest_.size() - 1) + 1 : 0;
    const size_t end = std::min(rest_.find_first_of(",[]{} \t\n", pair), rest_.size());
    if (end == 0)
      return invalid("'" + std::string(rest_.substr(0, 1)) + "' stands where a number was expected", "",
                     "write it as in [[1,2],[3,4]]");
    out_.numbers.emplace_back(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return {};
  }

  static Error uneven() { return invalid("rows are of different lengths"); }

  std::string_view rest_;
  Nested out_;
  std::optional<size_t> number_depth_;
};

// Whether an integer type has the number, which is then in `out`.
template <class Tag>
bool fits(const std::string& text, typename Tag::Stored& out) {
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && Tag::store(Tag::load(out)) == out;
}

// "(1,2)", "1+2j", "2j" or a real number.
std::optional<std::complex<double>> complex_number(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) {
    text = text.substr(1, text.size() - 2);
    if (const size_t comma = text.find(','); comma != std::string_view::npos) {
      const auto real = parse_double(trim(text.substr(0, comma))),
                 imaginary = parse_double(trim(text.substr(comma + 1)));
      if (!real || !imaginary) return std::nullopt;
      return std::complex(*real, *imaginary);
    }
    text = trim(text);
  }
  if (!text.ends_with('j') && !text.ends_with('i')) {
    const auto real = parse_double(text);
    return real ? std::optional(std::complex(*real, 0.0)) : std::nullopt;
  }
  text.remove_suffix(1);
  // The sign that the imaginary part begins with: none behind an exponent's e.
  size_t sign = text.find_last_of("+-");
  while (sign != std::string_view::npos && sign > 0 && (text[sign - 1] == 'e' || text[sign - 1] == 'E'))
    sign = text.find_last_of("+-", sign - 1);
  const size_t split = sign == std::string_view::npos ? 0 : sign;
  std::string_view behind = text.substr(split);
  if (behind.starts_with('+')) behind.remove_prefix(1);
  const auto real = split == 0 ? std::optional(0.0) : parse_double(text.substr(0, split)),
             imaginary = parse_double(behind);
  if (!real || !imaginary) return std::nullopt;
  return std::complex(*real, *imaginary);
}

template <class Tag>
bool put_number(const std::string& text, ElementType type, typename Tag::Stored& out) {
  if (type == ElementType::pred) {
    const bool yes = text == "true" || text == "True" || text == "1";
    out = static_cast<typename Tag::Stored>(yes);
    return yes || text == "false" || text == "False" || text == "0";
  }
  if constexpr (element::kInteger<Tag>) {
    return fits<Tag>(text, out);
  } else if constexpr (element::kComplex<Tag>) {
    const auto number = complex_number(text);
    if (number) out = static_cast<typename Tag::Stored>(*number);
    return number.has_value();
  } else {
    const auto number = parse_double(text);
    if (number) out = Tag::store(static_cast<typename Tag::Computed>(*number));
    return number.has_value();
  }
}

}  // namespace

std::string shape_words(ElementType type, const std::vector<int64_t>& dims) {
  std::vector<std::string> sizes;
  sizes.reserve(dims.size());
  for (const int64_t d : dims) sizes.push_back(std::to_string(d));
  return std::string(name(type)) + "[" + join(sizes, ",") + "]";
}

Result<Array> parse_array(std::string_view text, ElementType type, const std::vector<int64_t>& dims) {
  TRY(const Nested typed, NestedReader(text).read());
  if (!typed.dims.empty() && typed.dims != dims)
    return invalid("expected " + shape_words(type, dims) + ", got " + shape_words(type, typed.dims));
  Array out = Array::allocate(type, dims);
  std::string wrong;
  const bool known = element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    const auto to = out.template mutable_as<typename Tag::Stored>();
    for (size_t k = 0; k < typed.numbers.size(); ++k) {
      typename Tag::Stored stored{};
      if (wrong.empty() && !put_number<Tag>(typed.numbers[k], type, stored)) wrong = typed.numbers[k];
      if (typed.dims.empty())
        std::fill(to.begin(), to.end(), stored);
      else
        to[k] = stored;
    }
  });
  if (!known) return invalid(std::string("there are no arrays of ") + name(type) + " here");
  if (!wrong.empty())
    return invalid("expected " + shape_words(type, dims) + ", and '" + wrong + "' is not a value of " +
                   name(type));
  return out;
}

}  // namespace shardscope::inline numerics
