// SPDX-License-Identifier: Apache-2.0
// From MLIR's operations to a Program: what the rows of the table of operations (stablehlo_ops.h) are written
// with.
#pragma once

#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/file/line_numbers.h"
#include "engine/program/ir/program.h"
#include "engine/program/ir/recent_values.h"
#include "engine/program/mlir/mlir_annotate.h"
#include "engine/program/mlir/mlir_parser.h"
#include "engine/program/mlir/mlir_sharding.h"
#include "engine/program/text/name_map.h"

namespace shardscope::inline program {

// A value of the text: an instruction, or an element of the tuple that it makes.
struct MlirValue {
  InstructionId id;
  int64_t element = -1;
};

// A computation that is being written.
struct MlirComputation {
  Computation made;
  std::unordered_map<uint64_t, InstructionId> elements;  // get-tuple-elements that are there already
};

// The names that can be seen at a place, and where its instructions go.
struct MlirScope {
  MlirComputation* into = nullptr;
  NameMap<MlirValue> names;
  NameMap<std::pair<InstructionId, int64_t>> packs;  // "%0:2": its tuple
  ManualAxes manual;
  const SdyMesh* mesh = nullptr;  // that they are of
  bool of_elements = false;       // a reducer, a comparator: nothing in it is sharded
};

// The program that is being written.
class MlirProgram {
 public:
  InstructionId emit(MlirScope& scope, Instruction&& instruction);
  Instruction instruction(Opcode opcode, Shape shape, std::vector<InstructionId> operands);
  std::string unique(std::string_view base);  // "add.12"
  InstructionId tuple(MlirScope& scope, const std::vector<InstructionId>& values);
  // `value` is what the text calls what was made, unless it had a name there.
  void name_as_written(MlirScope& scope, std::string_view value, InstructionId made);
  // Closes a computation whose root is the values: the one, or a tuple of them.
  ComputationId close(MlirComputation computation, std::string_view base, std::vector<InstructionId> results);
  // The computation "two scalars of `type`, `opcode` of them", made once.
  ComputationId reducer(Opcode opcode, ElementType type);
  // From now on the program has at least so many devices.
  void needs_devices(int64_t count);
  const Program& made() const { return program_; }

 protected:
  Program program_;
  int64_t devices_ = 1;

 private:
  int64_t next_ = 1;
  std::unordered_map<std::string, int64_t> used_names_;
  std::unordered_map<uint64_t, ComputationId> reducers_;
  RecentFields recent_;
};

struct MlirCase;

class MlirLowering : public MlirProgram {
 public:
  // `start`: where the module begins, which goes to the end of the text.
  MlirLowering(std::string_view text, std::string_view file_name, std::stop_token stop = {}, size_t start = 0)
      : lexer_(text, file_name),
        lines_(text),
        types_(module_.type_aliases),
        shardings_(lexer_, module_),
        stop_(std::move(stop)) {
    lexer_.rewind(start);
  }
  Result<Program> program();

  // What the text calls `name`, as an instruction of the scope's computation.
  Result<InstructionId> value(MlirScope& scope, std::string_view name, size_t place);
  void bind(MlirScope& scope, const MlirOp& op, InstructionId made);
  // The same where each result is an instruction of its own.
  Result<void> bind_each(MlirScope& scope, const MlirOp& op, const std::vector<InstructionId>& made);
  // Where the operation comes from in the user's code, and what else its attributes say of it.
  Result<void> annotate(const MlirOp& op, const ManualAxes& manual, Instruction& instruction) {
    TRY_VOID(annotator_.attributes(op.attributes, manual, instruction));
    annotator_.location(op.location, instruction);
    return {};
  }

  // Operations into the scope; gives what the last one, the terminator, returns.
  Result<std::vector<InstructionId>> body(MlirScope& scope, const std::vector<MlirOp>& ops);
  // Where it is called from `caller`: in a manual region it is of that region.
  Result<ComputationId> function(std::string_view name, size_t place, const MlirScope& caller);

  SdyShardings& shardings() { return shardings_; }
  const MlirModule& module() const { return module_; }
  const MlirLexer& lexer() const { return lexer_; }

 private:
  struct Header {
    std::vector<MlirArgument> arguments;
    std::vector<std::string_view> argument_attributes, result_attributes;
    std::vector<const Shape*> results;  // as the header says; of the generic form none
  };
  Result<void> read_module_attributes();
  Result<Header> header(const MlirFunction& f, MlirLexer& lexer, MlirOp& generic);
  Result<Header> pretty_header(MlirLexer& lexer);
  Result<ComputationId> lower_function(const MlirFunction& f, const MlirScope& caller);
  Result<void> describe_entry(const Header& head);
  void reserve_for(MlirScope& scope, size_t parameters);
  Result<void> parameters(MlirScope& scope, const Header& header, bool entry);
  Result<InstructionId> result_with_attributes(MlirScope& scope, InstructionId result, std::string_view said);
  Result<void> one(MlirScope& scope, const MlirOp& op);
  Result<void> check_new_names(const MlirScope& scope, const MlirOp& op) const;
  Result<void> check_operand_types(const MlirCase& c) const;
  Result<void> check_made(const MlirOp& op, const Computation& made, const Instruction& i) const;
  void settle_mesh();

  MlirModule module_;
  MlirLexer lexer_;
  LineNumbers lines_;
  MlirTypes types_;
  SdyShardings shardings_;
  std::stop_token stop_;
  std::optional<size_t> lines_in_text_;
  std::deque<std::string> made_names_;                        // "0#1" of packs that are no tuple
  std::unordered_map<std::string, ComputationId> functions_;  // by name and the manual axes around
  std::vector<std::string_view> open_functions_;
  MlirAnnotator annotator_{lexer_, module_, shardings_};
};

// Is it one of "return", "func.return", "stablehlo.return", "sdy.return"?
bool is_mlir_return(std::string_view name);

}  // namespace shardscope::inline program
