// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/elementwise.h"

#include <array>
#include <cmath>
#include <type_traits>

#include "engine/numerics/array/element.h"
#include "engine/program/ir/op_table.h"

namespace shardscope {
namespace {

using One = ElementwiseKernel::One;
using Two = ElementwiseKernel::Two;

// The loop of an operation: `f` holds nothing and is made anew inside, so that it is inlined.
template <class Tag, class F>
One one(F) {
  return [](const std::byte* a, std::byte* out, int64_t count) {
    using Stored = typename Tag::Stored;
    const auto* in = reinterpret_cast<const Stored*>(a);
    auto* to = reinterpret_cast<Stored*>(out);
    for (int64_t i = 0; i < count; ++i)
      to[i] = Tag::store(static_cast<typename Tag::Computed>(F{}(Tag::load(in[i]))));
  };
}

template <class Tag, class F>
Two two(F) {
  return [](const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    using Stored = typename Tag::Stored;
    const auto* left = reinterpret_cast<const Stored*>(a);
    const auto* right = reinterpret_cast<const Stored*>(b);
    auto* to = reinterpret_cast<Stored*>(out);
    for (int64_t i = 0; i < count; ++i)
      to[i] = Tag::store(static_cast<typename Tag::Computed>(F{}(Tag::load(left[i]), Tag::load(right[i]))));
  };
}

template <class Tag>
inline constexpr bool kFloating = std::is_floating_point_v<typename Tag::Computed>;

// HLO's max and min give NaN when either side is NaN.
template <class C>
C larger(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
  }
  return x < y ? y : x;
}
template <class C>
C smaller(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
  }
  return y < x ? y : x;
}

// Integers add without overflow's undefined behaviour; floats as they are.
inline uint64_t wrapping(int64_t x) {
  return static_cast<uint64_t>(x);
}
inline float wrapping(float x) {
  return x;
}
inline double wrapping(double x) {
  return x;
}

// What orders and divides: a u64 as itself, everything else as it is computed.
template <class Tag>
auto ordered(typename Tag::Computed x) {
  if constexpr (std::is_same_v<Tag, element::U64>)
    return static_cast<uint64_t>(x);
  else
    return x;
}
template <class Tag>
inline constexpr bool kOrderedAsComputed =
    std::is_same_v<decltype(ordered<Tag>(typename Tag::Computed{})), typename Tag::Computed>;

// Rows that floats and integers share.
template <class Tag>
std::array<typename OpTable<Two>::Row, 4> common_rows() {
  using C = typename Tag::Computed;
  return {{{Opcode::add, two<Tag>([](C x, C y) { return static_cast<C>(wrapping(x) + wrapping(y)); })},
           {Opcode::subtract, two<Tag>([](C x, C y) { return static_cast<C>(wrapping(x) - wrapping(y)); })},
           {Opcode::maximum,
            two<Tag>([](C x, C y) { return static_cast<C>(larger(ordered<Tag>(x), ordered<Tag>(y))); })},
           {Opcode::minimum,
            two<Tag>([](C x, C y) { return static_cast<C>(smaller(ordered<Tag>(x), ordered<Tag>(y))); })}}};
}

template <class Tag>
OpTable<Two> float_two() {
  using C = typename Tag::Computed;
  const auto common = common_rows<Tag>();
  return {{},
          {common[0],
           common[1],
           common[2],
           common[3],
           {Opcode::multiply, two<Tag>([](C x, C y) { return x * y; })},
           {Opcode::divide, two<Tag>([](C x, C y) { return x / y; })},
           {Opcode::remainder, two<Tag>([](C x, C y) { return std::fmod(x, y); })},
           {Opcode::power, two<Tag>([](C x, C y) { return std::pow(x, y); })}}};
}

// Division by zero as XLA does it on CPUs: all ones, and the dividend as remainder.
template <class Tag>
int64_t quotient(int64_t x, int64_t y) {
  if (y == 0) return -1;
  if (kOrderedAsComputed<Tag> && y == -1 && x == INT64_MIN) return x;
  return static_cast<int64_t>(ordered<Tag>(x) / ordered<Tag>(y));
}
template <class Tag>
int64_t rest(int64_t x, int64_t y) {
  if (y == 0) return x;
  if (kOrderedAsComputed<Tag> && y == -1 && x == INT64_MIN) return 0;
  return static_cast<int64_t>(ordered<Tag>(x) % ordered<Tag>(y));
}

// Products wrap in 64 bits, whose low half is right for every narrower type.
int64_t product(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}
int64_t power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = static_cast<uint64_t>(x);
  for (auto e = static_cast<uint64_t>(y); e != 0; e >>= 1, base *= base)
    if (e & 1) result *= base;
  return static_cast<int64_t>(result);
}

// The bits of a stored element, and whether a shift count is too far; a u64 count above 2^63 is below zero
// here: too far either way.
template <class Tag>
uint64_t low(int64_t x) {
  return static_cast<std::make_unsigned_t<typename Tag::Stored>>(static_cast<uint64_t>(x));
}
template <class Tag>
bool far(int64_t count) {
  return count < 0 || count >= static_cast<int64_t>(8 * sizeof(typename Tag::Stored));
}

template <class Tag>
OpTable<Two> integer_two() {
  using C = int64_t;
  const auto common = common_rows<Tag>();
  return {{},
          {common[0],
           common[1],
           common[2],
           common[3],
           {Opcode::multiply, two<Tag>([](C x, C y) { return product(x, y); })},
           {Opcode::divide, two<Tag>([](C x, C y) { return quotient<Tag>(x, y); })},
           {Opcode::remainder, two<Tag>([](C x, C y) { return rest<Tag>(x, y); })},
           {Opcode::power, two<Tag>([](C x, C y) { return power(x, y); })},
           {Opcode::and_, two<Tag>([](C x, C y) { return x & y; })},
           {Opcode::or_, two<Tag>([](C x, C y) { return x | y; })},
           {Opcode::xor_, two<Tag>([](C x, C y) { return x ^ y; })},
           {Opcode::shift_left,
            two<Tag>([](C x, C y) { return far<Tag>(y) ? C{0} : static_cast<C>(low<Tag>(x) << y); })},
           {Opcode::shift_right_logical,
            two<Tag>([](C x, C y) { return far<Tag>(y) ? C{0} : static_cast<C>(low<Tag>(x) >> y); })},
           {Opcode::shift_right_arithmetic,
            two<Tag>([](C x, C y) { return far<Tag>(y) ? (x < 0 ? C{-1} : C{0}) : x >> y; })}}};
}

template <class Tag>
OpTable<One> float_one() {
  using C = typename Tag::Computed;
  return {{},
          {{Opcode::negate, one<Tag>([](C x) { return -x; })},
           {Opcode::abs, one<Tag>([](C x) { return std::fabs(x); })},
           {Opcode::sign, one<Tag>([](C x) { return x > 0   ? C{1}
                                                    : x < 0 ? C{-1}
                                                            : x; })},
           {Opcode::exponential, one<Tag>([](C x) { return std::exp(x); })},
           {Opcode::exponential_minus_one, one<Tag>([](C x) { return std::expm1(x); })},
           {Opcode::log, one<Tag>([](C x) { return std::log(x); })},
           {Opcode::log_plus_one, one<Tag>([](C x) { return std::log1p(x); })},
           {Opcode::tanh, one<Tag>([](C x) { return std::tanh(x); })},
           {Opcode::logistic, one<Tag>([](C x) { return 1 / (1 + std::exp(-x)); })},
           {Opcode::rsqrt, one<Tag>([](C x) { return 1 / std::sqrt(x); })},
           {Opcode::sqrt, one<Tag>([](C x) { return std::sqrt(x); })},
           {Opcode::cbrt, one<Tag>([](C x) { return std::cbrt(x); })},
           {Opcode::erf, one<Tag>([](C x) { return std::erf(x); })},
           {Opcode::floor, one<Tag>([](C x) { return std::floor(x); })},
           {Opcode::ceil, one<Tag>([](C x) { return std::ceil(x); })},
           {Opcode::round_nearest_afz, one<Tag>([](C x) { return std::round(x); })},
           {Opcode::round_nearest_even, one<Tag>([](C x) { return std::nearbyint(x); })},
           {Opcode::sine, one<Tag>([](C x) { return std::sin(x); })},
           {Opcode::cosine, one<Tag>([](C x) { return std::cos(x); })}}};
}

int64_t negated(int64_t x) {
  return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
}

template <class Tag>
OpTable<One> integer_one() {
  using C = int64_t;
  return {
      {},
      {{Opcode::negate, one<Tag>([](C x) { return negated(x); })},
       {Opcode::abs,
        one<Tag>([](C x) { return x < 0 && std::is_signed_v<typename Tag::Stored> ? negated(x) : x; })},
       {Opcode::sign, one<Tag>([](C x) { return C{x > 0} - C{x < 0}; })},
       {Opcode::not_, one<Tag>([](C x) { return std::is_same_v<Tag, element::Pred> ? C{x == 0} : ~x; })}}};
}

template <class Tag>
ElementwiseKernel kernel_of(Opcode opcode) {
  if constexpr (kFloating<Tag>) {
    static const OpTable<One> kOne = float_one<Tag>();
    static const OpTable<Two> kTwo = float_two<Tag>();
    return {kOne[opcode], kTwo[opcode]};
  } else {
    static const OpTable<One> kOne = integer_one<Tag>();
    static const OpTable<Two> kTwo = integer_two<Tag>();
    return {kOne[opcode], kTwo[opcode]};
  }
}

template <class Tag, class F>
Two comparison(F) {
  return [](const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    using Stored = typename Tag::Stored;
    const auto* left = reinterpret_cast<const Stored*>(a);
    const auto* right = reinterpret_cast<const Stored*>(b);
    for (int64_t i = 0; i < count; ++i)
      out[i] = std::byte{F{}(ordered<Tag>(Tag::load(left[i])), ordered<Tag>(Tag::load(right[i])))};
  };
}

}  // namespace

ElementwiseKernel elementwise_kernel(Opcode opcode, ElementType type) {
  ElementwiseKernel kernel;
  element::visit(type, [&](auto tag) { kernel = kernel_of<decltype(tag)>(opcode); });
  return kernel;
}

ElementwiseKernel::Two compare_kernel(CompareDirection direction, ElementType type) {
  Two kernel = nullptr;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    // By the comparison's place in its enumeration.
    const Two kernels[] = {comparison<Tag>([](auto x, auto y) { return x == y; }),
                           comparison<Tag>([](auto x, auto y) { return x != y; }),
                           comparison<Tag>([](auto x, auto y) { return x < y; }),
                           comparison<Tag>([](auto x, auto y) { return x <= y; }),
                           comparison<Tag>([](auto x, auto y) { return x > y; }),
                           comparison<Tag>([](auto x, auto y) { return x >= y; })};
    kernel = kernels[static_cast<size_t>(direction)];
  });
  return kernel;
}

Error cannot_compute(const Instruction& i) {
  return invalid("cannot run " + std::string(opcode_text(i.opcode)) + " of " + i.shape.text(), "%" + i.name,
                 "say --check off to time it only");
}

}  // namespace shardscope
