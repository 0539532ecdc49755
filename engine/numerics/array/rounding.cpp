// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/array.h"
#include "engine/numerics/array/element.h"

namespace shardscope {

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

}  // namespace shardscope
