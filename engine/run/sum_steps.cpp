// SPDX-License-Identifier: Apache-2.0
#include "engine/run/sum_steps.h"

#include <cmath>

#include "engine/base/float_format.h"

namespace shardscope::inline run {
namespace {

std::optional<SumStep> rounded_to(ElementType type, double exact) {
  if (!is_narrow(type) || !std::isfinite(exact)) return std::nullopt;
  const FloatFormat format = float_format(type);
  SumStep out;
  out.exact = exact;
  if (exact == 0) return out;
  const int exponent = std::ilogb(exact);
  if (exponent < format.least_exponent() || exponent >= format.greatest_exponent()) return std::nullopt;
  out.spacing = std::ldexp(1.0, exponent - element_type(type).digits + 1);
  out.stored = std::nearbyint(exact / out.spacing) * out.spacing;
  return out;
}

}  // namespace

std::optional<SumInType> sum_in(ElementType type, std::span<const double> numbers) {
  SumInType out;
  out.type = type;
  for (size_t k = 0; k < numbers.size(); ++k) {
    auto stored = rounded_to(type, numbers[k]);
    if (!stored) return std::nullopt;
    stored->addend = static_cast<int64_t>(k);
    out.steps.push_back(*stored);
    if (k == 0) {
      out.result = stored->stored;
      continue;
    }
    auto sum = rounded_to(type, out.result + stored->stored);
    if (!sum) return std::nullopt;
    sum->addend = static_cast<int64_t>(k);
    sum->adds = true;
    out.steps.push_back(*sum);
    out.result = sum->stored;
  }
  if (out.steps.empty()) return std::nullopt;
  return out;
}

BinaryDigits digits_in(ElementType type, double number, int most_cut) {
  BinaryDigits out;
  out.negative = std::signbit(number);
  if (number == 0 || !std::isfinite(number)) return out;
  out.exponent = std::ilogb(number);
  double rest = std::ldexp(std::fabs(number), -out.exponent);  // 1 ≤ rest < 2
  const int digits = element_type(type).digits;
  for (int place = 0; place < digits + most_cut; ++place) {
    if (place >= digits && rest == 0) break;
    const bool one = rest >= 1;
    std::string& text = place < digits ? out.kept : out.cut;
    if (place == 1) text += '.';
    text += one ? '1' : '0';
    rest = (rest - (one ? 1 : 0)) * 2;
  }
  if (rest != 0) out.cut += "…";
  return out;
}

}  // namespace shardscope::inline run
