// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/instruction.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope::inline program {

// What a parameter or a result of a strategy is, mathematically. block_gram: xᵀx of each device's own block;
// operand and result: any further input and output of a chain of products, told apart by their symbols.
// Arguments are a foreign module's, operands those that a strategy has beside X and W.
enum class ArrayRole { lhs, rhs, product, block_gram, operand, result, argument };

// A coordinate on a mesh axis.
struct HomeCoordinate {
  std::string axis;
  int64_t coordinate = 0;
  bool operator==(const HomeCoordinate&) const = default;
};

// A global array that the program reads or makes: how its shards make it up. `transposed`: the array in
// memory is the transpose of X[m,k] or W[k,n]. `unreduced`: mesh axes along which devices hold partial sums.
struct ArrayInfo {
  ArrayRole role = ArrayRole::lhs;
  bool transposed = false;
  std::vector<int64_t> dims;  // global
  PartitionSpec spec;
  std::vector<std::string> unreduced;
  std::string symbol{};                // "dX", "W1"; empty: as the role says, see symbol_of
  std::vector<HomeCoordinate> home{};  // only devices there hold it, the others zeros; empty: all devices
  bool operator==(const ArrayInfo&) const = default;
};
// Whether `device` is where the array's home coordinates say.
bool is_home(const Mesh& mesh, const ArrayInfo& info, DeviceId device);
// What definitions and views call an array: its symbol, else X, W, Y or G by role.
std::string symbol_of(const ArrayInfo& info);

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;
  InstructionId root;
  std::vector<VerbatimAttribute> verbatim{};  // behind its closing brace: execution_thread="main"

  const Instruction& at(InstructionId id) const { return instructions[static_cast<size_t>(id.value)]; }
  const Instruction& root_instruction() const { return at(root); }
  bool operator==(const Computation&) const = default;
};

// Its parameters, in the order of its instructions.
std::vector<InstructionId> parameter_ids(const Computation& computation);
std::vector<std::reference_wrapper<const Instruction>> parameters(const Computation& computation);
// The same by their numbers, null where one is missing.
std::vector<const Instruction*> parameters_by_number(const Computation& computation);
// What its root puts together as a tuple, or the root alone.
std::vector<InstructionId> result_ids(const Computation& computation);

// A table of source locations between a module's header and its computations: FileNames, FunctionNames,
// FileLocations or StackFrames. Its rows as written: "1 {file_location_id=1 parent_frame_id=1}".
struct SourceTable {
  std::string name;
  std::vector<std::string> rows;
  bool operator==(const SourceTable&) const = default;
};

// What ONE device does (SPMD), in HLO: an entry and the computations it calls. mesh, inputs, outputs,
// definitions, choices print as frontend_attributes of the module, so parse(print(p)) == p. Built by
// SpmdBuilder or read from text.
struct Program {
  std::string name;
  Mesh mesh;
  std::vector<Computation> computations;  // callees before callers
  ComputationId entry;
  std::vector<ArrayInfo> inputs;  // by parameter number; none or arguments for a foreign module
  std::optional<ArrayInfo> output;
  std::vector<ArrayInfo> further_outputs;  // not empty: the root is a tuple of `output` and these
  // What the outputs are, in order of evaluation: "H[m,f] = relu(X[m,k] W1[k,f])". Each array on the left
  // is rounded to the problem's type and need not be an output. Empty: the output's role says it.
  std::vector<std::string> definitions;
  // Options that a strategy settled itself: {"slices","8"}, {"variant","wang.rs.isplit"}.
  std::vector<std::pair<std::string, std::string>> choices;
  std::vector<VerbatimAttribute> verbatim;   // module attributes that we do not interpret
  std::vector<SourceTable> source_tables{};  // where instructions come from; metadata's stack_frame_id

  const Computation& entry_computation() const { return computations[static_cast<size_t>(entry.value)]; }
  const Computation& computation(ComputationId id) const {
    return computations[static_cast<size_t>(id.value)];
  }
  // Number of an instruction over all computations: those of earlier computations come first. Timelines and
  // records name instructions by it.
  int32_t global_index(ComputationId computation, InstructionId instruction) const;
  const Instruction& by_global_index(int32_t index) const;
  int32_t instruction_count() const;
  bool operator==(const Program&) const = default;
};

// What a fusion is made of; null: it is no fusion, or does not say.
const Computation* fused_computation(const Program& program, const Instruction& instruction);

// Whether it is a module that somebody brought, not a strategy's.
bool is_foreign(const Program& program);

// All outputs, the main one first; none for a foreign module.
std::vector<ArrayInfo> outputs_of(const Program& program);

// HLO text. parse_program(print_program(p)) == p. Errors of the parser say line:column and what was expected.
std::string print_program(const Program& program);
std::string print_instruction(const Program& program, const Computation& computation, InstructionId id);
Result<Program> parse_program(std::string_view text, std::string_view file_name = "<hlo>");

// Everything that interpreter and scheduler rely on: operands earlier, shapes as HLO's rules infer them,
// groups and permutations within the mesh, reducers known. Names instruction and rule.
Result<void> verify(const Program& program);

// The members of each group of a collective on this program's mesh, devices by logical id.
std::vector<std::vector<DeviceId>> device_groups(const Program& program, const Instruction& collective);
// The mesh axes that a collective's groups or permutation run along, in mesh order: {"col"}. Empty when its
// groups are no axes of the mesh.
std::vector<std::string> collective_axes(const Program& program, const Instruction& collective);

}  // namespace shardscope::inline program
