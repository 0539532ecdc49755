// SPDX-License-Identifier: Apache-2.0
// A kernel as its text says it: what the parser reads and the printer writes. Its grammar and meaning stand
// in assets/help/kernel_language.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope::kernels {

// Where something stands in a text, from 1. Two texts that differ in nothing else are equal.
struct TextPlace {
  int32_t line = 0, column = 0;
  bool operator==(const TextPlace&) const { return true; }
};

struct Expr {
  enum class Kind : uint8_t {
    number,      // 8
    text,        // "x"
    name,        // rows
    unary,       // -a, not a: `word` is the operator
    binary,      // a + b
    choice,      // a if b else c: parts a, b, c
    call,        // f(a, key=b): parts the function and its arguments, keys their names ("" where none)
    attribute,   // a.word
    subscript,   // a[b, c]: parts a, b, c
    tuple,       // (a, b)
    list,        // [a, b]
    everything,  // `:` or `...`, as `word` says
  };
  Kind kind = Kind::number;
  TextPlace place;
  int64_t number = 0;
  int32_t name = -1;  // of a name: its place in KernelText::names
  std::string word;
  std::vector<Expr> parts;
  std::vector<std::string> keys;
  bool operator==(const Expr&) const = default;
};

struct Statement {
  enum class Kind : uint8_t {
    size,      // size rows = 8
    assign,    // a, b = c, d
    store,     // a[...] = b, a[...] += b
    call,      // f(a)
    loop,      // for i, j in grid(a, b):
    when,      // when a:
    scope,     // with vmem((a, b)) as c:
    function,  // def f(a, b):
  };
  Kind kind = Kind::call;
  TextPlace place;
  // Above it, "" for an empty line, and behind it on its line; both with their #.
  std::vector<std::string> comments;
  std::string remark;
  std::string word;  // of a store its = or +=
  std::vector<int32_t>
      targets;  // names: assigned, counted by a loop, of a scope, parameters; of a function itself first
  std::vector<Expr> values;  // assigned; the target and the value of a store; called; looped over; condition
  std::vector<Statement> body;
  bool operator==(const Statement&) const = default;
};

struct KernelText {
  std::vector<std::string> comments;  // above its first line
  std::string id, title;
  std::vector<std::string> axes;  // "x", "y", "z": those that it reads
  std::string result;             // what `out` should hold, by name; empty: nobody judges
  bool broken = false;
  std::string mended;  // of a broken one: the id of its mended twin
  std::vector<Statement> body;
  std::vector<std::string> ending;  // comments below the last statement
  std::vector<std::string> names;   // each name once, in the order of their first use
  bool operator==(const KernelText&) const = default;
};

// What is wrong with a text, and where.
struct TextProblem {
  TextPlace place;
  int32_t length = 1;  // letters
  std::string what;
  std::string fix;
  bool operator==(const TextProblem&) const = default;
};

}  // namespace shardscope::kernels
