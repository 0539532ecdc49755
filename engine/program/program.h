// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/program/instruction.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope {

// What a parameter or the result of a strategy is, mathematically. block_gram: xᵀx of each device's own block.
enum class ArrayRole { lhs, rhs, product, block_gram };

// A global array that the program reads or makes: how its shards make it up. `transposed`: the array in memory
// is the transpose of X[m,k] or W[k,n]. `unreduced`: mesh axes along which devices hold partial sums.
struct ArrayInfo {
  ArrayRole role = ArrayRole::lhs;
  bool transposed = false;
  std::vector<int64_t> dims;  // global
  PartitionSpec spec;
  std::vector<std::string> unreduced;
  bool operator==(const ArrayInfo&) const = default;
};

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;
  InstructionId root;

  const Instruction& at(InstructionId id) const { return instructions[static_cast<size_t>(id.value)]; }
  const Instruction& root_instruction() const { return at(root); }
  bool operator==(const Computation&) const = default;
};

// What ONE device does (SPMD), in HLO: an entry and the computations it calls. mesh, inputs, output, choices print
// as frontend_attributes of the module, so parse(print(p)) == p. Built by SpmdBuilder or read from text.
struct Program {
  std::string name;
  Mesh mesh;
  std::vector<Computation> computations;  // callees before callers
  ComputationId entry;
  std::vector<ArrayInfo> inputs;  // by parameter number; empty for a foreign module
  std::optional<ArrayInfo> output;
  // Options that a strategy settled itself: {"slices","8"}, {"variant","wang.rs.isplit"}.
  std::vector<std::pair<std::string, std::string>> choices;
  std::vector<VerbatimAttribute> verbatim;  // module attributes that we do not interpret

  const Computation& entry_computation() const { return computations[static_cast<size_t>(entry.value)]; }
  const Computation& computation(ComputationId id) const { return computations[static_cast<size_t>(id.value)]; }
  // Number of an instruction over all computations: those of earlier computations come first. Timelines and
  // records name instructions by it.
  int32_t global_index(ComputationId computation, InstructionId instruction) const;
  const Instruction& by_global_index(int32_t index) const;
  int32_t instruction_count() const;
  bool operator==(const Program&) const = default;
};

// HLO text. parse_program(print_program(p)) == p. Errors of the parser say line:column and what was expected.
std::string print_program(const Program& program);
std::string print_instruction(const Program& program, const Computation& computation, InstructionId id);
Result<Program> parse_program(std::string_view text, std::string_view file_name = "<hlo>");

// Everything that interpreter and scheduler rely on: operands earlier, shapes as HLO's rules infer them, groups and
// permutations within the mesh, reducers known. Names instruction and rule.
Result<void> verify(const Program& program);

// The members of each group of a collective on this program's mesh, devices by logical id.
std::vector<std::vector<DeviceId>> device_groups(const Program& program, const Instruction& collective);
// The mesh axes that a collective's groups or permutation run along, in mesh order: {"col"}. Empty when its groups
// are no axes of the mesh.
std::vector<std::string> collective_axes(const Program& program, const Instruction& collective);

}  // namespace shardscope
