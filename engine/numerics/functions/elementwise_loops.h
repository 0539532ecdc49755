// SPDX-License-Identifier: Apache-2.0
// The loops of elementwise operations, made of a function on one element. By kind of type: each knows which
// operations its numbers have.
#pragma once

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/elementwise.h"

namespace shardscope::inline numerics::elementwise {

using One = ElementwiseKernel::One;
using Two = ElementwiseKernel::Two;

// `f` holds nothing and is made anew inside, so that it is inlined. From elements of one type to those of
// another, on what they are computed as.
template <class Tag, class To = Tag, class F>
One one(F) {
  return [](const std::byte* a, std::byte* out, int64_t count) {
    const auto* in = reinterpret_cast<const typename Tag::Stored*>(a);
    auto* to = reinterpret_cast<typename To::Stored*>(out);
    for (int64_t i = 0; i < count; ++i)
      to[i] = To::store(static_cast<typename To::Computed>(F{}(Tag::load(in[i]))));
  };
}

template <class Tag, class To = Tag, class F>
Two two(F) {
  return [](const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    const auto* left = reinterpret_cast<const typename Tag::Stored*>(a);
    const auto* right = reinterpret_cast<const typename Tag::Stored*>(b);
    auto* to = reinterpret_cast<typename To::Stored*>(out);
    for (int64_t i = 0; i < count; ++i)
      to[i] = To::store(static_cast<typename To::Computed>(F{}(Tag::load(left[i]), Tag::load(right[i]))));
  };
}

// The same on elements as they are stored.
template <class Tag, class F>
Two two_stored(F) {
  return [](const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    const auto* left = reinterpret_cast<const typename Tag::Stored*>(a);
    const auto* right = reinterpret_cast<const typename Tag::Stored*>(b);
    auto* to = reinterpret_cast<typename Tag::Stored*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = F{}(left[i], right[i]);
  };
}

// Of operands of a type of that kind.
ElementwiseKernel float_kernel(Opcode opcode, ElementType type);
ElementwiseKernel integer_kernel(Opcode opcode, ElementType type);  // pred too
ElementwiseKernel complex_kernel(Opcode opcode, ElementType type);

}  // namespace shardscope::inline numerics::elementwise
