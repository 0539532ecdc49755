// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engine/numerics/functions/elementwise_loops.h"
#include "engine/numerics/functions/special_functions.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics::elementwise {
namespace {

using namespace special;

// HLO's max and min give NaN when either side is NaN; -0 is below 0.
template <class C>
C larger(C x, C y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  return x > y || (x == y && std::signbit(y)) ? x : y;
}
template <class C>
C smaller(C x, C y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}

// The code of a type's next number from the one of code `x`, which is no zero: codes without their sign are
// in the order of the sizes.
uint64_t next_code(const FloatFormat& format, uint64_t x, bool outwards) {
  const uint64_t sign = x & format.sign_bit(), size = x & format.magnitude_bits();
  if (outwards) return size < format.largest() ? x + 1 : sign | format.beyond();
  if (size == 0) return x;
  return size == 1 && format.codes == FloatCodes::one_zero ? 0 : x - 1;
}

// The type's own next number from x towards y.
template <class Tag>
typename Tag::Stored next_after(typename Tag::Stored x, typename Tag::Stored y) {
  const auto from = Tag::load(x), to = Tag::load(y);
  if (std::isnan(from) || std::isnan(to)) return Tag::store(from + to);
  if (from == to) return y;
  if constexpr (element::kNarrow<Tag>) {
    constexpr FloatFormat kFormat = float_format(element::kType<Tag>);
    const uint64_t code =
        from == 0 ? 1 | (to < 0 ? kFormat.sign_bit() : 0) : next_code(kFormat, x, (from < to) == (from > 0));
    return static_cast<typename Tag::Stored>(code);
  } else {
    return std::nextafter(x, y);
  }
}

template <class Tag>
OpTable<Two> float_two() {
  using C = typename Tag::Computed;
  return {{},
          {{Opcode::add, two<Tag>([](C x, C y) { return x + y; })},
           {Opcode::subtract, two<Tag>([](C x, C y) { return x - y; })},
           {Opcode::maximum, two<Tag>([](C x, C y) { return larger(x, y); })},
           {Opcode::minimum, two<Tag>([](C x, C y) { return smaller(x, y); })},
           {Opcode::multiply, two<Tag>([](C x, C y) { return x * y; })},
           {Opcode::divide, two<Tag>([](C x, C y) { return x / y; })},
           {Opcode::remainder, two<Tag>([](C x, C y) { return std::fmod(x, y); })},
           {Opcode::power, two<Tag>([](C x, C y) { return std::pow(x, y); })},
           {Opcode::atan2, two<Tag>([](C y, C x) { return std::atan2(y, x); })},
           {Opcode::next_after, two_stored<Tag>([](auto x, auto y) { return next_after<Tag>(x, y); })},
           {Opcode::zeta, two<Tag>([](C s, C q) { return zeta(s, q); })},
           {Opcode::polygamma, two<Tag>([](C n, C x) { return polygamma(n, x); })}}};
}

// Roundings, signs, and what C++ has a function of.
template <class Tag>
OpTable<One> float_one() {
  using C = typename Tag::Computed;
  return {{},
          {{Opcode::negate, one<Tag>([](C x) { return -x; })},
           {Opcode::abs, one<Tag>([](C x) { return std::fabs(x); })},
           {Opcode::sign, one<Tag>([](C x) { return x > 0   ? C{1}
                                                    : x < 0 ? C{-1}
                                                            : x; })},
           {Opcode::real, one<Tag>([](C x) { return x; })},
           {Opcode::imag, one<Tag>([](C) { return C{0}; })},
           {Opcode::exponential, one<Tag>([](C x) { return std::exp(x); })},
           {Opcode::exponential_minus_one, one<Tag>([](C x) { return std::expm1(x); })},
           {Opcode::log, one<Tag>([](C x) { return std::log(x); })},
           {Opcode::log_plus_one, one<Tag>([](C x) { return std::log1p(x); })},
           {Opcode::logistic, one<Tag>([](C x) { return 1 / (1 + std::exp(-x)); })},
           {Opcode::rsqrt, one<Tag>([](C x) { return 1 / std::sqrt(x); })},
           {Opcode::sqrt, one<Tag>([](C x) { return std::sqrt(x); })},
           {Opcode::cbrt, one<Tag>([](C x) { return std::cbrt(x); })},
           {Opcode::floor, one<Tag>([](C x) { return std::floor(x); })},
           {Opcode::ceil, one<Tag>([](C x) { return std::ceil(x); })},
           {Opcode::round_nearest_afz, one<Tag>([](C x) { return std::round(x); })},
           {Opcode::round_nearest_even, one<Tag>([](C x) { return std::nearbyint(x); })},
           {Opcode::sine, one<Tag>([](C x) { return std::sin(x); })},
           {Opcode::cosine, one<Tag>([](C x) { return std::cos(x); })},
           {Opcode::tan, one<Tag>([](C x) { return std::tan(x); })},
           {Opcode::asin, one<Tag>([](C x) { return std::asin(x); })},
           {Opcode::acos, one<Tag>([](C x) { return std::acos(x); })},
           {Opcode::sinh, one<Tag>([](C x) { return std::sinh(x); })},
           {Opcode::cosh, one<Tag>([](C x) { return std::cosh(x); })},
           {Opcode::tanh, one<Tag>([](C x) { return std::tanh(x); })},
           {Opcode::asinh, one<Tag>([](C x) { return std::asinh(x); })},
           {Opcode::acosh, one<Tag>([](C x) { return std::acosh(x); })},
           {Opcode::atanh, one<Tag>([](C x) { return std::atanh(x); })},
           {Opcode::erf, one<Tag>([](C x) { return std::erf(x); })},
           {Opcode::erfc, one<Tag>([](C x) { return std::erfc(x); })},
           {Opcode::erf_inv, one<Tag>([](C x) { return erf_inv(x); })},
           {Opcode::lgamma, one<Tag>([](C x) { return log_gamma(x); })},
           {Opcode::digamma, one<Tag>([](C x) { return digamma(x); })},
           {Opcode::bessel_i1e, one<Tag>([](C x) { return bessel_i1e(x); })}}};
}

// Complex numbers of two parts.
template <class Tag>
Two complex_of() {
  using element::F32, element::F64, element::Element;
  if constexpr (std::is_same_v<Tag, F32>)
    return two<F32, Element<ElementType::c64>>([](float x, float y) { return std::complex(x, y); });
  else if constexpr (std::is_same_v<Tag, F64>)
    return two<F64, Element<ElementType::c128>>([](double x, double y) { return std::complex(x, y); });
  else
    return nullptr;
}

}  // namespace

ElementwiseKernel float_kernel(Opcode opcode, ElementType type) {
  ElementwiseKernel kernel;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (element::kFloat<Tag>) {
      static const OpTable<One> kOne = float_one<Tag>();
      static const OpTable<Two> kTwo = float_two<Tag>();
      kernel = {kOne[opcode], opcode == Opcode::complex ? complex_of<Tag>() : kTwo[opcode]};
    }
  });
  return kernel;
}

}  // namespace shardscope::inline numerics::elementwise
