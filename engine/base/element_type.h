// SPDX-License-Identifier: Apache-2.0
// HLO's primitive types, by HLO's names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardscope {

enum class ElementType : uint8_t {
#define ELEMENT_TYPE(name, ...) name,
#include "engine/base/element_types.def"
#undef ELEMENT_TYPE
};

enum class TypeKind : uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, none };

// A row of the table; element_types.def says what its columns are.
struct ElementTypeRow {
  ElementType type;
  const char* name;
  int64_t bits;
  TypeKind kind;
  int digits;
  std::string_view numpy;
  ElementType sums, result, peak;
  int listed;
  double rtol;
};
const ElementTypeRow& element_type(ElementType type);

const char* name(ElementType type);                                    // "bf16"
std::optional<ElementType> parse_element_type(std::string_view text);  // HLO's spelling
int64_t bits(ElementType type);                                        // of one element; token: 0
// Bytes of `elements` elements, sub-byte types packed.
int64_t byte_size(ElementType type, int64_t elements);
// Bytes of `elements` elements in the arrays that are computed with: each begins at a byte of its own.
int64_t stored_bytes(ElementType type, int64_t elements);
bool is_floating(ElementType type);
bool is_integer(ElementType type);  // pred is not
bool is_signed(ElementType type);   // holds numbers below zero, and orders them
bool is_complex(ElementType type);
bool is_narrow(ElementType type);         // a float of fewer digits than f32
ElementType real_type(ElementType type);  // of a complex number's parts; others: the type itself

// How exactly XLA's compilers are asked to multiply f32 (operand_precision).
enum class ProductPrecision : uint8_t { standard, high, highest };
// In which type a product multiplies, and in how many passes.
struct Multiplied {
  ElementType type = ElementType::f32;
  int64_t passes = 1;
  std::optional<ProductPrecision> precision{};  // none: nobody says, f32 is f32
};

// What products of two elements are summed in; none: there are no products of this type.
std::optional<ElementType> product_type(ElementType operand);
// What a product of two arrays is stored as: the type itself, or a wider one where it holds no sums.
ElementType result_type(ElementType operand);

// The types that problems have, in the order of lists; "f32, bf16, f16, f64 or s32".
std::span<const ElementType> problem_types();
bool is_problem_type(ElementType type);
std::string problem_type_list();

}  // namespace shardscope
