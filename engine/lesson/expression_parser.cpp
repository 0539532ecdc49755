// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/lesson/expression.h"

namespace shardscope::inline lesson {
namespace {

constexpr size_t kMostText = 4096;
constexpr int kMostDepth = 64;

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '#';
}
bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// By precedence, loosest first.
using Operators = std::vector<std::string_view>;
const std::array<Operators, 5> kOperators{Operators{"or"}, Operators{"and"},
                                          Operators{"==", "!=", "<=", ">=", "<", ">"}, Operators{"+", "-"},
                                          Operators{"*", "/", "%"}};

constexpr size_t kComparisons = 2;  // "not" binds looser than they do

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > kMostText) return invalid(fmt::format("longer than {} characters", kMostText));
    TRY([[maybe_unused]] const int32_t whole, binary(0));
    skip();
    if (at_ < text_.size()) return wrong("the end or an operator");
    return std::move(out_);
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t end = at_ + token.size();
    if (begins_name(token.front()) && end < text_.size() && in_name(text_[end])) return false;
    at_ = end;
    return true;
  }
  Error wrong(std::string_view expected) const {
    const std::string got = at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, 12)) : "the end";
    return invalid(fmt::format("expected {}, got {} (column {})", expected, got, at_ + 1));
  }
  int32_t add(Expression::Node node) {
    out_.nodes.push_back(std::move(node));
    return static_cast<int32_t>(out_.nodes.size()) - 1;
  }
  int32_t literal(Expression::Op op, FactValue value) {
    Expression::Node node;
    node.op = op;
    node.value = std::move(value);
    return add(std::move(node));
  }
  int32_t operation(Expression::Op op, std::string_view name, std::vector<int32_t> operands) {
    Expression::Node node;
    node.op = op;
    node.name = name;
    node.operands = std::move(operands);
    return add(std::move(node));
  }

  std::string_view take_any(const Operators& operators) {
    const auto found = std::ranges::find_if(operators, [&](std::string_view o) { return take(o); });
    return found == operators.end() ? std::string_view() : *found;
  }

  Result<int32_t> binary(size_t level) {
    if (level == kOperators.size()) return unary();
    if (level == kComparisons && take("not")) {
      TRY(const int32_t of, nested([&] { return binary(level); }));
      return operation(Expression::Op::negation, "", {of});
    }
    TRY(int32_t left, binary(level + 1));
    while (true) {
      const std::string_view found = take_any(kOperators[level]);
      if (found.empty()) return left;
      TRY(const int32_t right, binary(level + 1));
      left = operation(Expression::Op::binary, found, {left, right});
    }
  }

  template <class Parse>
  Result<int32_t> nested(Parse&& parse) {
    if (++depth_ > kMostDepth) return invalid(fmt::format("nested deeper than {}", kMostDepth));
    Result<int32_t> of = parse();
    --depth_;
    return of;
  }

  Result<int32_t> unary() {
    const bool minus = take("-");
    TRY(const int32_t of, nested([&] { return minus ? unary() : primary(); }));
    return minus ? operation(Expression::Op::minus, "", {of}) : of;
  }

  Result<int32_t> primary() {
    const char c = next();
    if (digit(c)) return number();
    if (c == '"' || c == '\'') return text(c);
    if (begins_name(c)) return name();
    if (!take("(")) return wrong("a number, a text or a name");
    TRY(const int32_t inner, binary(0));
    if (!take(")")) return wrong("')'");
    return inner;
  }

  std::string_view digits() {
    const size_t begin = at_;
    const auto run = [&](auto&& is) {
      while (at_ < text_.size() && is(text_[at_])) ++at_;
    };
    run([](char c) { return digit(c) || c == '.'; });
    const bool power =
        at_ + 1 < text_.size() && text_[at_] == 'e' && (digit(text_[at_ + 1]) || text_[at_ + 1] == '-');
    if (power) {
      at_ += 2;
      run(digit);
    }
    return text_.substr(begin, at_ - begin);
  }
  // A word after one blank: "16 KiB". Words of operators are none.
  std::string_view unit() {
    if (at_ + 1 >= text_.size() || text_[at_] != ' ') return {};
    size_t end = at_ + 1;
    const auto fits = [&](char c) {
      return begins_name(c) || static_cast<unsigned char>(c) > 127 || (c == '/' && end > at_ + 1);
    };
    while (end < text_.size() && fits(text_[end])) ++end;
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    if (word.empty() || word == "and" || word == "or") return {};
    at_ = end;
    return word;
  }
  Result<int32_t> number() {
    const auto value = parse_double(digits());
    if (!value) return wrong("a number");
    const std::string_view written = unit();
    if (written.empty()) return literal(Expression::Op::number, Quantity{*value});
    TRY(const Quantity factor, unit_of(written));
    return literal(Expression::Op::number, Quantity{*value * factor.number, factor.unit});
  }

  Result<int32_t> text(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return wrong("a text with its closing quote");
    std::string inner(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return literal(Expression::Op::text, std::move(inner));
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<int32_t> name() {
    if (take("yes")) return literal(Expression::Op::yes_no, true);
    if (take("no")) return literal(Expression::Op::yes_no, false);
    Expression::Node node;
    node.op = Expression::Op::path;
    do {
      if (!begins_name(next())) return wrong("a name");
      node.path.push_back({word(), {}});
      TRY_VOID(arguments(node.path.back()));
    } while (take("."));
    return add(std::move(node));
  }

  // "device=" before a value.
  std::string label() {
    skip();
    const size_t back = at_;
    std::string name = begins_name(next()) ? word() : "";
    skip();
    if (!name.empty() && text_.substr(at_).starts_with("=") && !text_.substr(at_).starts_with("==")) {
      ++at_;
      return name;
    }
    at_ = back;
    return "";
  }
  // "[1]", "(device=2, 3)"; nothing when there are none.
  Result<void> arguments(Expression::Node::Step& step) {
    while (next() == '[' || next() == '(') {
      const std::string_view close = text_[at_++] == '[' ? "]" : ")";
      if (take(close)) continue;
      do {
        std::string name = label();
        TRY(const int32_t node, binary(0));
        step.arguments.emplace_back(std::move(name), node);
      } while (take(","));
      if (!take(close)) return wrong(fmt::format("'{}'", close));
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  Expression out_;
};

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace shardscope::inline lesson
