// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "engine/base/text.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_attributes.h"
#include "engine/program/text/hlo_header.h"
#include "engine/program/text/hlo_instruction_reader.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_text.h"
#include "engine/program/text/module_choice.h"
#include "engine/program/text/named_devices.h"

namespace shardscope::inline program {
namespace {

constexpr int kDeepestInline = 32;  // computations within computations

// Recursive descent over HLO text; one function per line of the grammar.
class HloParser {
 public:
  // `allow_cut`: a text that ends in the middle gives what stands before, and cut() says where.
  HloParser(std::string_view text, std::string_view file_name, bool allow_cut,
            const std::stop_token& stop = {})
      : lexer_(text, file_name),
        attributes_(lexer_, program_, [this](const std::string& name) { return inline_computation(name); }),
        reader_(lexer_, program_, attributes_),
        allow_cut_(allow_cut),
        stop_(stop) {}

  // text = module | computation+ | instruction
  // module = "HloModule" name attributes tables computation+
  // `start`: where the module begins in the text.
  Result<Program> module(size_t start) {
    lexer_.rewind(start);
    bool says_devices = false;
    if (lexer_.word() == "HloModule") {
      TRY(says_devices, read_hlo_header(lexer_, program_));
    } else {
      lexer_.rewind(start);
      TRY(const bool computations, begins_computation());
      lexer_.rewind(start);
      if (!computations) return single_instruction();
    }
    while (!lexer_.at_end()) TRY_VOID(computation());
    if (program_.computations.empty()) return cut_ ? *cut_ : lexer_.expected("a computation");
    if (!program_.entry.valid())
      program_.entry = ComputationId(static_cast<int64_t>(program_.computations.size()) - 1);
    if (program_.name.empty()) program_.name = program_.entry_computation().name;
    if (!says_devices) take_named_devices();
    return std::move(program_);
  }

  const std::optional<Error>& cut() const { return cut_; }

 private:
  void take_named_devices() {
    const int64_t devices = named_devices(program_);
    if (devices < 2 || devices > Mesh::kMaxDevices) return;
    if (auto mesh = Mesh::make({{"device", devices, true}}); mesh.ok()) program_.mesh = *std::move(mesh);
  }

  // A text without "HloModule": "ENTRY", "name {" and "name (" begin a computation, "name =" and a shape an
  // instruction.
  Result<bool> begins_computation() {
    const size_t start = lexer_.position();
    const auto refuse = [&]() -> Error {
      lexer_.rewind(start);
      Error out = lexer_.expected("'HloModule'");
      out.fix = "give HLO or StableHLO, as a compiler printed it";
      return out;
    };
    if (lexer_.accept("(")) return false;
    const std::string_view first = lexer_.word();
    if (first == "ENTRY") return true;
    if (first.empty() && !lexer_.accept("%")) return refuse();
    if (first.empty() && lexer_.word().empty()) return refuse();
    if (first == "ROOT" && lexer_.peek() != '=') return false;
    const char next = lexer_.peek();
    if (next == '{' || next == '(') return true;
    if (next == '=' || (next == '[' && parse_element_type(first))) return false;
    return refuse();
  }

  // What it reads that nobody defines are its parameters.
  Result<Program> single_instruction() {
    Computation computation;
    computation.name = "entry";
    HloInstructionReader::Scope outer = reader_.enter(1);
    TRY_VOID(reader_.read_alone(computation));
    TRY_VOID(reader_.finish(computation, 0));
    if (!lexer_.at_end()) return lexer_.expected("the end of the text behind a single instruction");
    computation.root = InstructionId(static_cast<int64_t>(computation.instructions.size()) - 1);
    program_.name = computation.root_instruction().name;
    program_.entry = ComputationId(static_cast<int64_t>(program_.computations.size()));
    program_.computations.push_back(std::move(computation));
    return std::move(program_);
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
    auto said = signature();
    if (!said.ok()) return ends_in_signature(start, name) ? Result<void>() : said.error();
    Computation computation;
    computation.name = std::string(name);
    const size_t lines = lines_in_body();
    HloInstructionReader::Scope outer = reader_.enter(lines);
    computation.instructions.reserve(lines);
    TRY_VOID(body(computation));
    if (computation.instructions.empty()) {
      if (cut_) return {};
      return lexer_.error_at(name_start, "computation '" + std::string(name) + "' has no instructions");
    }
    if (cut_) {
      if (!reader_.add_missing_parameters(computation, said->parameters).ok()) return *cut_;
    } else {
      TRY_VOID(whole(computation, said->result, name_start));
    }
    TRY_VOID(thread(computation));
    const ComputationId id = put(std::move(computation), name);
    if (entry) program_.entry = id;
    return {};
  }

  ComputationId put(Computation computation, std::string_view name) {
    if (!computation.root.valid())
      computation.root = InstructionId(static_cast<int64_t>(computation.instructions.size()) - 1);
    const ComputationId id(static_cast<int64_t>(program_.computations.size()));
    attributes_.define(name, id);
    program_.computations.push_back(std::move(computation));
    return id;
  }

  // What can be said of it now that all of it was read. `result`: the signature's shape.
  Result<void> whole(const Computation& computation, const std::optional<Shape>& result, size_t place) {
    TRY_VOID(reader_.finish(computation, place));
    const Shape& root = computation.root.valid() ? computation.root_instruction().shape
                                                 : computation.instructions.back().shape;
    if (!result || same_shape(*result, root)) return {};
    return lexer_.error_at(place, "computation '" + computation.name + "' gives " + root.text() +
                                      ", expected its signature's " + result->text());
  }

  // ", execution_thread=" and what else stands behind the closing brace.
  Result<void> thread(Computation& computation) {
    while (lexer_.accept(",")) {
      TRY(const std::string_view key, lexer_.expect_word("an attribute"));
      TRY_VOID(lexer_.expect("="));
      TRY(const std::string_view value, lexer_.balanced());
      if (value.empty()) return lexer_.expected("a value of " + std::string(key));
      computation.verbatim.push_back({std::string(key), std::string(value)});
    }
    return {};
  }

  // "{" instruction+ "}" that stands where the name of a computation could.
  Result<ComputationId> inline_computation(const std::string& near) {
    if (depth_ >= kDeepestInline) return lexer_.expected("computations nested at most 32 deep");
    const size_t place = lexer_.position();
    Computation computation;
    HloInstructionReader::Scope outer = reader_.enter(4);
    ++depth_;
    auto read = body(computation);
    --depth_;
    if (read.ok() && computation.instructions.empty())
      read = lexer_.error_at(place, "a computation without instructions");
    if (read.ok()) read = reader_.finish(computation, place);
    reader_.leave(std::move(outer));
    if (!read.ok()) return read.error();
    computation.name = near;
    for (int64_t k = 1; attributes_.is_defined(computation.name); ++k)
      computation.name = near + "." + std::to_string(k);
    const std::string_view name = inline_names_.emplace_back(computation.name);
    return put(std::move(computation), name);
  }

  struct Signature {
    HloLexer parameters{"", "signature"};
    std::optional<Shape> result{};
  };

  // Up to the brace that opens the body.
  Result<Signature> signature() {
    Signature said;
    if (lexer_.accept("(")) {
      TRY(const std::string_view parameters, lexer_.inside(')'));
      said.parameters = HloLexer(parameters, "signature");
      TRY_VOID(lexer_.expect("->"));
      TRY(said.result, read_shape(lexer_));
    }
    if (lexer_.starts_with("{")) return said;
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

  size_t lines_in_body() {
    const size_t open = lexer_.position();
    lexer_.accept("{");
    const auto lines = static_cast<size_t>(lexer_.lines_to_closing_brace());
    lexer_.rewind(open);
    return lines;
  }

  Result<void> body(Computation& computation) {
    const size_t open = lexer_.position();
    TRY_VOID(lexer_.expect("{"));
    while (!lexer_.accept("}")) {
      if (stop_.stop_requested()) return cancelled();
      const size_t start = lexer_.position();
      auto done = reader_.read(computation);
      if (done.ok()) continue;
      const bool whole = depth_ > 0 || !allow_cut_;
      if (whole || !ends_inside(lexer_.between(0, std::string_view::npos), open, start)) return done;
      cut_ =
          lexer_.error_at(start, "text ends inside computation '" + computation.name + "', behind " +
                                     std::to_string(computation.instructions.size()) + " whole instructions");
      lexer_.rewind(start);
      while (!lexer_.at_end()) lexer_.skip_line();
      return {};
    }
    if (computation.instructions.capacity() >
        computation.instructions.size() + computation.instructions.size() / 4)
      computation.instructions.shrink_to_fit();  // lines without instructions
    return {};
  }

  Program program_;
  HloLexer lexer_;
  HloAttributeReader attributes_;
  HloInstructionReader reader_;
  std::deque<std::string> inline_names_;
  bool allow_cut_;
  std::stop_token stop_;
  std::optional<Error> cut_;
  int depth_ = 0;
};

std::string_view module_name(std::string_view text, size_t start) {
  text.remove_prefix(start + kModuleWord.size());
  return trim(text.substr(0, text.find_first_of(",:\r\n")));
}

// What stands in front of the first belongs to it, where it is not asked for by its name.
Result<ChosenModule> chosen_module(std::string_view text, std::string_view file_name,
                                   std::string_view wanted) {
  const std::vector<size_t> starts = module_starts(text);
  if (starts.size() < 2 && wanted.empty()) return ChosenModule{0, text.size(), {}};
  std::vector<OneModule> parts;
  for (size_t k = 0; k < starts.size(); ++k)
    parts.push_back({module_name(text, starts[k]), k == 0 && wanted.empty() ? 0 : starts[k],
                     k + 1 < starts.size() ? starts[k + 1] : text.size()});
  return choose_module(parts, wanted, file_name);
}

}  // namespace

Result<Program> parse_program(std::string_view text, std::string_view file_name) {
  return HloParser(text, file_name, false).module(0);
}

Result<HloText> read_hlo(std::string_view text, std::string_view file_name, std::string_view module,
                         const std::stop_token& stop) {
  TRY(ChosenModule part, chosen_module(text, file_name, module));
  HloParser parser(text.substr(0, part.end), file_name, true, stop);
  TRY(Program program, parser.module(part.start));
  return HloText{std::move(program), parser.cut(), std::move(part.others)};
}

}  // namespace shardscope::inline program
