// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>

#include "engine/program/ir/shape.h"
#include "engine/program/mlir/mlir_lexer.h"
#include "engine/program/text/name_map.h"

namespace shardscope::inline program {

using MlirAliases = std::unordered_map<std::string_view, std::string_view>;  // name, without '!' or '#'

// MLIR's types as HLO's shapes. Each text is read once; shapes stay where they are. Refuses what an HLO shape
// cannot say: unknown sizes, quantised elements.
class MlirTypes {
 public:
  explicit MlirTypes(const MlirAliases& aliases) : aliases_(aliases) {}
  Result<const Shape*> read(MlirLexer& lexer) { return read_at(lexer, 0); }

 private:
  Result<const Shape*> read_at(MlirLexer& lexer, int depth);
  Result<Shape> read_tensor(MlirLexer& lexer);
  Result<Shape> read_tuple(MlirLexer& lexer, int depth);

  const MlirAliases& aliases_;
  NameMap<const Shape*> shapes_;  // by their texts
  std::deque<Shape> made_;
};

}  // namespace shardscope::inline program
