// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/ir/recent_values.h"
#include "engine/program/text/hlo_attributes.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/name_map.h"

namespace shardscope::inline program {

// Reads the instructions of the computation that is open. What stands inside of an operand (an instruction
// without a name, the elements of "x#0") becomes an instruction of its own before the one that reads it.
class HloInstructionReader {
 public:
  HloInstructionReader(HloLexer& lexer, const Program& program, HloAttributeReader& attributes)
      : lexer_(lexer), program_(program), attributes_(attributes) {}

  // What the instructions of a computation know of each other.
  struct Scope {
    NameMap<int64_t> names;            // their places
    std::vector<const Shape*> shapes;  // by instruction, as known_shapes_ has them; null: inferred
    std::vector<bool> parameters;      // by number, whether there is one
    std::unordered_map<std::string, InstructionId> elements{};  // "x#0"
    std::vector<std::string_view> outer_attributes{};  // of the instruction that the computation is part of
    bool alone = false;                                // the instruction is all there is
  };
  // Opens the scope of another computation; the one that was open is to be given back to `leave`.
  Scope enter(size_t instructions);
  void leave(Scope outer);

  // instruction = "ROOT"? name "=" shape? opcode "(" operands ")" ("," attribute)*
  // Puts it at the end of the computation; nothing when there is an error.
  Result<void> read(Computation& computation);
  // The same where the text is this instruction alone: it may have no name, and operands that nobody defines
  // become parameters.
  Result<void> read_alone(Computation& computation);
  // Of a computation whose text ends in the middle: the parameters below the ones that were read, as its
  // signature, "x: f32[2], y: f32[]", has them.
  Result<void> add_missing_parameters(Computation& computation, HloLexer signature);
  // What is wrong with the computation now that all of it was read.
  Result<void> finish(const Computation& computation, size_t place) const;

  // A name like this one that no instruction has yet.
  std::string_view free_name(std::string base);

 private:
  struct Head {
    size_t start = 0, name_start = 0;
    std::string_view name;
    bool root = false;
  };

  Result<void> read_head(Head& head);
  Result<void> read_body(Computation& computation, Head& head, Instruction& made);
  Result<void> read_with_inner(Computation& computation, size_t start);
  Result<void> add(Computation& computation, const Head& head);
  Result<void> add_parameter(int64_t number, size_t place);
  Result<void> read_shape_and_opcode(Instruction& made);
  Result<void> read_attribute(Instruction& made);
  Result<void> control_predecessors(Instruction& made);
  Result<void> operands(Computation& computation, Instruction& made);
  Result<void> operand(Computation& computation, Instruction& made);
  Result<InstructionId> inner_operand(Computation& computation, const Shape* shape, std::string_view name);
  Result<InstructionId> named_operand(Computation& computation, const Shape* shape, std::string_view name,
                                      size_t place);
  Result<InstructionId> element_of(Computation& computation, InstructionId tuple);
  InstructionId new_parameter(Computation& computation, const Shape& shape, std::string_view name);
  InstructionId put(Computation& computation, Instruction made, std::string_view name, const Shape* shape);
  Result<const Shape*> known_shape();

  HloLexer& lexer_;
  const Program& program_;
  HloAttributeReader& attributes_;
  Scope scope_;
  std::unordered_map<std::string_view, Shape> known_shapes_;  // by their texts: most are there many times
  std::deque<std::string> made_names_;
  std::unordered_set<int64_t> async_bodies_;  // computations that an async-start calls
  RecentFields recent_;
  const Shape* shape_ = nullptr;  // of the instruction being read, null: not written
  bool may_insert_ = false;       // instructions may be put before the one being read
  bool wants_insert_ = false;     // it could not be read without
  int depth_ = 0;
};

}  // namespace shardscope::inline program
