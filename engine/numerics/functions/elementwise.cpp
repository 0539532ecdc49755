// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/functions/elementwise.h"

#include "engine/numerics/functions/elementwise_loops.h"
#include "engine/numerics/functions/total_order.h"

namespace shardscope::inline numerics {
namespace {

using elementwise::Two;

// What is compared: of a u64 itself, of everything else what it is computed as.
struct AsNumber {
  template <class Tag>
  static auto of(typename Tag::Stored stored) {
    if constexpr (std::is_same_v<Tag, element::U64>)
      return stored;
    else
      return Tag::load(stored);
  }
};
struct AsBits {
  template <class Tag>
  static auto of(typename Tag::Stored stored) {
    return total_order_key<Tag>(stored);
  }
};

template <class Tag, class As, class F>
Two comparison(F) {
  return [](const std::byte* a, const std::byte* b, std::byte* out, int64_t count) {
    const auto* left = reinterpret_cast<const typename Tag::Stored*>(a);
    const auto* right = reinterpret_cast<const typename Tag::Stored*>(b);
    for (int64_t i = 0; i < count; ++i)
      out[i] = std::byte{F{}(As::template of<Tag>(left[i]), As::template of<Tag>(right[i]))};
  };
}

// By the comparison's place in its enumeration; complex numbers have no order.
template <class Tag, class As>
Two comparison_of(CompareDirection direction) {
  const auto equal = comparison<Tag, As>([](auto x, auto y) { return x == y; }),
             unequal = comparison<Tag, As>([](auto x, auto y) { return x != y; });
  if constexpr (element::kComplex<Tag>) {
    return direction == CompareDirection::eq ? equal : direction == CompareDirection::ne ? unequal : nullptr;
  } else {
    const Two kernels[] = {equal,
                           unequal,
                           comparison<Tag, As>([](auto x, auto y) { return x < y; }),
                           comparison<Tag, As>([](auto x, auto y) { return x <= y; }),
                           comparison<Tag, As>([](auto x, auto y) { return x > y; }),
                           comparison<Tag, As>([](auto x, auto y) { return x >= y; })};
    return kernels[static_cast<size_t>(direction)];
  }
}

}  // namespace

ElementwiseKernel elementwise_kernel(Opcode opcode, ElementType operand) {
  if (is_floating(operand)) return elementwise::float_kernel(opcode, operand);
  if (is_complex(operand)) return elementwise::complex_kernel(opcode, operand);
  return elementwise::integer_kernel(opcode, operand);
}

ElementwiseKernel::Two compare_kernel(CompareDirection direction, ElementType type, bool total_order) {
  Two kernel = nullptr;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (element::kFloat<Tag>)
      kernel = total_order ? comparison_of<Tag, AsBits>(direction) : comparison_of<Tag, AsNumber>(direction);
    else
      kernel = comparison_of<Tag, AsNumber>(direction);
  });
  return kernel;
}

}  // namespace shardscope::inline numerics
