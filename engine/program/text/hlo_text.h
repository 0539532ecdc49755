// SPDX-License-Identifier: Apache-2.0
// More of HLO text than parse_program and print_program: cut texts, the bare style, source lines.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// A program and where its text broke off, if it did. Of the computation that was being read all whole
// instructions are there, the last as its root.
struct HloText {
  Program program;
  std::optional<Error> cut;                  // "text ends in instruction 'broadcast.4'; f.hlo:7:3"
  std::vector<std::string> other_modules{};  // of the same text, that were not read
};
// As parse_program, but a text that ends in the middle, as a notebook's prints do, is no error.
// A text of several modules gives the one called `module`, the first when that is empty. Told to stop, the
// error is `cancelled`.
Result<HloText> read_hlo(std::string_view text, std::string_view file_name = "<hlo>",
                         std::string_view module = {}, const std::stop_token& stop = {});

// full: "%a = f32[2] add(f32[2] %x, f32[2] %y)" and signatures, as XLA's to_string; bare: names alone, as
// as_hlo_text of JAX's unoptimised computations.
enum class HloStyle { full, bare };
std::string print_program(const Program& program, HloStyle style);

// What a text shows beside what it says. XLA's printers differ in it.
struct HloForm {
  bool sigils = true;          // "%x"
  bool signatures = true;      // "e (x: f32[2]) -> f32[2] {"
  bool operand_shapes = true;  // "add(f32[2] %x, …)"
  bool operand_marks = true;   // "/*index=5*/" among operands
  bool origins = false;        // of instructions made from others which those are, see Provenance
  bool operator==(const HloForm&) const = default;
};
// The form of a text as its computations and instructions show it, and a program printed in that form; told
// to stop, a part of it.
HloForm form_of(std::string_view text);
std::string print_program(const Program& program, const HloForm& form, const std::stop_token& stop = {});

// Where in the user's code an instruction comes from, "model.py:12": metadata's stack_frame_id looked up in
// the program's tables, from there out of libraries to whoever called them, or its source_file; empty when
// it does not say.
std::string source_line(const Program& program, const Instruction& instruction);
// Of the frames of a place the user's is the innermost that is of no installed library.
bool is_users_file(std::string_view path);

}  // namespace shardscope::inline program
