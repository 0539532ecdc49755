// SPDX-License-Identifier: Apache-2.0
// HLO's primitive types, by HLO's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

enum class ElementType : uint8_t {
  pred,
  s4,
  s8,
  s16,
  s32,
  s64,
  u4,
  u8,
  u16,
  u32,
  u64,
  f8e4m3fn,
  f8e5m2,
  bf16,
  f16,
  f32,
  f64,
  c64,
  c128,
  token,
};

const char* name(ElementType type);                                    // "bf16"
std::optional<ElementType> parse_element_type(std::string_view text);  // HLO's spelling
int64_t bits(ElementType type);                                        // of one element; token: 0
// Bytes of `elements` elements, sub-byte types packed.
int64_t byte_size(ElementType type, int64_t elements);
bool is_floating(ElementType type);
bool is_integer(ElementType type);  // pred is not

}  // namespace shardscope
