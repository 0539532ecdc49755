// SPDX-License-Identifier: Apache-2.0
// A kernel's text as the program of each device: evaluated once per device, its statements go into a Kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/program/builder.h"
#include "engine/kernels/text/syntax.h"
#include "engine/kernels/text/values.h"

namespace shardscope::kernels {

// Rows and columns of a buffer.
struct Extent {
  int64_t rows = 0, cols = 0;
};

// Evaluates the expressions of one kernel on one device. The first error sticks, in the Kernel, with its
// place; values after it mean nothing.
class Evaluator {
 public:
  Evaluator(const KernelText& text, Kernel& kernel);

  bool failed() const { return !kernel_.error().empty(); }
  void fail(const TextPlace& place, const std::string& what);
  // `declared`: the name that it is given to, for what bears one.
  Value value(const Expr& e, const std::string* declared = nullptr);
  int64_t number(const Expr& e);
  std::vector<Value> items(const Expr& e);
  Value index(const Value& what, const Expr& subscript);
  Ref part(const Expr& subscript, const Ref& whole);
  Value& variable(int32_t name) { return values_[static_cast<size_t>(name)]; }
  const std::string& name(int32_t number) const { return text_.names[static_cast<size_t>(number)]; }
  Kernel& kernel() { return kernel_; }
  const KernelText& text() const { return text_; }
  bool is_named(const Expr& e, std::string_view name) const;
  std::vector<Value>& variables() { return values_; }  // by name
  int64_t evaluated() const { return evaluated_; }     // expressions so far

 private:
  Value name_value(const Expr& e);
  Value unary(const Expr& e);
  Value binary(const Expr& e);
  Value sum(const Expr& e, const Value& a, const Value& b);
  Value attribute(const Expr& e);
  Value call(const Expr& e, const std::string* declared);
  Value method(const Expr& e);
  Value at(const Expr& subscript);
  std::optional<Span> span(const Expr& index, int64_t all);

  std::vector<Value> values_;
  const KernelText& text_;
  Kernel& kernel_;
  int64_t evaluated_ = 0;
  std::vector<int> builtins_;  // by name: which function it is, -1: none
};

// Runs the statements.
class Lowering {
 public:
  Lowering(const KernelText& text, Kernel& kernel);
  void run() { run(evaluator_.text().body); }

 private:
  void run(const std::vector<Statement>& statements, size_t first = 0);
  void run(const Statement& s);
  void size(const Statement& s);
  void assign(const Statement& s);
  void store(const Statement& s);
  void call(const Statement& s);
  void loop(const Statement& s);
  void loop_over(const Statement& s, const std::vector<int64_t>& extents, int64_t first, bool grid);
  void pipeline(const Statement& s);
  std::pair<int64_t, int64_t> block_index(const Expr& index, const Ref& ref, const Extent& shape);
  void scope(const Statement& s);
  bool enough(const TextPlace& place);  // false: it takes too long

  Evaluator evaluator_;
  std::vector<const Statement*> functions_;
  int64_t left_ = 0;  // statements
  int depth_ = 0;     // of calls
};

}  // namespace shardscope::kernels
