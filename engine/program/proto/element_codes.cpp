// SPDX-License-Identifier: Apache-2.0
#include "engine/program/proto/element_codes.h"

#include <algorithm>
#include <iterator>

namespace shardscope::inline program::proto {
namespace {

constexpr ElementCode kCodes[] = {
    {1, ElementType::pred, 2, Packing::varints},
    {30, ElementType::s1, 30, Packing::bytes},
    {26, ElementType::s2, 26, Packing::bytes},
    {21, ElementType::s4, 21, Packing::bytes},
    {2, ElementType::s8, 15, Packing::bytes},
    {3, ElementType::s16, 17, Packing::bytes},
    {4, ElementType::s32, 4, Packing::varints},
    {5, ElementType::s64, 5, Packing::varints},
    {31, ElementType::u1, 31, Packing::bytes},
    {27, ElementType::u2, 27, Packing::bytes},
    {22, ElementType::u4, 22, Packing::bytes},
    {6, ElementType::u8, 3, Packing::bytes},
    {7, ElementType::u16, 16, Packing::bytes},
    {8, ElementType::u32, 6, Packing::varints},
    {9, ElementType::u64, 7, Packing::varints},
    {10, ElementType::f16, 11, Packing::bytes},
    {11, ElementType::f32, 8, Packing::fixed},
    {16, ElementType::bf16, 13, Packing::bytes},
    {12, ElementType::f64, 9, Packing::fixed},
    {19, ElementType::f8e5m2, 19, Packing::bytes},
    {28, ElementType::f8e4m3, 28, Packing::bytes},
    {20, ElementType::f8e4m3fn, 20, Packing::bytes},
    {23, ElementType::f8e4m3b11fnuz, 23, Packing::bytes},
    {29, ElementType::f8e3m4, 29, Packing::bytes},
    {24, ElementType::f8e5m2fnuz, 24, Packing::bytes},
    {25, ElementType::f8e4m3fnuz, 25, Packing::bytes},
    {32, ElementType::f4e2m1fn, 32, Packing::bytes},
    {33, ElementType::f8e8m0fnu, 33, Packing::bytes},
    {15, ElementType::c64, 12, Packing::fixed},
    {18, ElementType::c128, 18, Packing::fixed},
    {17, ElementType::token, 0, Packing::none},
    {14, ElementType::opaque, 0, Packing::none},
};

}  // namespace

const ElementCode* element_code(int64_t code) {
  const auto* const found = std::ranges::find(kCodes, code, &ElementCode::code);
  return found == std::end(kCodes) ? nullptr : found;
}

std::string element_text(int64_t code) {
  const ElementCode* known = element_code(code);
  return known == nullptr ? "type" + std::to_string(code) : name(known->type);
}

}  // namespace shardscope::inline program::proto
