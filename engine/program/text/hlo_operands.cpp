// SPDX-License-Identifier: Apache-2.0
// What stands between an instruction's parentheses: names, shapes, instructions and elements of tuples.
#include "engine/base/text.h"
#include "engine/program/rules/infer_shape.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_instruction_reader.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

constexpr int kDeepestOperand = 64;  // operands within operands

}  // namespace

Result<void> HloInstructionReader::operands(Computation& computation, Instruction& made) {
  if (made.opcode == Opcode::constant) {
    TRY(const std::string_view literal, lexer_.inside(')'));
    made.literal = std::string(literal);
    return {};
  }
  if (made.opcode == Opcode::parameter) {
    const size_t place = lexer_.position();
    TRY(made.parameter_number, lexer_.expect_integer("a parameter number"));
    if (made.parameter_number < 0 || made.parameter_number >= static_cast<int64_t>(kMostParameters))
      return lexer_.error_at(place, "parameter number " + std::to_string(made.parameter_number) +
                                        ", expected 0 to " + std::to_string(kMostParameters - 1));
    return lexer_.expect(")");
  }
  if (lexer_.accept(")")) return {};
  made.operands.reserve(2);
  do TRY_VOID(operand(computation, made));
  while (lexer_.accept(","));
  return lexer_.expect(")");
}

// The shape at the cursor; a text that was read before is not read again.
Result<const Shape*> HloInstructionReader::known_shape() {
  const size_t start = lexer_.position();
  const auto found = known_shapes_.find(lexer_.up_to_blank());
  if (found != known_shapes_.end() && lexer_.peek() != '{') return &found->second;
  lexer_.rewind(start);
  TRY(Shape shape, read_shape(lexer_));
  const std::string_view text = trim(lexer_.between(start, lexer_.end_of_token()));
  return &known_shapes_.insert_or_assign(text, std::move(shape)).first->second;
}

// operand = shape? ("%"? name ("#" number)* | opcode "(" operands ")"). The shape repeats what the operand's
// own line says and is not kept.
Result<void> HloInstructionReader::operand(Computation& computation, Instruction& made) {
  const Shape* shape = nullptr;
  if (lexer_.peek() != '%') {
    const size_t start = lexer_.position();
    const bool has_shape = lexer_.peek() == '(' || [&] {
      const std::string_view word = lexer_.word();
      return !word.empty() && (lexer_.peek() == '[' || (word == "b" && lexer_.peek() == '('));
    }();
    lexer_.rewind(start);
    if (has_shape) {
      TRY(shape, known_shape());
    }
  }
  const bool sigil = lexer_.accept("%");
  const size_t place = lexer_.position();
  const std::string_view name = lexer_.word();
  if (name.empty() && (shape == nullptr || !scope_.alone || depth_ > 0)) return lexer_.expected("an operand");
  InstructionId id;
  if (!sigil && lexer_.peek() == '(') {
    TRY(id, inner_operand(computation, shape, name));
  } else {
    TRY(id, named_operand(computation, shape, name, place));
  }
  made.operands.push_back(id);
  return {};
}

Result<InstructionId> HloInstructionReader::named_operand(Computation& computation, const Shape* shape,
                                                          std::string_view name, size_t place) {
  const auto found = scope_.names.find(name);
  if (!found) {
    if (scope_.alone && shape != nullptr) return new_parameter(computation, *shape, name);
    return lexer_.error_at(place,
                           "got operand '" + std::string(name) + "', expected an instruction defined above");
  }
  InstructionId id(*found);
  const auto fits = [&] {
    return shape == nullptr || shape == scope_.shapes[static_cast<size_t>(id.value)] ||
           same_shape(*shape, computation.at(id).shape);
  };
  // Before "x#0" stands the shape of x or of its element.
  bool fitting = fits();
  while (lexer_.peek() == '#') {
    TRY(id, element_of(computation, id));
    fitting = fitting || fits();
  }
  if (fitting) return id;
  return lexer_.error_at(place, "operand '" + std::string(name) + "' is " + shape->text() +
                                    " here, expected its own shape " + computation.at(id).shape.text());
}

InstructionId HloInstructionReader::put(Computation& computation, Instruction made, std::string_view name,
                                        const Shape* shape) {
  made.name = std::string(name);
  scope_.names.add(name, std::ssize(scope_.names));
  computation.instructions.push_back(std::move(made));
  scope_.shapes.push_back(shape);
  return InstructionId(std::ssize(computation.instructions) - 1);
}

InstructionId HloInstructionReader::new_parameter(Computation& computation, const Shape& shape,
                                                  std::string_view name) {
  Instruction parameter;
  parameter.opcode = Opcode::parameter;
  parameter.shape = shape;
  parameter.parameter_number = static_cast<int64_t>(scope_.parameters.size());
  scope_.parameters.push_back(true);
  return put(computation, std::move(parameter), name.empty() ? free_name("parameter") : name, &shape);
}

// "#1" behind a tuple.
Result<InstructionId> HloInstructionReader::element_of(Computation& computation, InstructionId tuple) {
  const size_t place = lexer_.position();
  if (!may_insert_) {
    wants_insert_ = true;
    return lexer_.expected("an operand without '#'");
  }
  TRY_VOID(lexer_.expect("#"));
  TRY(const int64_t index, lexer_.expect_integer("the number of an element"));
  const Shape whole = computation.at(tuple).shape;
  if (!whole.is_tuple || index < 0 || index >= static_cast<int64_t>(whole.elements.size()))
    return lexer_.error_at(place, "element " + std::to_string(index) + " of " + whole.text());
  const std::string key = computation.at(tuple).name + "#" + std::to_string(index);
  if (const auto known = scope_.elements.find(key); known != scope_.elements.end()) return known->second;
  Instruction element;
  element.opcode = Opcode::get_tuple_element;
  element.shape = whole.elements[static_cast<size_t>(index)];
  element.operands = {tuple};
  element.tuple_index = index;
  const InstructionId id = put(computation, std::move(element),
                               free_name(computation.at(tuple).name + "." + std::to_string(index)), nullptr);
  scope_.elements[key] = id;
  return id;
}

Result<InstructionId> HloInstructionReader::inner_operand(Computation& computation, const Shape* shape,
                                                          std::string_view name) {
  const size_t place = lexer_.position();
  if (!may_insert_) {
    wants_insert_ = true;
    return lexer_.expected("an operand without operands");
  }
  if (depth_ >= kDeepestOperand) return lexer_.expected("operands nested at most 64 deep");
  Instruction made;
  made.opcode = parse_opcode(name);
  if (!is_known(made.opcode))
    return lexer_.error_at(place, "got opcode '" + std::string(name) + "', expected an operation of HLO");
  TRY_VOID(lexer_.expect("("));
  ++depth_;
  auto read = operands(computation, made);
  --depth_;
  if (!read.ok()) return read.error();
  made.name = std::string(name);
  attributes_.begin();
  if (auto bad = attributes_.missing(made)) return lexer_.error_at(place, *bad);
  if (shape != nullptr) made.shape = *shape;
  auto inferred = shape != nullptr ? Result<Shape>(*shape) : infer_shape(program_, computation, made);
  if (!inferred.ok()) return lexer_.error_at(place, inferred.error().what);
  made.shape = *std::move(inferred);
  auto fits = check_written(program_, computation, made);
  if (!fits.ok()) return lexer_.error_at(place, fits.error().what);
  if (made.parameter_number >= 0) TRY_VOID(add_parameter(made.parameter_number, place));
  return put(computation, std::move(made), free_name(std::string(name) + ".anon"), shape);
}

}  // namespace shardscope::inline program
