// SPDX-License-Identifier: Apache-2.0
#include "engine/base/element_type.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardscope {
namespace {

using enum ElementType;

constexpr std::array kTypes = {
#define ELEMENT_TYPE(name, bits, kind, digits, numpy, sums, result, peak, listed, rtol, ...) \
  ElementTypeRow{name, #name, bits, TypeKind::kind, digits, numpy, sums, result, peak, listed, rtol},
#include "engine/base/element_types.def"
#undef ELEMENT_TYPE
};

std::vector<ElementType> listed_types() {
  std::vector<ElementType> out;
  for (const ElementTypeRow& row : kTypes)
    if (row.listed > 0) out.push_back(row.type);
  std::sort(out.begin(), out.end(),
            [](ElementType a, ElementType b) { return element_type(a).listed < element_type(b).listed; });
  return out;
}

}  // namespace

const ElementTypeRow& element_type(ElementType type) {
  return kTypes[static_cast<size_t>(type)];
}

const char* name(ElementType type) {
  return element_type(type).name;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const ElementTypeRow& row : kTypes) {
    if (text == row.name) return row.type;
  }
  return std::nullopt;
}

int64_t bits(ElementType type) {
  return element_type(type).bits;
}
int64_t byte_size(ElementType type, int64_t elements) {
  const int64_t b = bits(type);
  return b % 8 == 0 ? elements * (b / 8) : (elements * b + 7) / 8;
}
int64_t stored_bytes(ElementType type, int64_t elements) {
  return elements * ((bits(type) + 7) / 8);
}
bool is_floating(ElementType type) {
  return element_type(type).kind == TypeKind::floating;
}
bool is_integer(ElementType type) {
  return element_type(type).kind == TypeKind::signed_integer ||
         element_type(type).kind == TypeKind::unsigned_integer;
}
bool is_signed(ElementType type) {
  return element_type(type).kind == TypeKind::signed_integer || is_floating(type);
}
bool is_complex(ElementType type) {
  return element_type(type).kind == TypeKind::complex;
}
bool is_narrow(ElementType type) {
  return is_floating(type) && element_type(type).digits < element_type(f32).digits;
}

ElementType real_type(ElementType type) {
  return type == c64 ? f32 : type == c128 ? f64 : type;
}

std::optional<ElementType> product_type(ElementType operand) {
  const ElementType sums = element_type(operand).sums;
  return sums == token ? std::nullopt : std::optional(sums);
}

ElementType result_type(ElementType operand) {
  const ElementType result = element_type(operand).result;
  return result == token ? operand : result;
}

std::span<const ElementType> problem_types() {
  static const std::vector<ElementType> kListed = listed_types();
  return kListed;
}

bool is_problem_type(ElementType type) {
  return element_type(type).listed > 0;
}

std::string problem_type_list() {
  std::string out;
  const std::span<const ElementType> types = problem_types();
  for (size_t t = 0; t < types.size(); ++t)
    out += (t == 0 ? "" : t + 1 == types.size() ? " or " : ", ") + std::string(name(types[t]));
  return out;
}

}  // namespace shardscope
