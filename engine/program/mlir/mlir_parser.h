// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/program/mlir/mlir_lexer.h"
#include "engine/program/mlir/mlir_op.h"
#include "engine/program/mlir/mlir_types.h"

namespace shardscope::inline program {

// Reads operations, one at a time with all that is in their regions. Knows no operation by its name but those
// whose pretty form has words of its own: while, reduce, manual_computation.
class MlirParser {
 public:
  MlirParser(MlirLexer& lexer, MlirTypes& types) : lexer_(lexer), types_(types) {}

  Result<MlirOp> op() {
    MlirOp out;
    TRY_VOID(op_at(out, 0));
    return out;
  }
  // The same into what held another one, whose memory it takes over.
  Result<void> next(MlirOp& into) { return op_at(into, 0); }
  // "(%a: T {attrs} loc(…), …)" behind its opening bracket; dictionaries go into `attributes`.
  Result<std::vector<MlirArgument>> arguments(std::vector<std::string_view>& attributes);
  // "{a = 1, b}" at the cursor.
  Result<void> dictionary(std::vector<MlirAttribute>& into);
  Result<void> location(std::string_view* into);  // "loc(…)", if it is there

 private:
  Result<void> op_at(MlirOp& op, int depth);
  Result<void> results(MlirOp& op);
  Result<void> generic(MlirOp& op, int depth);
  Result<void> pretty(MlirOp& op, int depth);
  bool at_next_operation(size_t end);
  Result<void> pretty_item(MlirOp& op, int depth);
  Result<void> in_parentheses(MlirOp& op);
  Result<void> word_or_attribute(MlirOp& op);
  Result<void> bound_operand(MlirOp& op);
  Result<std::string_view> attribute_value();
  Result<void> operand(MlirOp& op);
  Result<void> types(MlirOp& op);
  Result<void> type_list(std::vector<const Shape*>& into);
  Result<void> behind_types(MlirOp& op, int depth);
  Result<void> region(MlirOp& op, std::vector<MlirArgument> arguments, int depth);
  bool at_region();  // behind the '{' there are operations, no entries of a dictionary

  MlirLexer& lexer_;
  MlirTypes& types_;
  std::vector<MlirArgument> pending_;  // arguments that a pretty form says before its region
  int parentheses_ = 0;                // of the pretty form that is being read
};

}  // namespace shardscope::inline program
