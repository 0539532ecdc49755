// SPDX-License-Identifier: Apache-2.0
// The text of typed attributes, a row a key: window={size=3x3}, dim_labels=bf_io->bf, padding=0_1, …
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/attributes.h"
#include "engine/program/ir/opcode.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope {

struct AttributeText {
  std::string_view key;
  Result<void> (*read)(HloLexer& lexer, Attributes& into);  // the cursor stands behind '='
  std::string (*print)(const Attributes& of);               // empty: not said
};
// In the order in which they are printed; none for operations without typed attributes.
std::span<const AttributeText> typed_attributes(Opcode opcode);

// Rows that stand in solver_attributes.cpp.
std::span<const AttributeText> cholesky_attributes();
std::span<const AttributeText> triangular_solve_attributes();

Result<std::vector<int64_t>> read_int_list(HloLexer& lexer);  // "{1,0}"
std::string int_list_text(const std::vector<int64_t>& numbers);

}  // namespace shardscope
