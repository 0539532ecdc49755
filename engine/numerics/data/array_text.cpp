// SPDX-License-Identifier: Apache-2.0
// As numpy/core/arrayprint.py does it (NumPy 1.14 and later): columns are as wide as the widest number that
// is shown.
#include "engine/numerics/data/array_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>

#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kThreshold = 1000, kEdge = 3;
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;

// The elements that are shown, by flat place, in order.
std::vector<int64_t> shown_places(const std::vector<int64_t>& dims, bool summarised) {
  std::vector<int64_t> places{0};
  for (const int64_t size : dims) {
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t i = 0; i < size; ++i) {
        if (summarised && size > 2 * kEdge && i == kEdge) i = size - kEdge;
        next.push_back(place * size + i);
      }
    }
    places = std::move(next);
  }
  return places;
}

// The fewest digits behind the point of d.ddde±x that give the stored number back.
template <class Same>
int shortest_digits(double value, const Same& same) {
  char text[64];
  for (int digits = 0; digits < 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits, value);
    if (same(std::strtod(text, nullptr))) return digits;
  }
  return 17;
}

struct Number {
  double value = 0;
  std::string digits;  // "1.25e-03" of the shortest that is the same number, at most eight behind the point
};

// A float as it is stored.
Number number_of(ElementType type, double value) {
  Number out{value, ""};
  if (!std::isfinite(value)) return out;
  const auto same = [&](double other) {
    bool equal = false;
    element::visit(type, [&](auto tag) {
      using Tag = decltype(tag);
      if constexpr (element::kFloat<Tag>)
        equal =
            static_cast<double>(Tag::load(Tag::store(static_cast<typename Tag::Computed>(other)))) == value;
    });
    return equal;
  };
  char text[64];
  std::snprintf(text, sizeof(text), "%.*e", shortest_digits(value, same), value);
  out.digits = text;
  return out;
}

std::string without_zeros(std::string text) {
  while (text.ends_with('0')) text.pop_back();
  return text;
}

// "12.5" with at most `most` digits behind the point and none that are not needed.
std::string positional(const Number& number, int most = kPrecision) {
  const size_t e = number.digits.find('e');
  const int exponent = std::stoi(number.digits.substr(e + 1));
  const size_t point = number.digits.find('.');
  const int behind = (point == std::string::npos ? 0 : static_cast<int>(e - point) - 1) - exponent;
  char text[512];
  if (behind > most) {
    std::snprintf(text, sizeof(text), "%.*f", most, number.value);
  } else {
    // Shortest digits, zeros up to the point.
    std::snprintf(text, sizeof(text), "%.*f", std::max(behind, 0),
                  std::strtod(number.digits.c_str(), nullptr));
    if (behind <= 0) return std::string(text) + ".";
  }
  return without_zeros(text);
}

// "1.25" and "e-03".
std::pair<std::string, std::string> scientific(const Number& number) {
  std::string digits = number.digits;
  const size_t point = digits.find('.');
  if (point != std::string::npos && digits.find('e') - point - 1 > static_cast<size_t>(kPrecision)) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.*e", kPrecision, number.value);
    digits = text;
  }
  const size_t e = digits.find('e');
  std::string mantissa = digits.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += '.';
  return {without_zeros(mantissa), digits.substr(e)};
}

std::string padded_left(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string nonfinite_text(double value, bool plus) {
  const std::string sign = !std::isnan(value) && value < 0 ? "-" : plus ? "+" : "";
  return sign + (std::isnan(value) ? "nan" : "inf");
}

// All floats in one format: fixed when they are of like size, else with exponents. `plus`: with a sign each.
std::vector<std::string> float_texts(ElementType type, const std::vector<double>& values, bool plus = false) {
  std::vector<Number> numbers;
  double most = 0, least = HUGE_VAL;
  bool minus_infinity = false, all_finite = true;
  for (const double v : values) {
    numbers.push_back(number_of(type, v));
    all_finite = all_finite && std::isfinite(v);
    minus_infinity = minus_infinity || v == -HUGE_VAL;
    if (!std::isfinite(v) || v == 0) continue;
    most = std::max(most, std::abs(v));
    least = std::min(least, std::abs(v));
  }
  const bool exponents = most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000);
  std::vector<std::pair<std::string, std::string>> parts;  // mantissa, exponent
  size_t left = 0, right = 0, exponent = 0;
  for (const Number& n : numbers) {
    parts.emplace_back();
    if (!std::isfinite(n.value)) continue;
    parts.back() = exponents ? scientific(n) : std::pair(positional(n), std::string());
    if (plus && !std::signbit(n.value)) parts.back().first.insert(0, 1, '+');
    const size_t point = parts.back().first.find('.');
    left = std::max(left, point);
    right = std::max(right, parts.back().first.size() - point - 1);
    exponent = std::max(exponent, parts.back().second.size());
  }
  const size_t behind = right + exponent;
  if (!all_finite) {
    const size_t widest = minus_infinity || plus ? 4 : 3;
    left = std::max(left, widest > behind + 1 ? widest - behind - 1 : 0);
  }
  std::vector<std::string> out;
  for (size_t k = 0; k < numbers.size(); ++k) {
    const double v = numbers[k].value;
    if (!std::isfinite(v)) {
      out.push_back(padded_left(nonfinite_text(v, plus), left + behind + 1));
      continue;
    }
    std::string mantissa = parts[k].first;
    const size_t point = mantissa.find('.');
    mantissa.append(right - (mantissa.size() - point - 1), exponents ? '0' : ' ');
    out.push_back(std::string(left - point, ' ') + mantissa + parts[k].second);
  }
  return out;
}

// An integer, its whole range kept.
std::string integer_text(const Array& array, int64_t place) {
  std::string out;
  element::visit(array.type(), [&](auto tag) {
    using Stored = typename decltype(tag)::Stored;
    if constexpr (std::is_integral_v<Stored>)
      out = std::to_string(array.template as<Stored>()[static_cast<size_t>(place)]);
  });
  return out;
}

// "1.+2.j": both parts in formats of their own; blanks stand behind the j.
std::vector<std::string> complex_texts(const Array& array, const std::vector<int64_t>& places) {
  std::vector<double> real, imaginary;
  for (const int64_t place : places) {
    const std::complex<double> value = array.complex_at(place);
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  const ElementType part = real_type(array.type());
  std::vector<std::string> out = float_texts(part, real);
  const std::vector<std::string> behind = float_texts(part, imaginary, true);
  for (size_t k = 0; k < out.size(); ++k) {
    std::string text = behind[k];
    const size_t end = text.find_last_not_of(' ') + 1;
    out[k] += text.insert(end, 1, 'j');
  }
  return out;
}

std::vector<std::string> element_texts(const Array& array, const std::vector<int64_t>& places) {
  std::vector<std::string> out;
  if (is_complex(array.type())) return complex_texts(array, places);
  if (is_floating(array.type())) {
    std::vector<double> values;
    values.reserve(places.size());
    for (const int64_t place : places) values.push_back(array.at(place));
    return float_texts(array.type(), values);
  }
  size_t width = 0;
  for (const int64_t place : places) {
    out.push_back(array.type() != ElementType::pred ? integer_text(array, place)
                  : array.at(place) != 0            ? "True"
                                                    : "False");
    width = std::max(width, out.back().size());
  }
  if (array.type() == ElementType::pred) width = 5;
  for (std::string& text : out) text = padded_left(text, width);
  return out;
}

// Brackets around the shown elements, which come in order.
class Rows {
 public:
  Rows(const std::vector<int64_t>& dims, bool summarised, std::vector<std::string> words)
      : dims_(dims), summarised_(summarised), words_(std::move(words)) {}

  std::string text() { return text_from(0, " ", kLineWidth); }

 private:
  // numpy's recurser: `indent` stands in front of what follows the first line.
  std::string text_from(size_t axis, const std::string& indent, size_t width) {
    if (axis == dims_.size()) return words_[next_++];
    const bool cut = summarised_ && dims_[axis] > 2 * kEdge;
    const int64_t items = cut ? 2 * kEdge + 1 : dims_[axis];
    const bool last = axis + 1 == dims_.size();
    const std::string newline(dims_.size() - axis - 1, '\n');
    std::string out, line = indent;
    for (int64_t i = 0; i < items; ++i) {
      const std::string word = cut && i == kEdge ? "..." : text_from(axis + 1, indent + " ", width - 1);
      const bool more = i + 1 < items;
      if (!last) {
        out += indent + word + (more ? newline : "");
        continue;
      }
      if (line.size() > indent.size() && line.size() + word.size() > width - 1) {
        while (line.ends_with(' ')) line.pop_back();
        out += line + "\n";
        line = indent;
      }
      line += word + (more ? " " : "");
    }
    if (last) out += line;
    return "[" + out.substr(std::min(indent.size(), out.size())) + "]";
  }

  const std::vector<int64_t>& dims_;
  bool summarised_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

std::string scalar_number(ElementType type, double value) {
  const Number number = number_of(type, value);
  if (!std::isfinite(value)) return nonfinite_text(value, false);
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e16)) return number.digits;
  const std::string text = positional(number, 64);
  return text.ends_with('.') ? text + "0" : text;
}

// "(1+2j)", as Python writes them: whole numbers without a point.
std::string scalar_complex(const Array& array) {
  const std::complex<double> value = array.complex_at(0);
  const ElementType part = real_type(array.type());
  std::string real = scalar_number(part, value.real()), imaginary = scalar_number(part, value.imag());
  for (std::string* text : {&real, &imaginary})
    if (text->ends_with(".0")) text->resize(text->size() - 2);
  if (!imaginary.starts_with('-')) imaginary.insert(0, 1, '+');
  const bool alone = value.real() == 0 && !std::signbit(value.real());
  return alone ? imaginary.substr(imaginary.starts_with('+') ? 1 : 0) + "j" : "(" + real + imaginary + "j)";
}

std::string scalar_text(const Array& array) {
  if (array.type() == ElementType::pred) return array.at(0) != 0 ? "True" : "False";
  if (is_complex(array.type())) return scalar_complex(array);
  return is_floating(array.type()) ? scalar_number(array.type(), array.at(0)) : integer_text(array, 0);
}

}  // namespace

std::string numpy_text(const Array& array) {
  if (array.dims().empty()) return scalar_text(array);
  if (array.element_count() == 0) return "[]";
  const bool summarised = array.element_count() > kThreshold;
  return Rows(array.dims(), summarised, element_texts(array, shown_places(array.dims(), summarised))).text();
}

}  // namespace shardscope::inline numerics
