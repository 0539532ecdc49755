// SPDX-License-Identifier: Apache-2.0
// Values of attributes, from their text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/shape.h"
#include "engine/program/mlir/mlir_module.h"

namespace shardscope::inline program {

// "[0, 1]", "array<i64: 0, 1>", "dense<[[0, 1]]> : tensor<1x2xi64>", "0 : i64", "true".
struct MlirNumbers {
  std::vector<int64_t> numbers;  // row-major
  std::vector<int64_t> dims;     // as a tensor's type says them, or one: how many there are
};
Result<MlirNumbers> read_mlir_numbers(const MlirLexer& lexer, std::string_view text);

// "dense<…>" or "dense_resource<k>" of an array as HLO's literal. A splat is one element: "0".
struct MlirLiteral {
  std::string text;
  bool splat = false;
};
Result<MlirLiteral> read_mlir_literal(const MlirLexer& lexer, const MlirModule& module, std::string_view text,
                                      const Shape& shape);

// The parts of "[a, b]" or "{…}", outside of inner brackets.
Result<std::vector<std::string_view>> mlir_parts(const MlirLexer& lexer, std::string_view bracket);

// "\"text\"" without quotes and escapes; other text as it is.
std::string mlir_string(std::string_view value);

// Entries of "#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>" by key; "#…" is resolved before.
Result<std::vector<MlirAttribute>> mlir_entries(const MlirLexer& lexer, std::string_view text);

}  // namespace shardscope::inline program
