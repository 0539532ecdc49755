// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_parser.h"

#include <utility>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostRegions = 48;  // one inside the other

bool has_arguments_before_its_region(std::string_view name) {
  return name == "sdy.manual_computation" || name == "sdy.named_computation";
}

}  // namespace

// op = results? (generic | pretty) loc?
Result<void> MlirParser::op_at(MlirOp& op, int depth) {
  op.clear();
  if (lexer_.peek() == '%') TRY_VOID(results(op));
  op.place = lexer_.position();
  if (lexer_.peek() == '"') {
    TRY(op.name, lexer_.expect_quoted("an operation"));
    TRY_VOID(generic(op, depth));
  } else {
    TRY(op.name, lexer_.expect_word("an operation"));
    TRY_VOID(pretty(op, depth));
  }
  op.end = lexer_.end_of_token();
  return location(&op.location);
}

// results = %a (":" count)? ("," …)* "="
Result<void> MlirParser::results(MlirOp& op) {
  do {
    TRY_VOID(lexer_.expect("%"));
    MlirResult result{lexer_.suffix(), 1};
    const size_t place = lexer_.position();
    if (lexer_.accept(":")) {
      TRY(result.count, lexer_.expect_integer("a number of results"));
      if (result.count < 1 || result.count > (1 << 20))
        return lexer_.error_at(place, std::to_string(result.count) + " results, expected 1 to 2^20");
    }
    op.results.push_back(result);
  } while (lexer_.accept(","));
  return lexer_.expect("=");
}

// generic = "(" operands ")" "<{…}>"? ("(" region… ")")? "{…}"? ":" types
Result<void> MlirParser::generic(MlirOp& op, int depth) {
  TRY_VOID(lexer_.expect("("));
  while (!lexer_.accept(")")) {
    TRY_VOID(operand(op));
    if (!lexer_.accept(",") && !lexer_.starts_with(")")) return lexer_.expected("',' or ')'");
  }
  if (lexer_.starts_with("["))
    return lexer_.expected("no successors: control flow by blocks is not supported");
  if (lexer_.accept("<")) {
    TRY_VOID(dictionary(op.attributes));
    TRY_VOID(lexer_.expect(">"));
  }
  if (lexer_.accept("(")) {
    do TRY_VOID(region(op, {}, depth));
    while (lexer_.accept(","));
    TRY_VOID(lexer_.expect(")"));
  }
  if (lexer_.starts_with("{")) TRY_VOID(dictionary(op.attributes));
  if (!lexer_.starts_with(":")) return lexer_.expected("':' and the types");
  return types(op);
}

// pretty = item* (":" types)? what stands behind them
Result<void> MlirParser::pretty(MlirOp& op, int depth) {
  parentheses_ = 0;
  pending_.clear();
  for (;;) {
    const size_t end = lexer_.end_of_token();
    const char c = lexer_.peek();
    if (c == ':' || c == '}' || c == '\0' || (c == 'l' && lexer_.starts_with("loc("))) break;
    if (at_next_operation(end)) break;
    TRY_VOID(pretty_item(op, depth));
  }
  if (lexer_.starts_with(":")) TRY_VOID(types(op));
  return behind_types(op, depth);
}

// An operation that says no types ends where a line begins with the next one: its results, its quoted name,
// or its name with a dialect. `end`: of what was read before the blanks.
bool MlirParser::at_next_operation(size_t end) {
  const size_t start = lexer_.position();
  if (lexer_.between(end, start).find('\n') == std::string_view::npos) return false;
  const char c = lexer_.peek();
  bool next = c == '"';
  if (c == '%') {
    lexer_.accept("%");
    lexer_.suffix();
    if (lexer_.accept(":") && !lexer_.integer()) {
      lexer_.rewind(start);
      return false;
    }
    next = lexer_.accept("=");
  } else if (!next) {
    next = lexer_.word().find('.') != std::string_view::npos;
  }
  lexer_.rewind(start);
  return next;
}

Result<void> MlirParser::pretty_item(MlirOp& op, int depth) {
  switch (lexer_.peek()) {
    case ',':
      return lexer_.expect(",");
    case '%':
      return operand(op);
    case '(':
      return in_parentheses(op);
    case '{':
      return at_region() ? region(op, std::exchange(pending_, {}), depth) : dictionary(op.attributes);
    case '[':
    case '<': {
      TRY(const std::string_view text, lexer_.bracket());
      op.words.push_back(text);
      return {};
    }
    case '"': {
      TRY(const std::string_view text, lexer_.expect_quoted("a string"));
      op.words.push_back(text);
      return {};
    }
    default:
      return word_or_attribute(op);
  }
}

// "(%a, %b)", "(%a init: %i)", "(%arg = %a)", "(%a, k = 2)", and "(%a: T, %b: T)" before a region.
Result<void> MlirParser::in_parentheses(MlirOp& op) {
  TRY_VOID(lexer_.expect("("));
  if (has_arguments_before_its_region(op.name) && parentheses_++ > 0) {
    std::vector<std::string_view> unused;
    TRY(pending_, arguments(unused));
    return {};
  }
  while (!lexer_.accept(")")) {
    if (lexer_.peek() == '%') {
      TRY_VOID(bound_operand(op));
    } else if (lexer_.accept_word("init")) {
      TRY_VOID(lexer_.expect(":"));
    } else if (!lexer_.accept(",")) {
      TRY_VOID(word_or_attribute(op));
    }
  }
  return {};
}

// "%a", or "%arg = %a": an argument of the regions.
Result<void> MlirParser::bound_operand(MlirOp& op) {
  const size_t start = lexer_.position();
  TRY_VOID(lexer_.expect("%"));
  const std::string_view name = lexer_.suffix();
  if (!lexer_.accept("=")) {
    lexer_.rewind(start);
    return operand(op);
  }
  pending_.push_back({name, nullptr});
  return operand(op);
}

// "LT", "@name", "applies", or "dims = [0, 2]".
Result<void> MlirParser::word_or_attribute(MlirOp& op) {
  const size_t start = lexer_.position();
  if (lexer_.accept("@")) {
    if (lexer_.peek() == '"') {
      TRY_VOID(lexer_.expect_quoted("a name"));
    } else {
      lexer_.suffix();
    }
    op.words.push_back(lexer_.between(start, lexer_.end_of_token()));
    return {};
  }
  const std::string_view key = lexer_.word();
  if (!key.empty() && lexer_.accept("=")) {
    TRY(const std::string_view value, attribute_value());
    op.attributes.push_back({key, value});
    return {};
  }
  lexer_.rewind(start);
  TRY(const std::string_view text, attribute_value());
  op.words.push_back(text);
  return {};
}

// A word, number or string with the brackets that follow it at once, and brackets joined by 'x' and '->':
// "[0] x [1]", "#a<b c>", "dense<0.0>", "-1".
Result<std::string_view> MlirParser::attribute_value() {
  const size_t start = lexer_.position();
  lexer_.accept("#");
  lexer_.accept("-");
  size_t end = start;
  if (lexer_.peek() == '"') {
    TRY_VOID(lexer_.expect_quoted("a string"));
  } else {
    lexer_.suffix();
  }
  end = lexer_.end_of_token();
  for (;;) {
    const size_t next = lexer_.position();
    const char c = lexer_.peek();
    const bool opens = c == '[' || c == '<' || (c == '{' && end == start) || (c == '(' && end == start);
    if (!opens || (next != end && end != start && lexer_.between(end - 1, end) != "x" &&
                   lexer_.between(end - 1, end) != ">")) {
      lexer_.rewind(end);
      break;
    }
    TRY_VOID(lexer_.bracket());
    end = lexer_.end_of_token();
    if (c != '[') continue;
    if (lexer_.accept("->") || lexer_.accept("x")) end = lexer_.end_of_token();
  }
  if (end == start) return lexer_.expected("a value");
  return lexer_.between(start, end);
}

Result<void> MlirParser::operand(MlirOp& op) {
  TRY_VOID(lexer_.expect("%"));
  const size_t start = lexer_.end_of_token();
  if (lexer_.suffix().empty()) return lexer_.expected("the name of a value");
  size_t end = lexer_.end_of_token();
  if (lexer_.between(end, end + 1) == "#") {
    lexer_.rewind(end + 1);
    lexer_.suffix();
    end = lexer_.end_of_token();
  }
  op.operands.push_back(lexer_.between(start, end));
  return {};
}

// ":" T ("," T)* or ":" (T, …) -> T or (T, …)
Result<void> MlirParser::types(MlirOp& op) {
  TRY_VOID(lexer_.expect(":"));
  TRY_VOID(type_list(op.result_types));
  if (!lexer_.accept("->")) return {};
  op.has_arrow = true;
  std::swap(op.operand_types, op.result_types);
  return type_list(op.result_types);
}

Result<void> MlirParser::type_list(std::vector<const Shape*>& into) {
  if (lexer_.accept("(")) {
    while (!lexer_.accept(")")) {
      TRY(into.emplace_back(), types_.read(lexer_));
      if (!lexer_.accept(",") && !lexer_.starts_with(")")) return lexer_.expected("',' or ')'");
    }
    return {};
  }
  do {
    TRY(into.emplace_back(), types_.read(lexer_));
  } while (lexer_.accept(","));
  return {};
}

// "cond {…} do {…}", "reducer(%x: T, %y: T) (%z: T, %w: T) {…}".
Result<void> MlirParser::behind_types(MlirOp& op, int depth) {
  if (op.name.ends_with(".while")) {
    const std::vector<MlirArgument> arguments = std::move(pending_);
    if (lexer_.accept_word("attributes")) TRY_VOID(dictionary(op.attributes));
    if (!lexer_.accept_word("cond")) return lexer_.expected("'cond'");
    TRY_VOID(region(op, arguments, depth));
    if (!lexer_.accept_word("do")) return lexer_.expected("'do'");
    return region(op, arguments, depth);
  }
  if (!op.name.ends_with(".reduce") || !lexer_.accept_word("reducer")) return {};
  std::vector<MlirArgument> left, right;
  std::vector<std::string_view> unused;
  while (lexer_.accept("(")) {
    TRY(const std::vector<MlirArgument> pair, arguments(unused));
    if (pair.size() != 2) return lexer_.expected("pairs of arguments");
    left.push_back(pair[0]);
    right.push_back(pair[1]);
  }
  left.insert(left.end(), right.begin(), right.end());
  return region(op, std::move(left), depth);
}

Result<std::vector<MlirArgument>> MlirParser::arguments(std::vector<std::string_view>& attributes) {
  std::vector<MlirArgument> out;
  while (!lexer_.accept(")")) {
    TRY_VOID(lexer_.expect("%"));
    MlirArgument argument{lexer_.suffix()};
    if (argument.name.empty()) return lexer_.expected("the name of an argument");
    TRY_VOID(lexer_.expect(":"));
    TRY(argument.type, types_.read(lexer_));
    out.push_back(argument);
    attributes.emplace_back();
    if (lexer_.starts_with("{")) {
      TRY(attributes.back(), lexer_.bracket());
    }
    TRY_VOID(location(&out.back().location));
    if (!lexer_.accept(",") && !lexer_.starts_with(")")) return lexer_.expected("',' or ')'");
  }
  return out;
}

// A dictionary holds keys, alone or with a value; operations begin with their results or their name and go on
// in another way.
bool MlirParser::at_region() {
  const size_t start = lexer_.position();
  lexer_.accept("{");
  const char c = lexer_.peek();
  bool operations = c == '^' || c == '%' || (c == '}' && !pending_.empty());
  if (!operations && c != '}') {
    if (c == '"') {
      operations = lexer_.expect_quoted("").ok() && lexer_.peek() == '(';
    } else {
      const std::string_view word = lexer_.word();
      const char next = lexer_.peek();
      operations = word.ends_with("return") || (next != '=' && next != ',' && next != '}');
    }
  }
  lexer_.rewind(start);
  return operations;
}

// region = "{" ("^bb0" ("(" arguments ")")? ":")? op* "}"
Result<void> MlirParser::region(MlirOp& op, std::vector<MlirArgument> arguments_before, int depth) {
  if (depth >= kMostRegions) return lexer_.expected("regions nested at most 48 deep");
  TRY_VOID(lexer_.expect("{"));
  MlirRegion made;
  made.arguments = std::move(arguments_before);
  if (lexer_.accept("^")) {
    lexer_.suffix();
    if (lexer_.accept("(")) {
      std::vector<std::string_view> unused;
      TRY(made.arguments, arguments(unused));
    }
    TRY_VOID(lexer_.expect(":"));
  }
  while (!lexer_.accept("}")) {
    if (lexer_.starts_with("^")) return lexer_.expected("one block: control flow by blocks is not supported");
    TRY_VOID(op_at(made.body.emplace_back(), depth + 1));
  }
  op.regions.push_back(std::move(made));
  return {};
}

Result<void> MlirParser::dictionary(std::vector<MlirAttribute>& into) {
  TRY_VOID(lexer_.expect("{"));
  while (!lexer_.accept("}")) {
    MlirAttribute entry;
    if (lexer_.peek() == '"') {
      TRY(entry.key, lexer_.expect_quoted("a key"));
    } else {
      TRY(entry.key, lexer_.expect_word("a key"));
    }
    if (lexer_.accept("=")) {
      TRY(entry.value, lexer_.balanced(","));
      if (entry.value.empty()) return lexer_.expected("a value of " + std::string(entry.key));
    }
    into.push_back(entry);
    if (!lexer_.accept(",") && !lexer_.starts_with("}")) return lexer_.expected("',' or '}'");
  }
  return {};
}

Result<void> MlirParser::location(std::string_view* into) {
  if (lexer_.peek() != 'l' || !lexer_.starts_with("loc(")) return {};
  lexer_.accept("loc");
  TRY(const std::string_view text, lexer_.bracket());
  if (into != nullptr) *into = text.substr(1, text.size() - 2);
  return {};
}

}  // namespace shardscope::inline program
