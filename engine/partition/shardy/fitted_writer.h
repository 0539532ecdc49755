// SPDX-License-Identifier: Apache-2.0
// Writes a module anew, computation by computation, with copies between its instructions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/partition/types/fitted_module.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/sharding/axis_parts.h"

namespace shardscope::inline partitioner {

// One computation as it is written; operands are of this one.
class FittedPage {
 public:
  InstructionId add(Instruction instruction);
  const Instruction& at(InstructionId id) const { return made_[static_cast<size_t>(id.value)]; }
  Computation close(const Computation& from, InstructionId root) &&;

 private:
  std::vector<Instruction> made_;
};

class FittedWriter {
 public:
  FittedWriter(StagePtr before, StageKind kind, Mesh mesh);

  const AxisMesh& axes() const { return axes_; }  // the mesh's
  FittedModule& made() { return out_; }
  // "reshard", then "reshard.1", … without the names of the module.
  std::string unique(const std::string& base);
  // The instruction with that of `before` that it is there for.
  InstructionId add(FittedPage& page, Instruction made, const std::string& source);
  // A copy that lies as `to`: `word` is what Shardy calls it, `reader` what it is made for.
  Result<InstructionId> add_copy(FittedPage& page, InstructionId value, const AxisSplit& to,
                                 const std::string& word, const Instruction& reader);
  // `renamed`: sources that `before` calls otherwise.
  Result<FittedModule> done(Program program, const RenamedInstructions& renamed) &&;

 private:
  FittedModule out_;
  AxisMesh axes_;
  std::map<std::string, int64_t> numbers_;                  // by base
  std::vector<std::pair<std::string, std::string>> links_;  // made, source
};

}  // namespace shardscope::inline partitioner
