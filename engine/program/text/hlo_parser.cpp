// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "engine/base/text.h"
#include "engine/program/text/hlo_attributes.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_module_text.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope {
namespace {

constexpr size_t kMostReserved = 1 << 16;  // instructions: more lines may be blank

// Recursive descent over HLO text; one function per line of the grammar.
class HloParser {
 public:
  // `allow_cut`: a text that ends in the middle gives what stands before, and cut() says where.
  HloParser(std::string_view text, std::string_view file_name, bool allow_cut)
      : lexer_(text, file_name), attributes_(lexer_, program_), allow_cut_(allow_cut) {}

  // module = "HloModule" name attributes computation+
  Result<Program> module() {
    TRY_VOID(header());
    source_tables();
    while (!lexer_.at_end()) TRY_VOID(computation());
    if (program_.computations.empty()) return cut_ ? *cut_ : lexer_.expected("a computation");
    if (!program_.entry.valid())
      program_.entry = ComputationId(static_cast<int64_t>(program_.computations.size()) - 1);
    return std::move(program_);
  }

  const std::optional<Error>& cut() const { return cut_; }

 private:
  Result<void> header() {
    if (lexer_.word() != "HloModule") {
      lexer_.rewind(0);
      return lexer_.expected("'HloModule'");
    }
    TRY(const std::string_view name, lexer_.expect_word("a module name"));
    program_.name = std::string(name);
    const size_t place = lexer_.position();
    ModuleEntries entries;
    int64_t partitions = 0;
    while (lexer_.accept(",")) {
      TRY(const std::string_view key, lexer_.expect_word("a module attribute"));
      if (!lexer_.accept("=")) {
        program_.verbatim.push_back({std::string(key), ""});
      } else if (key == "num_partitions") {
        TRY(partitions, lexer_.expect_integer("a number of partitions"));
        if (partitions < 1 || partitions > Mesh::kMaxDevices)
          return lexer_.error_at(place,
                                 "num_partitions=" + std::to_string(partitions) + ", expected 1 to 2^20");
      } else if (key == "frontend_attributes") {
        TRY(std::string others, read_entries(lexer_, ',', [&](std::string_view k, const std::string& value) {
              return entries.take(k, value);
            }));
        if (!others.empty()) program_.verbatim.push_back({std::string(key), std::move(others)});
      } else {
        TRY(const std::string_view value, lexer_.balanced());
        program_.verbatim.push_back({std::string(key), std::string(value)});
      }
    }
    if (auto done = std::move(entries).finish(partitions, program_); !done.ok())
      return lexer_.error_at(place, done.error().what);
    return {};
  }

  // Source locations that compilers append; metadata refers to them by number.
  void source_tables() {
    for (;;) {
      const size_t place = lexer_.position();
      const std::string_view name = lexer_.word();
      if (name != "FileNames" && name != "FunctionNames" && name != "FileLocations" &&
          name != "StackFrames") {
        lexer_.rewind(place);
        return;
      }
      SourceTable table{std::string(name), {}};
      while (lexer_.peek() >= '0' && lexer_.peek() <= '9') {
        table.rows.emplace_back(lexer_.rest_of_line());
        lexer_.skip_line();
      }
      program_.source_tables.push_back(std::move(table));
    }
  }

  // computation = "ENTRY"? name signature? "{" instruction+ "}" (", execution_thread=" string)?
  Result<void> computation() {
    const size_t start = lexer_.position();
    bool entry = false;
    if (lexer_.word() == "ENTRY")
      entry = true;
    else
      lexer_.rewind(start);
    lexer_.accept("%");
    const size_t name_start = lexer_.position();
    TRY(const std::string_view name, lexer_.expect_word("a computation name"));
    if (attributes_.is_defined(name))
      return lexer_.error_at(name_start, "computation '" + std::string(name) + "' is defined twice");
    if (entry && program_.entry.valid()) return lexer_.error_at(start, "a second ENTRY, expected one");
    if (auto read = signature(); !read.ok()) return ends_in_signature(start, name) ? Result<void>() : read;
    Computation computation;
    computation.name = std::string(name);
    names_ = {};
    TRY_VOID(body(computation));
    if (computation.instructions.capacity() > 4 * computation.instructions.size())
      computation.instructions.shrink_to_fit();  // lines without instructions
    if (computation.instructions.empty()) {
      if (cut_) return {};
      return lexer_.error_at(name_start, "computation '" + std::string(name) + "' has no instructions");
    }
    if (!computation.root.valid())
      computation.root = InstructionId(static_cast<int64_t>(computation.instructions.size()) - 1);
    while (lexer_.accept(",")) {
      TRY(const std::string_view key, lexer_.expect_word("an attribute"));
      TRY_VOID(lexer_.expect("="));
      TRY(const std::string_view value, lexer_.balanced());
      if (value.empty()) return lexer_.expected("a value of " + std::string(key));
      computation.verbatim.push_back({std::string(key), std::string(value)});
    }
    const ComputationId id(static_cast<int64_t>(program_.computations.size()));
    attributes_.define(name, id);
    if (entry) program_.entry = id;
    program_.computations.push_back(std::move(computation));
    return {};
  }

  // Up to the brace that opens the body.
  Result<void> signature() {
    if (lexer_.accept("(")) {
      TRY_VOID(lexer_.inside(')'));
      TRY_VOID(lexer_.expect("->"));
      TRY_VOID(read_shape(lexer_));
    }
    if (lexer_.starts_with("{")) return {};
    return lexer_.expected("'{'");
  }

  bool ends_in_signature(size_t start, std::string_view name) {
    lexer_.rewind(start);
    const size_t line = start + lexer_.rest_of_line().size();
    lexer_.rewind(line);
    if (!allow_cut_ || program_.computations.empty() || !lexer_.at_end()) {
      lexer_.rewind(start);
      return false;
    }
    cut_ = lexer_.error_at(start, "text ends in the signature of computation '" + std::string(name) + "'");
    return true;
  }

  Result<void> body(Computation& computation) {
    const size_t open = lexer_.position();
    lexer_.accept("{");
    const auto lines = static_cast<size_t>(lexer_.lines_to_closing_brace());
    computation.instructions.reserve(std::min(lines, kMostReserved));
    names_.reserve(std::min(lines, kMostReserved));
    while (!lexer_.accept("}")) {
      const size_t start = lexer_.position();
      const auto done = instruction(computation);
      if (done.ok()) continue;
      if (!allow_cut_ || !ends_inside(lexer_.between(0, std::string_view::npos), open, start)) return done;
      cut_ =
          lexer_.error_at(start, "text ends inside computation '" + computation.name + "', behind " +
                                     std::to_string(computation.instructions.size()) + " whole instructions");
      lexer_.rewind(start);
      while (!lexer_.at_end()) lexer_.skip_line();
      return {};
    }
    return {};
  }

  Result<void> instruction(Computation& computation) {
    const auto done = read_instruction(computation, computation.instructions.emplace_back());
    if (!done.ok()) computation.instructions.pop_back();
    return done;
  }

  // instruction = "ROOT"? name "=" shape opcode "(" operands ")" ("," attribute)*
  Result<void> read_instruction(Computation& computation, Instruction& made) {
    const size_t start = lexer_.position();
    bool root = false;
    // "ROOT = ..." is an instruction of that name.
    if (lexer_.starts_with("ROOT")) {
      root = lexer_.word() == "ROOT" && lexer_.peek() != '=';
      if (!root) lexer_.rewind(start);
    }
    lexer_.accept("%");
    const size_t name_start = lexer_.position();
    TRY(const std::string_view name, lexer_.expect_word("an instruction or '}'"));
    TRY_VOID(lexer_.expect("="));
    made.name = std::string(name);
    TRY(const Shape* const shape, known_shape());
    made.shape = *shape;
    TRY(const std::string_view opcode, lexer_.expect_word("an opcode"));
    made.opcode = parse_opcode(opcode);
    if (made.opcode == Opcode::unknown) made.opcode_name = std::string(opcode);
    TRY_VOID(lexer_.expect("("));
    TRY_VOID(operands(made));
    while (lexer_.accept(",")) TRY_VOID(attribute(made));
    const InstructionId id(static_cast<int64_t>(computation.instructions.size()) - 1);
    if (!names_.emplace(name, id).second)
      return lexer_.error_at(name_start, "instruction '" + std::string(name) + "' is defined twice");
    if (root && computation.root.valid()) return lexer_.error_at(start, "a second ROOT, expected one");
    if (root) computation.root = id;
    return {};
  }

  Result<void> attribute(Instruction& made) {
    const size_t start = lexer_.position();
    if (lexer_.starts_with("control-predecessors")) {
      if (lexer_.word() == "control-predecessors" && control_predecessors(made)) return {};
      lexer_.rewind(start);
    }
    return attributes_.read(made);
  }

  // "={%a, %b}" of instructions above; others stay verbatim.
  bool control_predecessors(Instruction& made) {
    if (!lexer_.accept("=") || !lexer_.accept("{")) return false;
    std::vector<InstructionId> ids;
    do {
      lexer_.accept("%");
      const auto found = names_.find(lexer_.word());
      if (found == names_.end()) return false;
      ids.push_back(found->second);
    } while (lexer_.accept(","));
    if (!lexer_.accept("}") || !std::is_sorted(ids.begin(), ids.end())) return false;
    made.control_predecessors = std::move(ids);
    return true;
  }

  Result<void> operands(Instruction& made) {
    if (made.opcode == Opcode::constant) {
      TRY(const std::string_view literal, lexer_.inside(')'));
      made.literal = std::string(literal);
      return {};
    }
    if (made.opcode == Opcode::parameter) {
      TRY(made.parameter_number, lexer_.expect_integer("a parameter number"));
      return lexer_.expect(")");
    }
    if (lexer_.accept(")")) return {};
    made.operands.reserve(2);
    do TRY_VOID(operand(made));
    while (lexer_.accept(","));
    return lexer_.expect(")");
  }

  // The shape at the cursor; a text that was read before is not read again.
  Result<const Shape*> known_shape() {
    const size_t start = lexer_.position();
    const auto found = known_shapes_.find(lexer_.up_to_blank());
    if (found != known_shapes_.end() && lexer_.peek() != '{') return &found->second;
    lexer_.rewind(start);
    TRY(Shape shape, read_shape(lexer_));
    const std::string_view text = trim(lexer_.between(start, lexer_.end_of_token()));
    return &known_shapes_.insert_or_assign(text, std::move(shape)).first->second;
  }

  // operand = shape? "%"? name. The shape repeats what the operand's own line says and is not kept.
  Result<void> operand(Instruction& made) {
    const size_t start = lexer_.position();
    bool has_shape = lexer_.peek() == '(';
    if (!has_shape && lexer_.peek() != '%') {
      has_shape = !lexer_.word().empty() && lexer_.peek() == '[';
      lexer_.rewind(start);
    }
    if (has_shape) TRY_VOID(known_shape());
    lexer_.accept("%");
    const size_t place = lexer_.position();
    TRY(const std::string_view name, lexer_.expect_word("an operand"));
    const auto found = names_.find(name);
    if (found == names_.end())
      return lexer_.error_at(
          place, "got operand '" + std::string(name) + "', expected an instruction defined above");
    made.operands.push_back(found->second);
    return {};
  }

  Program program_;
  HloLexer lexer_;
  HloAttributeReader attributes_;
  bool allow_cut_;
  std::optional<Error> cut_;
  std::unordered_map<std::string_view, InstructionId> names_;  // of the computation being read
  std::unordered_map<std::string_view, Shape> known_shapes_;   // by their texts: most are there many times
};

}  // namespace

Result<Program> parse_program(std::string_view text, std::string_view file_name) {
  return HloParser(text, file_name, false).module();
}

Result<HloText> read_hlo(std::string_view text, std::string_view file_name) {
  HloParser parser(text, file_name, true);
  TRY(Program program, parser.module());
  return HloText{std::move(program), parser.cut()};
}

}  // namespace shardscope
