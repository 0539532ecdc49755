// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/mlir/mlir_op.h"
#include "engine/program/mlir/mlir_sharding.h"

namespace shardscope::inline program {

// What attributes and locations say of any operation: its sharding, its place in the user's code, and what
// dialects keep beside it.
class MlirAnnotator {
 public:
  // All three outlive it.
  MlirAnnotator(MlirLexer& lexer, const MlirModule& module, SdyShardings& shardings)
      : lexer_(lexer), module_(module), shardings_(shardings) {}

  // Of a dictionary: shardings, and all that is of another dialect, kept as it is.
  Result<void> attributes(const std::vector<MlirAttribute>& said, const ManualAxes& manual,
                          Instruction& instruction);
  void location(std::string_view location, Instruction& instruction);

 private:
  Result<void> sharding(const MlirAttribute& said, const ManualAxes& manual, Instruction& instruction);
  Result<void> array_sharding(std::string_view text, std::string_view words, const ManualAxes& manual,
                              Instruction& instruction);
  Result<std::string> unpacked_sharding(const std::string& bytes, const MlirAttribute& said) const;
  const std::pair<std::string, std::string>& source_of(std::string_view location);

  MlirLexer& lexer_;
  const MlirModule& module_;
  SdyShardings& shardings_;
  std::unordered_map<std::string_view, std::pair<std::string, std::string>> sources_;  // by location
  struct ArraySharding {
    Rare<std::optional<HloSharding>> hlo;
    Rare<std::vector<VerbatimAttribute>> verbatim;
  };
  std::map<std::pair<std::string_view, size_t>, ArraySharding> array_shardings_;  // by words and rank
};

}  // namespace shardscope::inline program
