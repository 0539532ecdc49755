// SPDX-License-Identifier: Apache-2.0
#include "engine/base/element_type.h"

#include <array>

namespace shardscope {
namespace {

enum class Family : uint8_t { boolean, integer, floating, complex, none };

struct TypeRow {
  ElementType type;
  const char* name;
  int64_t bits;
  Family family;
};

constexpr std::array kTypes = {
    TypeRow{ElementType::pred, "pred", 8, Family::boolean},
    TypeRow{ElementType::s4, "s4", 4, Family::integer},
    TypeRow{ElementType::s8, "s8", 8, Family::integer},
    TypeRow{ElementType::s16, "s16", 16, Family::integer},
    TypeRow{ElementType::s32, "s32", 32, Family::integer},
    TypeRow{ElementType::s64, "s64", 64, Family::integer},
    TypeRow{ElementType::u4, "u4", 4, Family::integer},
    TypeRow{ElementType::u8, "u8", 8, Family::integer},
    TypeRow{ElementType::u16, "u16", 16, Family::integer},
    TypeRow{ElementType::u32, "u32", 32, Family::integer},
    TypeRow{ElementType::u64, "u64", 64, Family::integer},
    TypeRow{ElementType::f8e4m3fn, "f8e4m3fn", 8, Family::floating},
    TypeRow{ElementType::f8e5m2, "f8e5m2", 8, Family::floating},
    TypeRow{ElementType::bf16, "bf16", 16, Family::floating},
    TypeRow{ElementType::f16, "f16", 16, Family::floating},
    TypeRow{ElementType::f32, "f32", 32, Family::floating},
    TypeRow{ElementType::f64, "f64", 64, Family::floating},
    TypeRow{ElementType::c64, "c64", 64, Family::complex},
    TypeRow{ElementType::c128, "c128", 128, Family::complex},
    TypeRow{ElementType::token, "token", 0, Family::none},
};

const TypeRow& row(ElementType type) {
  return kTypes[static_cast<size_t>(type)];
}

}  // namespace

const char* name(ElementType type) {
  return row(type).name;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const TypeRow& r : kTypes) {
    if (text == r.name) return r.type;
  }
  return std::nullopt;
}

int64_t bits(ElementType type) {
  return row(type).bits;
}
int64_t byte_size(ElementType type, int64_t elements) {
  const int64_t b = bits(type);
  return b % 8 == 0 ? elements * (b / 8) : (elements * b + 7) / 8;
}
bool is_floating(ElementType type) {
  return row(type).family == Family::floating;
}
bool is_integer(ElementType type) {
  return row(type).family == Family::integer;
}

}  // namespace shardscope
