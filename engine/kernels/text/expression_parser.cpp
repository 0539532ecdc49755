// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/expression_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace shardscope::kernels {
namespace {

constexpr int kDeepest = 64;
// Each link of a chain is an expression inside the next one, which whoever walks it goes down to.
constexpr int kMostLinks = 1000;
constexpr std::array<std::string_view, 13> kWords = {"and", "as", "def",  "else", "for",  "if",    "in",
                                                     "not", "or", "size", "when", "with", "kernel"};

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the line";
  return token.kind == Token::Kind::text ? fmt::format("\"{}\"", token.word)
                                         : fmt::format("'{}'", token.word);
}

Expr made(Expr::Kind kind, const TextPlace& place, std::vector<Expr> parts) {
  Expr out;
  out.kind = kind;
  out.place = place;
  out.parts = std::move(parts);
  return out;
}

// Moved: a list in braces would copy each of them, and a chain's first one is all that stands before.
template <class... Parts>
std::vector<Expr> parts_of(Parts... each) {
  std::vector<Expr> out;
  out.reserve(sizeof...(each));
  (out.push_back(std::move(each)), ...);
  return out;
}

}  // namespace

bool is_word(std::string_view word) {
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

int32_t NameTable::place_of(const std::string& name) {
  const auto [found, is_new] = places_.try_emplace(name, static_cast<int32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return found->second;
}

bool ExpressionParser::is(std::string_view word) const {
  return (now().kind == Token::Kind::sign || now().kind == Token::Kind::name) && now().word == word;
}

bool ExpressionParser::accept(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

bool ExpressionParser::expect(std::string_view word) {
  if (accept(word)) return true;
  fail(now(), fmt::format("expected '{}', found {}", word, shown(now())), "");
  return false;
}

Token ExpressionParser::next() {
  return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_];
}

void ExpressionParser::fail(const Token& token, std::string what, std::string fix) {
  if (problem_) return;
  const int32_t length = std::max<int32_t>(1, static_cast<int32_t>(token.word.size()));
  problem_ = TextProblem{token.place, length, std::move(what), std::move(fix)};
}

int32_t ExpressionParser::name(std::string_view what) {
  const Token token = now();
  if (token.kind != Token::Kind::name || is_word(token.word)) {
    fail(token, fmt::format("expected {}, found {}", what, shown(token)), "");
    return -1;
  }
  ++at_;
  return names_.place_of(token.word);
}

std::vector<int32_t> ExpressionParser::names(std::string_view what) {
  std::vector<int32_t> out;
  do {
    out.push_back(name(what));
  } while (!problem_ && accept(","));
  return out;
}

void ExpressionParser::link(const Token& token) {
  if (++links_ > kMostLinks)
    fail(token, fmt::format("the line has more than {} operators, calls and indices", kMostLinks),
         "give parts of it names");
}

Expr ExpressionParser::expressions() {
  Expr first = expression();
  if (!is(",")) return first;
  const TextPlace place = first.place;
  std::vector<Expr> parts;
  parts.push_back(std::move(first));
  while (!problem_ && accept(",")) parts.push_back(expression());
  return made(Expr::Kind::tuple, place, std::move(parts));
}

Expr ExpressionParser::expression() {
  if (++depth_ > kDeepest) fail(now(), fmt::format("expressions nest deeper than {}", kDeepest), "");
  if (problem_) {
    --depth_;
    return {};
  }
  Expr out = operators(0);
  if (accept("if")) {
    const TextPlace place = out.place;
    Expr condition = operators(0);
    expect("else");
    Expr other = expression();
    out = made(Expr::Kind::choice, place, parts_of(std::move(out), std::move(condition), std::move(other)));
  }
  --depth_;
  return out;
}

Expr ExpressionParser::operators(int level) {
  constexpr int kNot = 2;
  static const std::vector<std::vector<std::string_view>> kLevels = {
      {"or"}, {"and"}, {}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "//", "%"}};
  if (level == std::ssize(kLevels)) return signed_factor();
  if (level == kNot && is("not")) {
    const Token token = next();
    if (++depth_ > kDeepest) fail(token, fmt::format("expressions nest deeper than {}", kDeepest), "");
    Expr out = made(Expr::Kind::unary, token.place, {});
    if (!problem_) out.parts.push_back(operators(level));
    out.word = "not";
    --depth_;
    return out;
  }
  Expr out = operators(level + 1);
  const auto& signs = kLevels[static_cast<size_t>(level)];
  for (;;) {
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](std::string_view s) { return is(s); });
    if (sign == signs.end() || problem_) return out;
    const Token token = next();
    link(token);
    Expr right = operators(level + 1);
    out = made(Expr::Kind::binary, token.place, parts_of(std::move(out), std::move(right)));
    out.word = token.word;
  }
}

Expr ExpressionParser::signed_factor() {
  if (!is("-") && !is("+")) return factor();
  const Token token = next();
  if (++depth_ > kDeepest) fail(token, fmt::format("expressions nest deeper than {}", kDeepest), "");
  Expr out = made(Expr::Kind::unary, token.place, {});
  if (!problem_) out.parts.push_back(signed_factor());
  out.word = token.word;
  --depth_;
  return out;
}

Expr ExpressionParser::factor() {
  Expr out = atom();
  while (!problem_) {
    if (is("(") || is("[") || is(".")) link(now());
    if (is("(")) {
      out = call(std::move(out));
    } else if (is("[")) {
      out = subscript(std::move(out));
    } else if (accept(".")) {
      const Token word = next();
      if (word.kind != Token::Kind::name)
        fail(word, fmt::format("expected a name behind the dot, found {}", shown(word)), "");
      const TextPlace place = out.place;
      out = made(Expr::Kind::attribute, place, parts_of(std::move(out)));
      out.word = word.word;
    } else {
      break;
    }
  }
  return out;
}

Expr ExpressionParser::atom() {
  const Token token = now();
  Expr out;
  out.place = token.place;
  switch (token.kind) {
    case Token::Kind::number:
      out.number = next().number;
      return out;
    case Token::Kind::text:
      out.kind = Expr::Kind::text;
      out.word = next().word;
      return out;
    case Token::Kind::name:
      out.kind = Expr::Kind::name;
      out.name = name("a value");
      return out;
    default:
      if (is("(") || is("[")) return brackets();
      fail(token, fmt::format("expected a value, found {}", shown(token)), "");
      return out;
  }
}

Expr ExpressionParser::brackets() {
  const Token open = next();
  const char* close = open.word == "(" ? ")" : "]";
  std::vector<Expr> parts;
  bool comma = open.word == "[";
  while (!problem_ && !is(close)) {
    parts.push_back(expression());
    if (!accept(",")) break;
    comma = true;
  }
  expect(close);
  if (!comma && parts.size() == 1) return std::move(parts.front());
  if (parts.empty() && open.word == "(") fail(open, "expected a value between the brackets", "");
  return made(open.word == "(" ? Expr::Kind::tuple : Expr::Kind::list, open.place, std::move(parts));
}

Expr ExpressionParser::call(Expr function) {
  const TextPlace place = function.place;
  next();
  std::vector<Expr> parts;
  parts.push_back(std::move(function));
  std::vector<std::string> keys = {""};
  while (!problem_ && !is(")")) {
    std::string key;
    const bool named = now().kind == Token::Kind::name && at_ + 1 < tokens_.size() &&
                       tokens_[at_ + 1].kind == Token::Kind::sign && tokens_[at_ + 1].word == "=";
    if (named) {
      key = next().word;
      next();
    }
    keys.push_back(std::move(key));
    parts.push_back(expression());
    if (!accept(",")) break;
  }
  expect(")");
  Expr out = made(Expr::Kind::call, place, std::move(parts));
  out.keys = std::move(keys);
  return out;
}

Expr ExpressionParser::subscript(Expr what) {
  const TextPlace place = what.place;
  const Token open = next();
  std::vector<Expr> parts;
  parts.push_back(std::move(what));
  while (!problem_ && !is("]")) {
    if (is(":") || is("...")) {
      const Token token = next();
      parts.push_back(made(Expr::Kind::everything, token.place, {}));
      parts.back().word = token.word;
    } else {
      parts.push_back(expression());
    }
    if (!accept(",")) break;
  }
  expect("]");
  if (parts.size() == 1) fail(open, "expected an index between the brackets", "");
  return made(Expr::Kind::subscript, place, std::move(parts));
}

}  // namespace shardscope::kernels
