// SPDX-License-Identifier: Apache-2.0
// Expressions in lessons and notes: "runs.gather.steps == mesh.x - 1", "2 * 16 KiB",
// "story.beat[1].arrives(device=2)". Arithmetic with units, comparisons, and, or, not, a few functions; what
// names mean is said by whoever evaluates.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/value.h"

namespace shardscope::inline lesson {

struct FactArgument {
  std::string name;  // empty: by place, or between brackets
  FactValue value;
};
// "beat[1]", "arrives(device=2)", "x"
struct FactStep {
  std::string name;
  std::vector<FactArgument> arguments{};
};
using FactPath = std::vector<FactStep>;
std::string path_text(const FactPath& path);  // without arguments: "story.beat.arrives"

// The value of a name. Errors say which names there are.
using FactScope = std::function<Result<FactValue>(const FactPath& path)>;

// A parsed expression: nodes in the order of evaluation, operands before what uses them.
struct Expression {
  enum class Op : uint8_t { number, text, yes_no, path, minus, negation, binary };
  struct Node {
    Op op = Op::number;
    FactValue value{};  // of a literal
    std::string name;   // of a function or a binary operator: "max", "<="
    struct Step {
      std::string name;
      std::vector<std::pair<std::string, int32_t>> arguments;  // name or "", node
    };
    std::vector<Step> path;         // of names
    std::vector<int32_t> operands;  // nodes
  };
  std::vector<Node> nodes;  // the last one is the whole; never empty once parsed
};

// Errors: where (column) and what was expected; too deep or too long.
Result<Expression> parse_expression(std::string_view text);
Result<FactValue> evaluate(const Expression& expression, const FactScope& scope);
// Both at once, the error with the expression's text.
Result<FactValue> value_of(std::string_view text, const FactScope& scope);

// "percent", "times", "words", …: each in a line, for help.
struct ExpressionFunction {
  std::string name, meaning;
};
std::vector<ExpressionFunction> expression_functions();

// A text with each "{expression}" replaced by its value in words; "{{" is a brace. With `only`, braces that
// do not begin with it stand as they are. Errors: the expressions that have no value, in order; those stand
// as "?".
struct FilledText {
  std::string text;
  std::vector<Error> errors;
};
FilledText fill_in(std::string_view text, const FactScope& scope, std::string_view only = "");

}  // namespace shardscope::inline lesson
