// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "engine/numerics/functions/elementwise_loops.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics::elementwise {
namespace {

using C = int64_t;

// What orders and divides: a u64 as itself, everything else as it is computed.
template <class Tag>
auto ordered(C x) {
  if constexpr (std::is_same_v<Tag, element::U64>)
    return static_cast<uint64_t>(x);
  else
    return x;
}
template <class Tag>
inline constexpr bool kSigned = std::is_signed_v<decltype(ordered<Tag>(C{}))>;

uint64_t raw(C x) {
  return static_cast<uint64_t>(x);
}
C negated(C x) {
  return static_cast<C>(0 - raw(x));
}

// Division by zero as XLA does it on CPUs: all ones, and the dividend as remainder.
template <class Tag>
C quotient(C x, C y) {
  if (y == 0) return -1;
  if (kSigned<Tag> && y == -1) return negated(x);
  return static_cast<C>(ordered<Tag>(x) / ordered<Tag>(y));
}
template <class Tag>
C rest(C x, C y) {
  if (y == 0) return x;
  if (kSigned<Tag> && y == -1) return 0;
  return static_cast<C>(ordered<Tag>(x) % ordered<Tag>(y));
}

// Of two numbers of 64 bits, by their halves.
uint64_t high_of_unsigned(uint64_t x, uint64_t y) {
  const uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, y0 = y & UINT32_MAX, y1 = y >> 32;
  const uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
  const uint64_t carried = x0 * y1 + (middle & UINT32_MAX);
  return x1 * y1 + (middle >> 32) + (carried >> 32);
}
template <class Tag>
C high_half(C x, C y) {
  if constexpr (Tag::kBits < 64) {
    const C whole = static_cast<C>(raw(x) * raw(y));
    return kSigned<Tag> && std::is_signed_v<typename Tag::Stored> ? whole >> Tag::kBits
                                                                  : static_cast<C>(raw(whole) >> Tag::kBits);
  } else {
    uint64_t high = high_of_unsigned(raw(x), raw(y));
    if (kSigned<Tag> && x < 0) high -= raw(y);
    if (kSigned<Tag> && y < 0) high -= raw(x);
    return static_cast<C>(high);
  }
}

// Products wrap in 64 bits, whose low half is right for every narrower type.
template <class Tag>
C power(C x, C y) {
  if (kSigned<Tag> && y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = raw(x);
  for (uint64_t e = raw(y); e != 0; e >>= 1, base *= base)
    if (e & 1) result *= base;
  return static_cast<C>(result);
}

// The bits of an element, and whether a shift count is too far; a u64 count above 2^63 is below zero here:
// too far either way.
template <class Tag>
uint64_t low(C x) {
  return raw(x) & (Tag::kBits == 64 ? UINT64_MAX : (uint64_t{1} << (Tag::kBits % 64)) - 1);
}
template <class Tag>
bool far(C count) {
  return count < 0 || count >= Tag::kBits;
}
// The element's highest bit fills from the left, whether it is a sign or not.
template <class Tag>
C shifted_by_sign(C x, C count) {
  const C filled = static_cast<C>(raw(x) << (64 - Tag::kBits)) >> (64 - Tag::kBits);
  return filled >> (far<Tag>(count) ? 63 : count);
}

template <class Tag>
OpTable<Two> integer_two() {
  return {{},
          {{Opcode::add, two<Tag>([](C x, C y) { return static_cast<C>(raw(x) + raw(y)); })},
           {Opcode::subtract, two<Tag>([](C x, C y) { return static_cast<C>(raw(x) - raw(y)); })},
           {Opcode::maximum, two<Tag>([](C x, C y) { return ordered<Tag>(x) < ordered<Tag>(y) ? y : x; })},
           {Opcode::minimum, two<Tag>([](C x, C y) { return ordered<Tag>(y) < ordered<Tag>(x) ? y : x; })},
           {Opcode::multiply, two<Tag>([](C x, C y) { return static_cast<C>(raw(x) * raw(y)); })},
           {Opcode::mulhi, two<Tag>([](C x, C y) { return high_half<Tag>(x, y); })},
           {Opcode::divide, two<Tag>([](C x, C y) { return quotient<Tag>(x, y); })},
           {Opcode::remainder, two<Tag>([](C x, C y) { return rest<Tag>(x, y); })},
           {Opcode::power, two<Tag>([](C x, C y) { return power<Tag>(x, y); })},
           {Opcode::and_, two<Tag>([](C x, C y) { return x & y; })},
           {Opcode::or_, two<Tag>([](C x, C y) { return x | y; })},
           {Opcode::xor_, two<Tag>([](C x, C y) { return x ^ y; })},
           {Opcode::shift_left,
            two<Tag>([](C x, C y) { return far<Tag>(y) ? C{0} : static_cast<C>(low<Tag>(x) << y); })},
           {Opcode::shift_right_logical,
            two<Tag>([](C x, C y) { return far<Tag>(y) ? C{0} : static_cast<C>(low<Tag>(x) >> y); })},
           {Opcode::shift_right_arithmetic, two<Tag>([](C x, C y) { return shifted_by_sign<Tag>(x, y); })}}};
}

template <class Tag>
OpTable<One> integer_one() {
  constexpr bool kTruth = std::is_same_v<Tag, element::Pred>;
  return {{},
          {{Opcode::negate, one<Tag>([](C x) { return negated(x); })},
           {Opcode::abs, one<Tag>([](C x) { return kSigned<Tag> && x < 0 ? negated(x) : x; })},
           {Opcode::sign, one<Tag>([](C x) { return C{ordered<Tag>(x) > 0} - C{kSigned<Tag> && x < 0}; })},
           {Opcode::not_, one<Tag>([](C x) { return kTruth ? C{x == 0} : ~x; })},
           {Opcode::popcnt, one<Tag>([](C x) { return C{std::popcount(low<Tag>(x))}; })},
           {Opcode::count_leading_zeros,
            one<Tag>([](C x) { return C{std::countl_zero(low<Tag>(x)) - (64 - Tag::kBits)}; })}}};
}

}  // namespace

ElementwiseKernel integer_kernel(Opcode opcode, ElementType type) {
  ElementwiseKernel kernel;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (element::kInteger<Tag>) {
      static const OpTable<One> kOne = integer_one<Tag>();
      static const OpTable<Two> kTwo = integer_two<Tag>();
      kernel = {kOne[opcode], kTwo[opcode]};
    }
  });
  return kernel;
}

}  // namespace shardscope::inline numerics::elementwise
