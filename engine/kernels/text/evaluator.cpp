// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/text/functions.h"
#include "engine/kernels/text/lowering.h"
#include "engine/kernels/text/print.h"

namespace shardscope::kernels {
namespace {

// Rounded down, as Python does it.
int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The number; none: it is too large.
std::optional<int64_t> arithmetic(std::string_view sign, int64_t a, int64_t b) {
  int64_t out = 0;
  if (sign == "+" && __builtin_add_overflow(a, b, &out)) return std::nullopt;
  if (sign == "-" && __builtin_sub_overflow(a, b, &out)) return std::nullopt;
  if (sign == "*" && __builtin_mul_overflow(a, b, &out)) return std::nullopt;
  if (sign == "//") out = floor_div(a, b);
  if (sign == "%") out = a - b * floor_div(a, b);
  if (sign == "==") out = a == b ? 1 : 0;
  if (sign == "!=") out = a != b ? 1 : 0;
  if (sign == "<") out = a < b ? 1 : 0;
  if (sign == "<=") out = a <= b ? 1 : 0;
  if (sign == ">") out = a > b ? 1 : 0;
  if (sign == ">=") out = a >= b ? 1 : 0;
  return out;
}

}  // namespace

const char* kind_text(const Value& value) {
  constexpr const char* kKinds[] = {
      "nothing",          "a number", "a text",         "a buffer", "a semaphore",
      "a copy",           "a type",   "a memory space", "a list",   "contents of a buffer",
      "a part of an axis"};
  return kKinds[value.is.index()];
}

Evaluator::Evaluator(const KernelText& text, Kernel& kernel)
    : values_(text.names.size()), text_(text), kernel_(kernel) {
  for (const std::string& name : text.names) builtins_.push_back(builtin_named(name));
}

void Evaluator::fail(const TextPlace& place, const std::string& what) {
  kernel_.require(false, what);
  kernel_.blame(place.line, place.column);
}

bool Evaluator::is_named(const Expr& e, std::string_view name) const {
  return e.kind == Expr::Kind::name && text_.names[static_cast<size_t>(e.name)] == name;
}

Value Evaluator::value(const Expr& e, const std::string* declared) {
  if (failed()) return {};
  ++evaluated_;
  switch (e.kind) {
    case Expr::Kind::number:
      return {e.number};
    case Expr::Kind::text:
      return {e.word};
    case Expr::Kind::name:
      return name_value(e);
    case Expr::Kind::unary:
      return unary(e);
    case Expr::Kind::binary:
      return binary(e);
    case Expr::Kind::choice:
      return number(e.parts[1]) != 0 ? value(e.parts[0]) : value(e.parts[2]);
    case Expr::Kind::call:
      return e.parts[0].kind == Expr::Kind::attribute ? method(e) : call(e, declared);
    case Expr::Kind::attribute:
      return attribute(e);
    case Expr::Kind::subscript:
      return at(e);
    case Expr::Kind::tuple:
    case Expr::Kind::list: {
      auto items = std::make_shared<std::vector<Value>>();
      for (const Expr& part : e.parts) items->push_back(value(part));
      return {Items{std::move(items)}};
    }
    case Expr::Kind::everything:
      break;
  }
  fail(e.place, fmt::format("'{}' stands in brackets behind a buffer", e.word));
  return {};
}

Value Evaluator::name_value(const Expr& e) {
  const Value& known = values_[static_cast<size_t>(e.name)];
  if (known.is.index() != 0) return known;
  const std::string& name = text_.names[static_cast<size_t>(e.name)];
  if (name == "dtype") return {kernel_.options().dtype};
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::f16})
    if (name == shardscope::name(type)) return {type};
  for (const MemorySpace space : {MemorySpace::hbm, MemorySpace::vmem, MemorySpace::smem})
    if (name == shardscope::name(space)) return {space};
  if (name == "True" || name == "False") return {int64_t{name == "True"}};
  std::vector<std::string> names;
  for (size_t i = 0; i < values_.size(); ++i)
    if (values_[i].is.index() != 0) names.push_back(text_.names[i]);
  const auto near = nearest(name, names);
  fail(e.place, fmt::format("nothing above is called {}{}", name, near ? ", did you mean " + *near : ""));
  return {};
}

int64_t Evaluator::number(const Expr& e) {
  const Value found = value(e);
  if (const auto* number = std::get_if<int64_t>(&found.is)) return *number;
  if (!failed())
    fail(e.place, fmt::format("expected a number, {} is {}", print_expression(text_, e), kind_text(found)));
  return 0;
}

std::vector<Value> Evaluator::items(const Expr& e) {
  const Value found = value(e);
  if (const auto* items = std::get_if<Items>(&found.is)) return *items->values;
  return {found};
}

Value Evaluator::unary(const Expr& e) {
  const int64_t a = number(e.parts[0]);
  if (e.word == "not") return {int64_t{a == 0}};
  if (e.word == "-" && a == INT64_MIN) fail(e.place, "the number is too large");
  return {failed() || e.word == "+" ? a : -a};
}

Value Evaluator::binary(const Expr& e) {
  if (e.word == "and" || e.word == "or") {
    const bool a = number(e.parts[0]) != 0;
    if (failed() || a == (e.word == "or")) return {int64_t{a}};
    return {int64_t{number(e.parts[1]) != 0}};
  }
  const Value left = value(e.parts[0]), right = value(e.parts[1]);
  if (failed()) return {};
  if (std::holds_alternative<Contents>(left.is) || std::holds_alternative<Contents>(right.is))
    return sum(e, left, right);
  const auto *first = std::get_if<int64_t>(&left.is), *second = std::get_if<int64_t>(&right.is);
  if (first == nullptr || second == nullptr) {
    const bool at_left = first == nullptr;
    fail(e.parts[at_left ? 0 : 1].place,
         fmt::format("'{}' takes numbers, this is {}", e.word, kind_text(at_left ? left : right)));
    return {};
  }
  const bool divides = e.word == "//" || e.word == "%";
  if (divides && *second == 0) {
    fail(e.place, "division by 0");
    return {};
  }
  const bool largest = divides && *second == -1 && *first == INT64_MIN;
  const auto out = largest ? std::nullopt : arithmetic(e.word, *first, *second);
  if (!out) fail(e.place, "the number is too large");
  return {out.value_or(0)};
}

Value Evaluator::sum(const Expr& e, const Value& a, const Value& b) {
  const auto *first = std::get_if<Contents>(&a.is), *second = std::get_if<Contents>(&b.is);
  const bool whole = first != nullptr && second != nullptr && first->kind == Contents::Kind::whole &&
                     second->kind == Contents::Kind::whole;
  if (e.word == "+" && whole) return {Contents{Contents::Kind::sum, first->a, second->a}};
  fail(e.place, "of contents there is a[...] + b[...] and a[...] += dot(b[...], c[...])");
  return {};
}

Value Evaluator::attribute(const Expr& e) {
  const Value of = value(e.parts[0]);
  if (failed()) return {};
  if (const auto* ref = std::get_if<Ref>(&of.is)) {
    if (e.word == "shape")
      return {Items{std::make_shared<std::vector<Value>>(std::vector<Value>{{ref->rows()}, {ref->cols()}})}};
  }
  if (e.word == "at") fail(e.place, ".at takes an index in brackets, as in a.at[ds(0, 8), :]");
  if (e.word != "at") fail(e.place, fmt::format("{} has no '{}'", kind_text(of), e.word));
  return {};
}

// a.at[…] is a part of a buffer or one of several semaphores, a[…] the contents of a part.
Value Evaluator::at(const Expr& e) {
  const Expr& left = e.parts[0];
  const bool part_of = left.kind == Expr::Kind::attribute && left.word == "at";
  const Value whole = value(part_of ? left.parts[0] : left);
  if (failed()) return {};
  if (const auto* ref = std::get_if<Ref>(&whole.is)) {
    const Ref found = part(e, *ref);
    if (part_of) return {found};
    return {Contents{Contents::Kind::whole, found, {}}};
  }
  return index(whole, e);
}

Value Evaluator::index(const Value& what, const Expr& e) {
  const auto* items = std::get_if<Items>(&what.is);
  if (items == nullptr) {
    fail(e.place, fmt::format("{} has no parts", kind_text(what)));
    return {};
  }
  if (e.parts.size() != 2) fail(e.place, "expected one index");
  const int64_t at = number(e.parts[1]);
  const int64_t count = std::ssize(*items->values);
  if (failed()) return {};
  if (at < 0 || at >= count) {
    fail(e.parts[1].place,
         fmt::format("index {} of {}, which has {}", at, print_expression(text_, e.parts[0]), count));
    return {};
  }
  return (*items->values)[static_cast<size_t>(at)];
}

std::optional<Span> Evaluator::span(const Expr& e, int64_t all) {
  if (e.kind == Expr::Kind::everything && e.word == ":") return Span{0, all};
  if (e.kind == Expr::Kind::everything) return std::nullopt;
  const Value found = value(e);
  if (const auto* span = std::get_if<Span>(&found.is)) return *span;
  if (!failed()) fail(e.place, "expected ds(first, count) or ':'");
  return std::nullopt;
}

Ref Evaluator::part(const Expr& e, const Ref& whole) {
  if (e.parts.size() == 2 && e.parts[1].kind == Expr::Kind::everything && e.parts[1].word == "...")
    return whole;
  if (e.parts.size() != 3) {
    fail(e.place, "expected [...] for all of it, or rows and columns, as in [ds(0, 8), :]");
    return whole;
  }
  const auto rows = span(e.parts[1], whole.rows()), cols = span(e.parts[2], whole.cols());
  if (!rows || !cols) {
    if (!failed()) fail(e.place, "'...' stands alone in its brackets");
    return whole;
  }
  return whole.at(rows->first, rows->count, cols->first, cols->count);
}

Value Evaluator::method(const Expr& e) {
  const Expr& function = e.parts[0];
  Value of = value(function.parts[0]);
  if (failed()) return {};
  const At line(e.place.line);
  if (auto* items = std::get_if<Items>(&of.is); items != nullptr && function.word == "append") {
    if (e.parts.size() != 2) fail(e.place, "append takes one value");
    if (items->values->size() > 8192) fail(e.place, "the list has more than 8192 values");
    Value added = value(e.parts.back());
    if (!failed()) items->values->push_back(std::move(added));
    return {};
  }
  auto* copy = std::get_if<Copy>(&of.is);
  const bool known = function.word == "start" || function.word == "wait" || function.word == "wait_send" ||
                     function.word == "wait_recv";
  if (copy == nullptr || !known) {
    fail(function.place, fmt::format("{} has no {}()", kind_text(of), function.word));
    return {};
  }
  if (e.parts.size() != 1) fail(e.place, function.word + "() takes nothing");
  if (failed()) return {};
  if (function.word == "start") copy->start(line);
  if (function.word == "wait") copy->wait(line);
  if (function.word == "wait_send") copy->wait_send(line);
  if (function.word == "wait_recv") copy->wait_recv(line);
  return {};
}

Value Evaluator::call(const Expr& e, const std::string* declared) {
  const int place =
      e.parts[0].kind == Expr::Kind::name ? builtins_[static_cast<size_t>(e.parts[0].name)] : -1;
  if (place < 0) {
    fail(e.place, fmt::format("there is no function {}", print_expression(text_, e.parts[0])));
    return {};
  }
  const Builtin& builtin = builtins()[static_cast<size_t>(place)];
  const Parameters& parameters = parameters_of(builtin);
  std::vector<Value> given(parameters.names.size());
  size_t next = 0;
  for (size_t i = 1; i < e.parts.size() && !failed(); ++i) {
    size_t to = next++;
    if (!e.keys[i].empty())
      to = static_cast<size_t>(std::ranges::find(parameters.names, e.keys[i]) - parameters.names.begin());
    if (to >= given.size() || given[to].is.index() != 0) {
      fail(e.parts[i].place, fmt::format("{}({}) takes no such argument", builtin.name, builtin.parameters));
      return {};
    }
    given[to] = value(e.parts[i]);
  }
  for (size_t i = 0; i < parameters.needed && !failed(); ++i) {
    if (given[i].is.index() == 0)
      fail(e.place, fmt::format("{} needs {}: {}({})", builtin.name, parameters.names[i], builtin.name,
                                builtin.parameters));
  }
  if (builtin.declares && declared == nullptr && !failed())
    fail(e.place, fmt::format("give it a name, as in a = {}(…)", builtin.name));
  if (failed()) return {};
  return call_builtin(place, {*this, e, std::move(given), declared});
}

}  // namespace shardscope::kernels
