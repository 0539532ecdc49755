// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {

// A number that orders as the element does: integers as they are; floats by sign and bits, so that -0 is
// below 0 and what is no number stands at either end, by its sign.
template <class Tag>
auto total_order_key(typename Tag::Stored stored) {
  if constexpr (element::kFloat<Tag>) {
    constexpr FloatFormat kFormat = float_format(element::kType<Tag>);
    using Bits = std::conditional_t<sizeof(stored) == 8, uint64_t, uint32_t>;
    uint64_t code = 0;
    if constexpr (element::kNarrow<Tag>)
      code = stored;
    else
      code = std::bit_cast<Bits>(stored);
    const auto size = static_cast<int64_t>(code & kFormat.magnitude_bits());
    return (code & kFormat.sign_bit()) != 0 ? -1 - size : size;
  } else if constexpr (std::is_same_v<Tag, element::U64>) {
    return stored;
  } else {
    return Tag::load(stored);
  }
}

}  // namespace shardscope::inline numerics
