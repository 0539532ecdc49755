// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/program/mlir/mlir_lexer.h"
#include "engine/program/mlir/mlir_op.h"
#include "engine/program/mlir/mlir_types.h"

namespace shardscope::inline program {

// A function as it stands in the text, not read yet.
struct MlirFunction {
  std::string_view name;
  size_t place = 0;   // of its name
  size_t header = 0;  // of the bracket behind its name; of a generic one: of the operation
  bool generic = false;
  bool is_public = false;
};

struct MlirMeshText {
  std::string_view name, text;              // "m", <["x"=2]>
  std::vector<MlirAttribute> attributes{};  // of the dictionary behind it
};

// What a file says beside the bodies of its functions, which are passed over.
struct MlirModule {
  std::string_view name;
  std::vector<MlirAttribute> attributes;
  MlirAliases attribute_aliases, type_aliases;
  std::vector<MlirMeshText> meshes;
  std::vector<MlirFunction> functions;
  std::unordered_map<std::string_view, std::string_view> resources;  // by key: "0x…" without the quotes

  // `@main`, else the only public function, else the first; none: there is none.
  const MlirFunction* entry() const;
  const MlirFunction* find(std::string_view function) const;
  // `text` itself, or what "#name" stands for.
  Result<std::string_view> resolved(MlirLexer& lexer, std::string_view text) const;
  std::unordered_map<std::string_view, size_t> by_name;
};

Result<MlirModule> read_mlir_module(MlirLexer lexer);

}  // namespace shardscope::inline program
