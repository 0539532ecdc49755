// SPDX-License-Identifier: Apache-2.0
// Where an operation comes from in the user's code: MLIR's loc(…).
#pragma once

#include <string>
#include <string_view>

#include "engine/program/mlir/mlir_module.h"

namespace shardscope::inline program {

struct MlirSource {
  std::string name;        // of the outermost that has one: "jit(f)/layer_3/dot_general"
  std::string file, line;  // of the user's frame; "": none is said
};

// `text`: what stands inside of loc(…). The user's frame is the innermost that is of no installed library;
// where all are, the innermost. Text that cannot be read says nothing.
MlirSource mlir_source(const MlirLexer& lexer, const MlirModule& module, std::string_view text);

}  // namespace shardscope::inline program
