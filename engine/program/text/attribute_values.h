// SPDX-License-Identifier: Apache-2.0
// The table of attributes as rows: how each is read and printed, and which of them an operation has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/instruction.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {

// How an instruction keeps an attribute.
struct AttributeValue {
  enum class Kind : unsigned char {
    verbatim,   // as its text
    by_reader,  // by what a reader of a module knows: groups, shardings, entries
    field,      // in a field that any operation may have
    own,        // in what only the operations have that its row names
    callee,     // among the computations that it calls
    callees,    // several of them, in braces
  };
  Kind kind;
  Result<void> (*read)(HloLexer& lexer, Instruction& into) = nullptr;  // the cursor stands behind '='
  std::string (*print)(const Instruction& of, bool always) = nullptr;  // empty: not said
};
struct AttributeRow {
  std::string_view key, operations;
  const AttributeValue* value;
  bool beside;  // the row above it
};
std::span<const AttributeRow> attribute_rows();

// One that an instruction of an opcode does not keep as its text.
struct AttributeText {
  std::string_view key;
  const AttributeValue* value;
  bool always;  // said where its list is empty
};
// In the order in which they are printed.
const std::vector<AttributeText>& attribute_texts(Opcode opcode);
// What an instruction keeps as text of the attributes that only `opcode` has, read into the fields of `into`.
// False: some are not written as they must be.
bool read_texts(Opcode opcode, const Instruction& from, Instruction& into);
// Null: the reader's, or kept as its text.
const AttributeText* find_text(Opcode opcode, std::string_view key);

Result<std::vector<int64_t>> read_int_list(HloLexer& lexer);  // "{1,0}"
std::string int_list_text(const std::vector<int64_t>& numbers);

}  // namespace shardscope::inline program
