// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pallas/pallas_expressions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/kernels/text/print.h"

namespace shardscope::kernels {
namespace {

// Names that mean something else in Python, or to the program around the kernel.
bool is_taken(std::string_view name) {
  constexpr std::array kTaken = {
      "False",    "None",       "True",     "assert", "async",   "await",  "break",  "class",
      "continue", "del",        "elif",     "except", "finally", "from",   "global", "import",
      "is",       "lambda",     "nonlocal", "pass",   "raise",   "return", "try",    "while",
      "yield",    "jax",        "jnp",      "np",     "lax",     "pl",     "pltpu",  "functools",
      "blocks",   "semaphores", "range",    "list",   "kernel",  "MESH",   "LOGICAL"};
  return std::ranges::find(kTaken, name) != kTaken.end();
}

// How tightly an operator binds, in Python too; comparisons stand in brackets, for there they chain.
int strength(const Expr& e) {
  if (e.word == "*" || e.word == "//" || e.word == "%") return 3;
  if (e.word == "+" || e.word == "-") return 2;
  return e.word == "and" || e.word == "or" ? 0 : 1;
}

}  // namespace

std::string PallasExpressions::name(int32_t number) const {
  return is_taken(plain(number)) ? plain(number) + "_" : plain(number);
}

bool PallasExpressions::is_traced(const Expr& e) const {
  if (e.kind == Expr::Kind::attribute && e.word == "shape") return false;
  if (e.kind == Expr::Kind::name) {
    const std::string& word = plain(e.name);
    if (word == "axis_index" || word == "neighbour" || word == "device_id" || word == "device_at")
      return true;
    return traced_[static_cast<size_t>(e.name)];
  }
  return std::ranges::any_of(e.parts, [&](const Expr& part) { return is_traced(part); });
}

const Builtin* PallasExpressions::called(const Expr& e) const {
  if (e.kind != Expr::Kind::call || e.parts[0].kind != Expr::Kind::name) return nullptr;
  const int place = builtin_named(text_.names[static_cast<size_t>(e.parts[0].name)]);
  return place < 0 ? nullptr : &builtins()[static_cast<size_t>(place)];
}

std::string PallasExpressions::listed(const std::vector<Expr>& parts, size_t first) const {
  std::vector<std::string> out;
  for (size_t i = first; i < parts.size(); ++i) out.push_back(shown(parts[i]));
  return join(out, ", ");
}

std::string PallasExpressions::shown(const Expr& e) const {
  switch (e.kind) {
    case Expr::Kind::name:
      return name(e.name);
    case Expr::Kind::unary:
      if (e.word == "not" && is_traced(e)) return "jnp.logical_not(" + shown(e.parts[0]) + ")";
      return fmt::format("({}{}{})", e.word, e.word == "not" ? " " : "", shown(e.parts[0]));
    case Expr::Kind::binary:
      return binary(e);
    case Expr::Kind::choice:
      return fmt::format("({} if {} else {})", shown(e.parts[0]), shown(e.parts[1]), shown(e.parts[2]));
    case Expr::Kind::call:
      return call(e);
    case Expr::Kind::attribute:
      return shown(e.parts[0]) + "." + e.word;
    case Expr::Kind::subscript:
      return shown(e.parts[0]) + "[" + listed(e.parts, 1) + "]";
    case Expr::Kind::tuple:
      return "(" + listed(e.parts, 0) + (e.parts.size() == 1 ? ",)" : ")");
    case Expr::Kind::list:
      return "[" + listed(e.parts, 0) + "]";
    default:
      return print_expression(text_, e);
  }
}

// Conditions on the device are arrays: Python's and, or would ask them for a truth that they do not have yet.
std::string PallasExpressions::binary(const Expr& e) const {
  if (strength(e) == 0 && is_traced(e))
    return fmt::format("jnp.logical_{}({}, {})", e.word, shown(e.parts[0]), shown(e.parts[1]));
  const auto operand = [&](const Expr& part, int least) {
    const std::string text = shown(part);
    return part.kind == Expr::Kind::binary && strength(part) < least ? "(" + text + ")" : text;
  };
  const int own = strength(e);
  return fmt::format("{} {} {}", operand(e.parts[0], own < 2 ? 2 : own), e.word,
                     operand(e.parts[1], own < 2 ? 2 : own + 1));
}

std::string PallasExpressions::call(const Expr& e) const {
  const Builtin* builtin = called(e);
  const Expr* device = builtin == nullptr ? nullptr : argument_of(*builtin, e, "device_id");
  std::vector<std::string> parts;
  for (size_t i = 1; i < e.parts.size(); ++i) {
    if (&e.parts[i] == device) {
      parts.push_back((device->kind == Expr::Kind::tuple ? "device_id=device_at" : "device_id=") +
                      shown(*device));
      continue;
    }
    const std::string key = e.keys[i].empty() ? "" : e.keys[i] + "=";
    parts.push_back(key + shown(e.parts[i]));
  }
  std::string function = builtin == nullptr ? shown(e.parts[0]) : std::string(builtin->name);
  if (builtin != nullptr) {
    if (builtin->name == "axis_index") function = "lax.axis_index";
    if (builtin->name == "ds") function = "pl.ds";
    if ((builtin->name == "min" || builtin->name == "max") && is_traced(e))
      function = "jnp." + function + "imum";
    if (builtin->name == "dot") {
      function = "jnp.dot";
      parts.emplace_back("preferred_element_type=f32");
    }
    if (builtin->name.starts_with("make_async") && builtin->name != "make_async_peer_copy")
      function = "pltpu." + function;
    if (builtin->name.starts_with("semaphore_")) function = "pl." + function;
    if (device != nullptr) parts.emplace_back("device_id_type=LOGICAL");
  }
  return function + "(" + join(parts, ", ") + ")";
}

}  // namespace shardscope::kernels
