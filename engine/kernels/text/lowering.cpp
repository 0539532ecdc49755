// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/text/lowering.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/kernels/program/pipeline.h"
#include "engine/kernels/program/sizes.h"
#include "engine/kernels/text/functions.h"

namespace shardscope::kernels {
namespace {

constexpr int64_t kMostOps = int64_t{1} << 22;
constexpr int kDeepestCall = 16;
constexpr int64_t kExpressions = 32;  // of a statement; one with many more counts as several

}  // namespace

// Of all devices together as many statements as a second runs.
Lowering::Lowering(const KernelText& text, Kernel& kernel)
    : evaluator_(text, kernel),
      left_((int64_t{1} << 25) / std::max<int64_t>(1, kernel.options().mesh.device_count())) {}

bool Lowering::enough(const TextPlace& place) {
  if (evaluator_.failed()) return false;
  if (--left_ < evaluator_.evaluated() / kExpressions || evaluator_.kernel().op_count() > kMostOps)
    evaluator_.fail(place, "the kernel runs more statements than anybody watches: take smaller sizes");
  return !evaluator_.failed();
}

void Lowering::run(const std::vector<Statement>& statements, size_t first) {
  for (size_t i = first; i < statements.size() && enough(statements[i].place); ++i) run(statements[i]);
}

void Lowering::run(const Statement& s) {
  switch (s.kind) {
    case Statement::Kind::size:
      return size(s);
    case Statement::Kind::assign:
      return assign(s);
    case Statement::Kind::store:
      return store(s);
    case Statement::Kind::call:
      return call(s);
    case Statement::Kind::loop:
      return loop(s);
    case Statement::Kind::when:
      if (evaluator_.number(s.values[0]) != 0) run(s.body);
      return;
    case Statement::Kind::scope:
      return scope(s);
    case Statement::Kind::function:
      functions_.push_back(&s);
      return;
  }
}

void Lowering::size(const Statement& s) {
  const std::string& name = evaluator_.name(s.targets[0]);
  const auto known = std::ranges::find(kernel_sizes(), name, &KernelSize::name);
  if (known == kernel_sizes().end()) {
    std::vector<std::string> names;
    for (const KernelSize& each : kernel_sizes()) names.push_back(each.name);
    return evaluator_.fail(s.place, fmt::format("'{}' is no size, there are {}", name, join(names, ", ")));
  }
  const auto& given = evaluator_.kernel().options().*known->field;
  const int64_t value = given ? *given : evaluator_.number(s.values[0]);
  evaluator_.variable(s.targets[0]) = {value};
}

void Lowering::assign(const Statement& s) {
  std::vector<Value> values;
  for (size_t i = 0; i < s.values.size() && !evaluator_.failed(); ++i) {
    values.push_back(evaluator_.value(s.values[i], &evaluator_.name(s.targets[i])));
    if (values.back().is.index() == 0 && !evaluator_.failed())
      evaluator_.fail(s.values[i].place, "this gives no value");
  }
  if (evaluator_.failed()) return;
  for (size_t i = 0; i < values.size(); ++i) evaluator_.variable(s.targets[i]) = std::move(values[i]);
}

void Lowering::store(const Statement& s) {
  Kernel& k = evaluator_.kernel();
  const Value target = evaluator_.value(s.values[0]);
  const Value stored = evaluator_.value(s.values[1]);
  if (evaluator_.failed()) return;
  const auto* to = std::get_if<Contents>(&target.is);
  if (to == nullptr)
    return evaluator_.fail(s.values[0].place,
                           fmt::format("expected a part of a buffer, got {}", kind_text(target)));
  const At line(s.place.line);
  const bool adds = s.word == "+=";
  const auto* from = std::get_if<Contents>(&stored.is);
  const auto* number = std::get_if<int64_t>(&stored.is);
  if (number != nullptr && *number == 0 && !adds) {
    k.zero(to->a, line);
  } else if (from != nullptr && from->kind == Contents::Kind::product && adds) {
    k.dot(to->a, from->a, from->b, line);
  } else if (from != nullptr && from->kind == Contents::Kind::sum && !adds) {
    k.add(to->a, from->a, from->b, line);
  } else if (from != nullptr && from->kind == Contents::Kind::whole) {
    if (adds) k.add(to->a, to->a, from->a, line);
    if (!adds) k.store(to->a, from->a, line);
  } else {
    evaluator_.fail(s.values[1].place,
                    "a buffer takes 0, a[...], a[...] + b[...], += a[...] and += dot(a[...], b[...])");
  }
  if (evaluator_.failed()) k.blame(s.place.line, s.place.column);
}

void Lowering::call(const Statement& s) {
  const Expr& e = s.values[0];
  const auto called = std::ranges::find_if(functions_, [&](const Statement* function) {
    return e.parts[0].kind == Expr::Kind::name && e.parts[0].name == function->targets[0];
  });
  if (called == functions_.end()) {
    evaluator_.value(e);
    return;
  }
  const Statement& function = **called;
  if (e.parts.size() != function.targets.size())
    return evaluator_.fail(e.place,
                           fmt::format("{} takes {} values, got {}", evaluator_.name(e.parts[0].name),
                                       function.targets.size() - 1, e.parts.size() - 1));
  if (++depth_ > kDeepestCall)
    return evaluator_.fail(e.place, fmt::format("calls nest deeper than {}", kDeepestCall));
  std::vector<Value> inside = evaluator_.variables();
  for (size_t i = 1; i < e.parts.size(); ++i)
    inside[static_cast<size_t>(function.targets[i])] = evaluator_.value(e.parts[i]);
  std::swap(inside, evaluator_.variables());
  run(function.body);
  std::swap(inside, evaluator_.variables());
  --depth_;
}

void Lowering::loop(const Statement& s) {
  const Expr& over = s.values[0];
  const bool called = over.kind == Expr::Kind::call;
  if (called && evaluator_.is_named(over.parts[0], "emit_pipeline")) return pipeline(s);
  const bool grid = called && evaluator_.is_named(over.parts[0], "grid");
  if (grid || (called && evaluator_.is_named(over.parts[0], "range"))) {
    std::vector<int64_t> bounds;
    for (size_t i = 1; i < over.parts.size(); ++i) bounds.push_back(evaluator_.number(over.parts[i]));
    if (evaluator_.failed()) return;
    const size_t most = grid ? 3 : 2;
    if (bounds.empty() || bounds.size() > most || s.targets.size() != (grid ? bounds.size() : 1))
      return evaluator_.fail(s.place, grid ? "a grid has a name for each of its one to three axes"
                                           : "expected one name in range(count) or range(first, end)");
    if (grid) return loop_over(s, bounds, 0, true);
    const int64_t first = bounds.size() > 1 ? bounds[0] : 0;
    return loop_over(s, {bounds.back() > first ? bounds.back() - first : 0}, first, false);
  }
  const std::vector<Value> items = evaluator_.items(over);
  for (const Value& item : items) {
    if (!enough(s.place)) return;
    if (s.targets.size() != 1) return evaluator_.fail(s.place, "expected one name to count by");
    evaluator_.variable(s.targets[0]) = item;
    run(s.body);
  }
}

void Lowering::loop_over(const Statement& s, const std::vector<int64_t>& extents, int64_t first, bool grid) {
  int64_t count = 1;
  for (const int64_t extent : extents) {
    if (extent <= 0) return;
    if (count > left_ / extent)
      return evaluator_.fail(s.place, "the loop has more steps than anybody watches: take smaller sizes");
    count *= extent;
  }
  const auto step = [&](int64_t i) {
    if (!enough(s.place)) return;
    int64_t rest = i;
    for (size_t a = extents.size(); a-- > 0; rest /= extents[a])
      evaluator_.variable(s.targets[a]) = {first + rest % extents[a]};
    run(s.body);
  };
  if (grid) return evaluator_.kernel().grid(count, step);
  for (int64_t i = 0; i < count && !evaluator_.failed(); ++i) step(i);
}

std::pair<int64_t, int64_t> Lowering::block_index(const Expr& index, const Ref& ref, const Extent& shape) {
  if (evaluator_.failed()) return {};
  const Extent found = extent_of(evaluator_, index.place, evaluator_.value(index));
  const int64_t rows = ceil_div(ref.rows(), std::max<int64_t>(1, shape.rows));
  const int64_t cols = ceil_div(ref.cols(), std::max<int64_t>(1, shape.cols));
  if (evaluator_.failed()) return {};
  if (found.rows >= 0 && found.rows < rows && found.cols >= 0 && found.cols < cols)
    return {found.rows, found.cols};
  evaluator_.fail(index.place, fmt::format("block ({}, {}) of an array of {} × {} blocks", found.rows,
                                           found.cols, rows, cols));
  return {};
}

void Lowering::pipeline(const Statement& s) {
  const Expr& over = s.values[0];
  Pipeline tiles;
  for (size_t i = 1; i < over.parts.size(); ++i) {
    const int64_t number = evaluator_.number(over.parts[i]);
    if (over.keys[i] == "buffers") {
      tiles.buffers = number;
    } else {
      tiles.grid.push_back(number);
    }
  }
  if (evaluator_.failed()) return;
  if (tiles.grid.empty() || tiles.grid.size() > 3 || tiles.grid.size() != s.targets.size())
    return evaluator_.fail(s.place, "a pipeline has a name for each of its one to three axes");
  if (tiles.buffers < 1 || tiles.buffers > 8)
    return evaluator_.fail(s.place, "a pipeline has 1 to 8 buffers an operand");
  const auto bind = [&](const GridIndex& at) {
    for (size_t a = 0; a < at.size(); ++a) evaluator_.variable(s.targets[a]) = {at[a]};
  };
  std::vector<int32_t> reads, writes;  // the names of their blocks
  size_t blocks = 0;
  for (; blocks < s.body.size() && s.body[blocks].kind == Statement::Kind::assign; ++blocks) {
    const Statement& spec = s.body[blocks];
    const Expr& e = spec.values[0];
    const bool named = spec.values.size() == 1 && e.kind == Expr::Kind::call;
    const bool in = named && evaluator_.is_named(e.parts[0], "block_in");
    if (!in && !(named && evaluator_.is_named(e.parts[0], "block_out"))) break;
    if (e.parts.size() != 4) return evaluator_.fail(e.place, "expected a buffer, a shape and an index");
    const Value ref = evaluator_.value(e.parts[1]);
    const Extent shape = extent_of(evaluator_, e.parts[2].place, evaluator_.value(e.parts[2]));
    if (evaluator_.failed()) return;
    if (!std::holds_alternative<Ref>(ref.is))
      return evaluator_.fail(e.parts[1].place, fmt::format("expected a buffer, got {}", kind_text(ref)));
    const Expr& index = e.parts[3];
    BlockSpec block;
    block.ref = std::get<Ref>(ref.is);
    block.rows = shape.rows;
    block.cols = shape.cols;
    block.name = evaluator_.name(spec.targets[0]);
    block.index = [this, &index, bind, ref = block.ref, shape](const GridIndex& at) {
      bind(at);
      return block_index(index, ref, shape);
    };
    (in ? tiles.inputs : tiles.outputs).push_back(std::move(block));
    (in ? reads : writes).push_back(spec.targets[0]);
  }
  emit_pipeline(
      evaluator_.kernel(), tiles,
      [&](const PipelineStep& step) {
        bind(step.at);
        for (size_t i = 0; i < reads.size(); ++i) evaluator_.variable(reads[i]) = {step.inputs[i]};
        for (size_t i = 0; i < writes.size(); ++i) evaluator_.variable(writes[i]) = {step.outputs[i]};
        if (enough(s.place)) run(s.body, blocks);
      },
      At(s.place.line));
  if (evaluator_.failed()) evaluator_.kernel().blame(s.place.line, s.place.column);
}

void Lowering::scope(const Statement& s) {
  Kernel& k = evaluator_.kernel();
  const At line(s.place.line);
  std::vector<Ref> made;
  for (size_t i = 0; i < s.values.size(); ++i) {
    const Expr& e = s.values[i];
    const bool vmem = e.kind == Expr::Kind::call && evaluator_.is_named(e.parts[0], "vmem") &&
                      e.parts.size() >= 2 && e.parts.size() <= 3;
    if (!vmem)
      return evaluator_.fail(e.place, "a block has buffers in vmem, as in with vmem((8, 128)) as a:");
    const Extent shape = extent_of(evaluator_, e.parts[1].place, evaluator_.value(e.parts[1]));
    ElementType type = k.options().dtype;
    if (e.parts.size() == 3) {
      const Value given = evaluator_.value(e.parts[2]);
      if (!std::holds_alternative<ElementType>(given.is))
        return evaluator_.fail(e.parts[2].place, "expected f32, bf16, f16 or dtype");
      type = std::get<ElementType>(given.is);
    }
    if (evaluator_.failed()) return;
    made.push_back(k.scoped(evaluator_.name(s.targets[i]), shape.rows, shape.cols, type, line));
    evaluator_.variable(s.targets[i]) = {made.back()};
  }
  run(s.body);
  for (size_t i = made.size(); i-- > 0;) k.end_scope(made[i], line);
}

}  // namespace shardscope::kernels
