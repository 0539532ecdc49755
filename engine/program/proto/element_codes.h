// SPDX-License-Identifier: Apache-2.0
// XLA's numbers of primitive types (xla_data.proto), and where a literal of each keeps its elements.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/element_type.h"

namespace shardscope::inline program::proto {

inline constexpr int64_t kTupleCode = 13, kBufferCode = 34;

// How a field of LiteralProto holds numbers.
enum class Packing : uint8_t {
  none,
  varints,  // one after the other
  fixed,    // floats and doubles, complex ones as pairs
  bytes,    // little-endian, each in bytes of its own: of less than a byte in the low bits of one
};
struct ElementCode {
  int64_t code;
  ElementType type;
  int field;  // of LiteralProto; 0: none
  Packing packing;
};
const ElementCode* element_code(int64_t code);  // null: none of XLA's arrays
// "f32"; the number where it is none.
std::string element_text(int64_t code);

}  // namespace shardscope::inline program::proto
