// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_instruction_reader.h"

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/rules/infer_shape.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

InstructionId last_of(const Computation& computation) {
  return InstructionId(static_cast<int64_t>(computation.instructions.size()) - 1);
}

// A permute that puts parts of one array into places of another, (from, to, starts, starts), which we read
// and print and know nothing else of.
bool permutes_in_place(const Instruction& i) {
  return has(i.opcode, Trait::by_pairs) && (verbatim_attribute(i, "slice_sizes") != nullptr ||
                                            verbatim_attribute(i, "source_target_pairs") != nullptr);
}

std::string name_of(Opcode opcode, std::string_view written) {
  return std::string(is_known(opcode) ? opcode_text(opcode) : written);
}

}  // namespace

HloInstructionReader::Scope HloInstructionReader::enter(size_t instructions) {
  Scope outer = std::move(scope_);
  scope_ = {};
  scope_.names.reserve(instructions);
  scope_.shapes.reserve(instructions);
  attributes_.swap_seen(scope_.outer_attributes);
  return outer;
}

void HloInstructionReader::leave(Scope outer) {
  attributes_.swap_seen(scope_.outer_attributes);
  scope_ = std::move(outer);
}

std::string_view HloInstructionReader::free_name(std::string base) {
  const std::string stem = base;
  for (int64_t k = 1; scope_.names.contains(base); ++k) base = stem + "." + std::to_string(k);
  return made_names_.emplace_back(std::move(base));
}

Result<void> HloInstructionReader::read(Computation& computation) {
  const size_t start = lexer_.position();
  const bool could_insert = may_insert_;
  may_insert_ = wants_insert_ = false;
  Head head;
  auto done = read_body(computation, head, computation.instructions.emplace_back());
  if (done.ok()) done = add(computation, head);
  if (!done.ok()) computation.instructions.pop_back();
  if (wants_insert_) {
    lexer_.rewind(start);
    done = read_with_inner(computation, start);
  }
  may_insert_ = could_insert;
  return done;
}

Result<void> HloInstructionReader::read_alone(Computation& computation) {
  scope_.alone = true;
  return read_with_inner(computation, lexer_.position());
}

// An instruction that others have to be put before.
Result<void> HloInstructionReader::read_with_inner(Computation& computation, size_t start) {
  const size_t before = computation.instructions.size();
  may_insert_ = true;
  wants_insert_ = false;
  Head head;
  head.start = start;
  Instruction made;
  auto done = read_body(computation, head, made);
  if (done.ok()) {
    computation.instructions.push_back(std::move(made));
    done = add(computation, head);
  }
  if (!done.ok()) computation.instructions.resize(before);
  return done;
}

Result<void> HloInstructionReader::read_head(Head& head) {
  head.start = lexer_.position();
  // "ROOT = ..." is an instruction of that name.
  if (lexer_.starts_with("ROOT")) {
    head.root = lexer_.word() == "ROOT" && lexer_.peek() != '=';
    if (!head.root) lexer_.rewind(head.start);
  }
  const size_t place = lexer_.position();
  const bool sigil = lexer_.accept("%");
  head.name_start = lexer_.position();
  if (scope_.alone && !sigil) {  // "f32[2] add(f32[2], f32[2])" has no name
    const bool named = !lexer_.word().empty() && lexer_.peek() == '=';
    lexer_.rewind(place);
    if (!named) return {};
  }
  TRY(head.name, lexer_.expect_word("an instruction or '}'"));
  return lexer_.expect("=");
}

Result<void> HloInstructionReader::read_body(Computation& computation, Head& head, Instruction& made) {
  TRY_VOID(read_head(head));
  made.name = std::string(head.name);
  TRY_VOID(read_shape_and_opcode(made));
  if (head.name.empty()) {
    if (shape_ == nullptr) return lexer_.error_at(head.start, "got no name and no shape of the instruction");
    head.name = free_name(name_of(made.opcode, made.opcode_name));
    made.name = std::string(head.name);
  }
  const Shape* const written = shape_;
  TRY_VOID(lexer_.expect("("));
  TRY_VOID(operands(computation, made));
  attributes_.begin();
  while (lexer_.accept(",")) TRY_VOID(read_attribute(made));
  attributes_.settle(made);
  recent_.share(made);
  shape_ = written;
  if (shape_ == nullptr) {
    auto inferred = infer_shape(program_, computation, made);
    if (!inferred.ok()) return lexer_.error_at(head.start, inferred.error().what);
    made.shape = *std::move(inferred);
  }
  if (auto bad = attributes_.missing(made)) return lexer_.error_at(head.start, *bad);
  const auto fits = check_written(program_, computation, made);
  if (!fits.ok()) return lexer_.error_at(head.start, fits.error().what);
  if (permutes_in_place(made))
    made.opcode_name = std::string(opcode_text(std::exchange(made.opcode, Opcode::unknown)));
  return {};
}

// The instruction was just put at the end.
Result<void> HloInstructionReader::add(Computation& computation, const Head& head) {
  const InstructionId id = last_of(computation);
  const Instruction& made = computation.at(id);
  if (made.parameter_number >= 0) TRY_VOID(add_parameter(made.parameter_number, head.start));
  if (made.opcode == Opcode::async_start && !made.called.empty() &&
      !async_bodies_.insert(made.called->front().computation.value).second)
    return lexer_.error_at(head.start, "'" + made.name + "' starts a computation that another one starts");
  if (!scope_.names.add(head.name, std::ssize(scope_.names)).second)
    return lexer_.error_at(head.name_start, "instruction '" + std::string(head.name) + "' is defined twice");
  scope_.shapes.push_back(shape_);
  if (head.root && computation.root.valid())
    return lexer_.error_at(head.start, "a second ROOT, expected one");
  if (head.root) computation.root = id;
  return {};
}

Result<void> HloInstructionReader::add_parameter(int64_t number, size_t place) {
  const auto at = static_cast<size_t>(number);
  scope_.parameters.resize(std::max(scope_.parameters.size(), at + 1));
  if (scope_.parameters[at])
    return lexer_.error_at(place, "parameter " + std::to_string(number) + " is defined twice");
  scope_.parameters[at] = true;
  return {};
}

Result<void> HloInstructionReader::add_missing_parameters(Computation& computation, HloLexer signature) {
  std::vector<bool>& there = scope_.parameters;
  if (std::ranges::find(there, false) == there.end()) return {};
  if (!computation.root.valid()) computation.root = last_of(computation);
  for (size_t number = 0; number < there.size(); ++number) {
    if (number > 0) TRY_VOID(signature.expect(","));
    signature.accept("%");
    TRY(const std::string_view name, signature.expect_word("a parameter"));
    TRY_VOID(signature.expect(":"));
    TRY(Shape shape, read_shape(signature));
    if (there[number]) continue;
    Instruction parameter;
    parameter.opcode = Opcode::parameter;
    parameter.shape = std::move(shape);
    parameter.parameter_number = static_cast<int64_t>(number);
    there[number] = true;
    put(computation, std::move(parameter), scope_.names.contains(name) ? free_name(std::string(name)) : name,
        nullptr);
  }
  return {};
}

Result<void> HloInstructionReader::finish(const Computation& computation, size_t place) const {
  for (size_t number = 0; number < scope_.parameters.size(); ++number)
    if (!scope_.parameters[number])
      return lexer_.error_at(place, "computation '" + computation.name + "' has no parameter " +
                                        std::to_string(number) + ", but one of a greater number");
  return {};
}

// A shape is a word and '[', or a tuple; an opcode is a word and '('.
Result<void> HloInstructionReader::read_shape_and_opcode(Instruction& made) {
  const size_t start = lexer_.position();
  shape_ = nullptr;
  const std::string_view word = lexer_.word();
  if (word.empty() || word == "b" || lexer_.peek() != '(') {
    lexer_.rewind(start);
    TRY(shape_, known_shape());
    made.shape = *shape_;
    TRY(const std::string_view opcode, lexer_.expect_word("an opcode"));
    made.opcode = parse_opcode(opcode);
    if (!is_known(made.opcode)) made.opcode_name = std::string(opcode);
  } else {
    made.opcode = parse_opcode(word);
    if (!is_known(made.opcode)) made.opcode_name = std::string(word);
  }
  if (is_known(made.opcode) || is_hlo_opcode(made.opcode_name)) return {};
  return lexer_.error_at(start, "got opcode '" + made.opcode_name + "', expected an operation of HLO");
}

Result<void> HloInstructionReader::read_attribute(Instruction& made) {
  if (lexer_.starts_with("control-predecessors")) {
    const size_t start = lexer_.position();
    if (lexer_.word() == "control-predecessors") return control_predecessors(made);
    lexer_.rewind(start);
  }
  return attributes_.read(made);
}

// "={%a, %b}" of instructions above.
Result<void> HloInstructionReader::control_predecessors(Instruction& made) {
  TRY_VOID(lexer_.expect("="));
  TRY_VOID(lexer_.expect("{"));
  std::vector<InstructionId> ids;
  while (!lexer_.accept("}")) {
    lexer_.accept("%");
    const size_t place = lexer_.position();
    TRY(const std::string_view name, lexer_.expect_word("an instruction"));
    const auto found = scope_.names.find(name);
    if (!found)
      return lexer_.error_at(place, "control-predecessors: got '" + std::string(name) +
                                        "', expected an instruction defined above");
    const InstructionId id(*found);
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    if (!lexer_.accept(",") && !lexer_.starts_with("}")) return lexer_.expected("',' or '}'");
  }
  made.control_predecessors = std::move(ids);
  return {};
}

}  // namespace shardscope::inline program
