// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/array.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {

const std::array<element::SmallFloats, static_cast<size_t>(ElementType::opaque) + 1> element::kSmallFloats =
    [] {
      std::array<SmallFloats, static_cast<size_t>(ElementType::opaque) + 1> out{};
      for (size_t type = 0; type < out.size(); ++type) {
        if (!is_floating(static_cast<ElementType>(type)) || bits(static_cast<ElementType>(type)) > 8)
          continue;
        for (size_t code = 0; code < size_t{1} << bits(static_cast<ElementType>(type)); ++code)
          out[type][code] = static_cast<float>(float_value(static_cast<ElementType>(type), code));
      }
      return out;
    }();

uint16_t bf16_from_f32(float value) {
  return element::to_bf16(value);
}
float f32_from_bf16(uint16_t bits) {
  return element::from_bf16(bits);
}
uint16_t f16_from_f32(float value) {
  return element::to_f16(value);
}
float f32_from_f16(uint16_t bits) {
  return element::from_f16(bits);
}

uint16_t bf16_from_f64(double value) {
  return element::to_bf16(element::round_to_odd(value));
}

uint16_t f16_from_f64(double value) {
  return element::to_f16(element::round_to_odd(value));
}

}  // namespace shardscope::inline numerics
