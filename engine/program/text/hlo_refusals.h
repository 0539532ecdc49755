// SPDX-License-Identifier: Apache-2.0
// What XLA's parser refuses although every word of it can be read: attributes of other operations, missing
// ones, constants that do not fit their shapes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

inline constexpr size_t kMostParameters = size_t{1} << 24;

// What an asynchronous operation carries out: "add" of "add-start", "async" of async-start; else its own
// name.
std::string_view without_async(std::string_view name);
// Whether `word` is one of the words, which blanks separate.
bool has_word(std::string_view words, std::string_view word);

// Whether HLO has this operation: those of operations.def, some that we only name, and "add-start" or
// "custom-call-done" of any.
bool is_hlo_opcode(std::string_view name);

// Whether the operation may have the attribute. Keys that no operation of HLO has are taken by all: newer
// compilers add some.
bool takes_attribute(const Instruction& instruction, std::string_view key);
// The attributes without which it means nothing.
std::span<const std::string_view> needed_attributes(Opcode opcode);

// Operand count, constant, asynchronous pairs and what else can be said of an instruction by itself. Its
// operands stand in `computation`.
Result<void> check_written(const Program& program, const Computation& computation,
                           const Instruction& instruction);

// Whether "1.5e+3", "-inf", "nan(0x7f)", "true" is a number that the type has, of a complex one a part.
bool is_number_of(std::string_view text, ElementType type);

// "{{1,2},{3,4}}" against f32[2,2]: nesting, counts, and whether the numbers fit the type. Elided constants,
// "{...}", fit every shape.
Result<void> check_literal(std::string_view literal, const Shape& shape);

// "1,0:T(8,128)S(1)" of an array of `rank` dimensions; the message, or "".
std::string layout_mistake(std::string_view layout, size_t rank);

}  // namespace shardscope::inline program
