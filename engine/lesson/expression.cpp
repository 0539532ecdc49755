// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {
namespace {

using Node = Expression::Node;
using Op = Expression::Op;

Result<double> bare(const FactValue& value) {
  const auto* q = std::get_if<Quantity>(&value);
  if (q == nullptr || !q->unit.none()) return invalid("expected a bare number, got " + kind_of(value));
  return q->number;
}

struct Function {
  const char* name;
  const char* meaning;
  size_t least, most;  // arguments
  Result<FactValue> (*of)(const std::vector<FactValue>& arguments);
};

Result<FactValue> extreme(const std::vector<FactValue>& values, bool largest) {
  FactValue out = values.front();
  for (const FactValue& value : values) {
    TRY(const bool smaller, less(value, out));
    TRY(const bool same, equal(value, out));
    if (!same && smaller != largest) out = value;
  }
  return out;
}

Result<FactValue> mapped(const FactValue& value, double (*f)(double)) {
  const auto* q = std::get_if<Quantity>(&value);
  if (q == nullptr) return invalid("expected a number, got " + kind_of(value));
  return FactValue(Quantity{f(q->number), q->unit});
}

Result<FactValue> bare_words(const FactValue& value, std::string (*f)(double)) {
  TRY(const double number, bare(value));
  return FactValue(f(number));
}

std::string whole_words(double number) {
  return number_word(static_cast<int64_t>(number));
}

Result<FactValue> count_of(const std::vector<FactValue>& v) {
  const auto* names = std::get_if<FactNames>(&v[0]);
  if (names == nullptr) return invalid("expected a list of names, got " + kind_of(v[0]));
  return count_value(static_cast<double>(names->size()));
}

Result<FactValue> capital_of(const std::vector<FactValue>& v) {
  std::string text = words_of(v[0]);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return FactValue(std::move(text));
}

Result<FactValue> if_of(const std::vector<FactValue>& v) {
  const bool* yes = std::get_if<bool>(&v[0]);
  if (yes == nullptr) return invalid("expected yes or no, got " + kind_of(v[0]));
  return *yes ? v[1] : v[2];
}

using FactValues = std::vector<FactValue>;
const std::array kFunctions{
    Function{"max", "the largest", 1, 16, [](const FactValues& v) { return extreme(v, true); }},
    Function{"min", "the smallest", 1, 16, [](const FactValues& v) { return extreme(v, false); }},
    Function{"abs", "without its sign", 1, 1,
             [](const FactValues& v) { return mapped(v[0], [](double x) { return std::abs(x); }); }},
    Function{"ceil", "rounded up", 1, 1,
             [](const FactValues& v) { return mapped(v[0], [](double x) { return std::ceil(x); }); }},
    Function{"floor", "rounded down", 1, 1,
             [](const FactValues& v) { return mapped(v[0], [](double x) { return std::floor(x); }); }},
    Function{"log2", "how often it can be halved", 1, 1,
             [](const FactValues& v) -> Result<FactValue> {
               TRY(const double x, bare(v[0]));
               if (x <= 0) return invalid("log2 of what is not positive");
               return count_value(std::log2(x));
             }},
    Function{"percent", "0.82 as \"82 %\"", 1, 1,
             [](const FactValues& v) { return bare_words(v[0], format_percent); }},
    Function{"share", "0.82 as a number that is written \"82 %\"", 1, 1,
             [](const FactValues& v) -> Result<FactValue> {
               TRY(const double x, bare(v[0]));
               return percent_value(x);
             }},
    Function{"times", "1.31 as \"1.31×\"", 1, 1,
             [](const FactValues& v) { return bare_words(v[0], format_ratio); }},
    Function{"words", "4 as \"four\"", 1, 1,
             [](const FactValues& v) { return bare_words(v[0], whole_words); }},
    Function{"capital", "\"four\" as \"Four\", where a sentence begins", 1, 1, capital_of},
    Function{"count", "of names in a list", 1, 1, count_of},
    Function{"if", "if(a < b, x, y): x when the first is so, else y", 3, 3, if_of},
};

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find_if(kFunctions, [&](const Function& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

Result<FactValue> logical(const std::string& name, const FactValue& a, const FactValue& b) {
  const bool *first = std::get_if<bool>(&a), *second = std::get_if<bool>(&b);
  if (first == nullptr || second == nullptr)
    return invalid(
        fmt::format("'{}' needs yes or no on both sides, got {} and {}", name, kind_of(a), kind_of(b)));
  return FactValue(name == "or" ? *first || *second : *first && *second);
}

Result<FactValue> compared(const std::string& name, const FactValue& a, const FactValue& b) {
  TRY(const bool same, equal(a, b));
  if (name == "==" || name == "!=") return FactValue(same == (name == "=="));
  TRY(const bool smaller, less(a, b));
  const bool greater = !same && !smaller;
  if (name == "<") return FactValue(smaller);
  if (name == ">") return FactValue(greater);
  return FactValue(name == "<=" ? !greater : !smaller);
}

Result<FactValue> apply(const std::string& name, const FactValue& a, const FactValue& b) {
  switch (name.front()) {
    case '+':
      return add(a, b);
    case '-':
      return subtract(a, b);
    case '*':
      return multiply(a, b);
    case '/':
      return divide(a, b);
    case '%':
      return remainder(a, b);
    case 'o':
    case 'a':
      return logical(name, a, b);
    default:
      return compared(name, a, b);
  }
}

Result<FactValue> call(const Function& function, const std::vector<FactArgument>& arguments) {
  FactValues values;
  for (const FactArgument& argument : arguments) values.push_back(argument.value);
  if (values.size() < function.least || values.size() > function.most)
    return invalid(fmt::format("'{}' of {} values", function.name, values.size()), "",
                   fmt::format("{}: {}", function.name, function.meaning));
  return function.of(values);
}

Result<FactValue> named(const Node& node, const std::vector<FactValue>& known, const FactScope& scope) {
  FactPath path;
  for (const Node::Step& step : node.path) {
    FactStep& out = path.emplace_back();
    out.name = step.name;
    for (const auto& [name, place] : step.arguments)
      out.arguments.push_back({name, known[static_cast<size_t>(place)]});
  }
  if (path.size() == 1 && !path[0].arguments.empty())
    if (const Function* function = find_function(path[0].name)) return call(*function, path[0].arguments);
  return scope(path);
}

Result<FactValue> value_at(const Node& node, const std::vector<FactValue>& known, const FactScope& scope) {
  const auto operand = [&](size_t k) -> const FactValue& {
    return known[static_cast<size_t>(node.operands[k])];
  };
  switch (node.op) {
    case Op::number:
    case Op::text:
    case Op::yes_no:
      return node.value;
    case Op::minus:
      return negate(operand(0));
    case Op::negation: {
      const bool* yes = std::get_if<bool>(&operand(0));
      if (yes == nullptr) return invalid("'not' needs yes or no, got " + kind_of(operand(0)));
      return FactValue(!*yes);
    }
    case Op::binary:
      return apply(node.name, operand(0), operand(1));
    case Op::path:
      return named(node, known, scope);
  }
  return invalid("no expression");
}

}  // namespace

std::string path_text(const FactPath& path) {
  std::vector<std::string> names;
  for (const FactStep& step : path) names.push_back(step.name);
  return join(names, ".");
}

std::vector<ExpressionFunction> expression_functions() {
  std::vector<ExpressionFunction> out;
  for (const Function& f : kFunctions) out.push_back({f.name, f.meaning});
  return out;
}

Result<FactValue> evaluate(const Expression& expression, const FactScope& scope) {
  std::vector<FactValue> known;
  for (const Node& node : expression.nodes) {
    TRY(FactValue value, value_at(node, known, scope));
    known.push_back(std::move(value));
  }
  CHECK(!known.empty(), "an expression that was not parsed");
  return std::move(known.back());
}

Result<FactValue> value_of(std::string_view text, const FactScope& scope) {
  const auto placed = [&](Error error) {
    error.what = fmt::format("{{{}}}: {}", trim(text), error.what);
    return error;
  };
  const auto expression = parse_expression(text);
  if (!expression.ok()) return placed(expression.error());
  auto value = evaluate(*expression, scope);
  if (!value.ok()) return placed(value.error());
  return value;
}

FilledText fill_in(std::string_view text, const FactScope& scope, std::string_view only) {
  FilledText out;
  const auto take = [&](size_t count) {
    out.text += text.substr(0, count);
    text.remove_prefix(std::min(count, text.size()));
  };
  while (!text.empty()) {
    take(text.find_first_of("{}"));
    if (text.empty()) break;
    const size_t end = text.find('}');
    if (!only.empty() && (!text.substr(1).starts_with(only) || end == std::string_view::npos)) {
      take(1);
      continue;
    }
    if (text.size() > 1 && text[0] == text[1]) {
      text.remove_prefix(1);
      take(1);
      continue;
    }
    if (text[0] == '}' || end == std::string_view::npos) {
      out.errors.push_back(invalid(fmt::format("a brace without its other one at '{}'", text.substr(0, 12)),
                                   "", "write {{ or }} for a brace"));
      out.text += "?";
      break;
    }
    const auto value = value_of(text.substr(1, end - 1), scope);
    out.text += value.ok() ? words_of(*value) : "?";
    if (!value.ok()) out.errors.push_back(value.error());
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace shardscope::inline lesson
