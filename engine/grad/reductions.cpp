// SPDX-License-Identifier: Apache-2.0
// Derivatives of reductions, over dimensions and in windows.
#include <algorithm>

#include "engine/grad/turn.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline grad {
namespace {

using Dims = std::vector<int64_t>;

Dims kept_dims(const GradTurn& t) {
  Dims out;
  for (int64_t d = 0; d < static_cast<int64_t>(t.operand_shape(0).rank()); ++d)
    if (std::ranges::count(*t.at().dimensions, d) == 0) out.push_back(d);
  return out;
}

InstructionId spread(const GradTurn& t, InstructionId id) {
  return t.page().broadcast(id, t.operand_dims(0), kept_dims(t));
}

void give_sum(const GradTurn& t) {
  t.give(0, spread(t, t.bar()));
}

// To all that are the extreme one, in equal shares.
void give_extreme(const GradTurn& t) {
  GradPage& page = t.page();
  const ElementType type = t.operand_shape(0).type;
  const InstructionId is =
      page.convert(page.compare(t.operand(0), spread(t, t.result()), CompareDirection::eq), type);
  const InstructionId count = page.reduce(Opcode::add, is, t.at().dimensions);
  t.give(0, page.op(Opcode::multiply, {spread(t, page.op(Opcode::divide, {t.bar(), count})), is}));
}

// The product of the others: of all by itself, where none is zero; where one is, of what is not.
void give_product(const GradTurn& t) {
  GradPage& page = t.page();
  const InstructionId x = t.operand(0), none = page.zeros(page.shape(x)),
                      one = page.constant(page.shape(x), 1);
  const InstructionId zero = page.compare(x, none, CompareDirection::eq);
  const InstructionId filled = page.select(zero, one, x);
  const InstructionId others = page.reduce(Opcode::multiply, filled, t.at().dimensions);
  const InstructionId zeros = page.reduce(Opcode::add, page.select(zero, one, none), t.at().dimensions);
  const InstructionId besides = page.op(Opcode::subtract, {spread(t, zeros), page.select(zero, one, none)});
  const InstructionId counts = page.compare(besides, none, CompareDirection::eq);
  const InstructionId each =
      page.op(Opcode::divide, {spread(t, page.op(Opcode::multiply, {t.bar(), others})), filled});
  t.give(0, page.select(counts, each, none));
}

// Of a pair (value, place) of which one is picked: to the value at that place.
Result<void> give_picked(const GradTurn& t) {
  if (t.operand_count() != 4 || !is_integer(t.operand_shape(1).type))
    return t.error(
        "only reductions by add, multiply, maximum, minimum and picks of an array's place have one");
  GradPage& page = t.page();
  const InstructionId place = page.element(t.result(), 1);
  const InstructionId is = page.compare(t.operand(1), spread(t, place), CompareDirection::eq);
  const InstructionId bar = spread(t, t.bar());
  t.give(0, page.select(is, bar, page.zeros(page.shape(bar))));
  return {};
}

// By element of the operand the sum of `bar` over the windows that it is in: a window sum is a convolution
// with ones, so it is turned back as one.
InstructionId turned_back(const GradTurn& t, const std::vector<WindowDim>& window, InstructionId bar) {
  GradPage& page = t.page();
  Window back;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    const int64_t size = (w.size - 1) * w.window_dilation + 1;
    const auto dilated = [](int64_t n, int64_t by) { return n == 0 ? 0 : (n - 1) * by + 1; };
    const int64_t input = dilated(t.operand_dims(0)[d], w.base_dilation),
                  output = dilated(t.at().shape.dims[d], w.stride);
    WindowDim made{w.size, w.base_dilation, size - w.low - 1, 0, w.stride, w.window_dilation, false};
    made.high = input + size - 1 - output - made.low;
    back.dims.push_back(made);
  }
  const InstructionId start = page.zeros(Shape::scalar(t.at().shape.type));
  const InstructionId made =
      page.op(Opcode::reduce_window, Shape::array(t.at().shape.type, t.operand_dims(0)), {bar, start});
  page.edit(made).attributes = std::move(back);
  page.edit(made).called = {{"to_apply", page.module().reducer(Opcode::add, t.at().shape.type)}};
  return made;
}

// The window of the result over an array like the operand.
InstructionId windowed(const GradTurn& t, const std::vector<WindowDim>& window, InstructionId of,
                       Opcode with) {
  GradPage& page = t.page();
  const ElementType type = t.at().shape.type;
  const InstructionId start = page.constant(Shape::scalar(type), neutral(with));
  const InstructionId made =
      page.op(Opcode::reduce_window, Shape::array(type, t.at().shape.dims), {of, start});
  page.edit(made).attributes = Window{window};
  page.edit(made).called = {{"to_apply", page.module().reducer(with, type)}};
  return made;
}

// The product of the others in each window: where one is zero, of what is not, as in give_product.
Result<void> give_window_product(const GradTurn& t, const std::vector<WindowDim>& window) {
  GradPage& page = t.page();
  const InstructionId x = t.operand(0), none = page.zeros(page.shape(x)),
                      one = page.constant(page.shape(x), 1);
  const InstructionId zero = page.compare(x, none, CompareDirection::eq);
  const InstructionId filled = page.select(zero, one, x);
  const InstructionId product = windowed(t, window, filled, Opcode::multiply);
  const InstructionId zeros = windowed(t, window, page.select(zero, one, none), Opcode::add);
  const InstructionId each = page.op(Opcode::multiply, {t.bar(), product});
  const auto over_windows_with = [&](double count) {
    const InstructionId with =
        page.compare(zeros, page.constant(page.shape(zeros), count), CompareDirection::eq);
    return turned_back(t, window, page.select(with, each, page.zeros(page.shape(each))));
  };
  const InstructionId sum = page.select(zero, over_windows_with(1), over_windows_with(0));
  t.give(0, page.op(Opcode::divide, {sum, filled}));
  return {};
}

Result<void> give_window_sum(const GradTurn& t, const std::vector<WindowDim>& window) {
  t.give(0, turned_back(t, window, t.bar()));
  return {};
}

Computation comparison_of(GradModule& module, ElementType type, CompareDirection direction) {
  GradPage page(module, "picks");
  const InstructionId a = page.parameter(0, Shape::scalar(type), "a");
  const InstructionId b = page.parameter(1, Shape::scalar(type), "b");
  const InstructionId root = page.compare(a, b, direction);
  return std::move(page).finish(root);
}

// To the first that is the extreme one of its window.
Result<void> give_window_extreme(const GradTurn& t, const std::vector<WindowDim>& window,
                                 CompareDirection picks) {
  for (const WindowDim& w : window)
    if (w.base_dilation != 1 || w.window_dilation != 1 || w.reversed)
      return t.error("its window is dilated or reversed");
  GradPage& page = t.page();
  const ElementType type = t.at().shape.type;
  const ComputationId select = page.module().add(comparison_of(page.module(), type, picks));
  const ComputationId scatter = page.module().reducer(Opcode::add, type);
  const InstructionId made = page.op(Opcode::select_and_scatter, Shape::array(type, t.operand_dims(0)),
                                     {t.operand(0), t.bar(), page.zeros(Shape::scalar(type))});
  page.edit(made).attributes = Window{window};
  page.edit(made).called = {{"select", select}, {"scatter", scatter}};
  t.give(0, made);
  return {};
}
Result<void> give_window_largest(const GradTurn& t, const std::vector<WindowDim>& window) {
  return give_window_extreme(t, window, CompareDirection::ge);
}
Result<void> give_window_smallest(const GradTurn& t, const std::vector<WindowDim>& window) {
  return give_window_extreme(t, window, CompareDirection::le);
}

const Computation& selection(const GradTurn& t) {
  return called_by(t.sweep.program(), t.at(), "select");
}

// (x, y) of two pairs whose x is selected.
Computation picked_pair(const GradTurn& t, ElementType type, CompareDirection direction) {
  GradPage page(t.page().module(), "pick");
  const Shape one = Shape::scalar(type);
  const InstructionId a = page.parameter(0, one, "a"), a_bar = page.parameter(1, one, "a.bar"),
                      b = page.parameter(2, one, "b"), b_bar = page.parameter(3, one, "b.bar");
  const InstructionId first = page.compare(a, b, direction);
  const InstructionId root = page.tuple({page.select(first, a, b), page.select(first, a_bar, b_bar)});
  return std::move(page).finish(root);
}

}  // namespace

// Where the window's selected element is, its cotangent is: windows of pairs.
Result<void> grad_select_and_scatter(const GradTurn& t) {
  if (t.wants(2)) return t.error("its initial value depends on what the gradient is taken by");
  if (!t.wants(1)) return {};
  const Instruction& select = selection(t).root_instruction();
  const CompareDirection direction = comparison(select);
  const bool largest = direction == CompareDirection::ge || direction == CompareDirection::gt;
  if (select.opcode != Opcode::compare || direction == CompareDirection::eq ||
      direction == CompareDirection::ne)
    return t.error("it selects neither the largest nor the smallest");
  GradPage& page = t.page();
  TRY(const std::vector<WindowDim> window, window_dims(t.at(), t.operand_shape(0).rank()));
  const ElementType type = t.at().shape.type;
  const ComputationId pick = page.module().add(picked_pair(t, type, direction));
  const Shape result = Shape::array(type, t.operand_dims(1)), one = Shape::scalar(type);
  const InstructionId start = page.literal(one, largest ? "-inf" : "inf");
  const InstructionId pairs = page.op(Opcode::reduce_window, Shape::tuple({result, result}),
                                      {t.operand(0), t.bar(), start, page.zeros(one)});
  page.edit(pairs).attributes = Window{window};
  page.edit(pairs).called = {{"to_apply", pick}};
  t.give(1, page.element(pairs, 1));
  return {};
}

Result<void> grad_reduce(const GradTurn& t) {
  GradPage& page = t.page();
  if (t.at().shape.is_tuple) return give_picked(t);
  const Opcode reducer = reducer_opcode(t.sweep.program(), t.at());
  if (t.wants(1)) {
    if (reducer != Opcode::add) return t.error("its initial value depends on what the gradient is taken by");
    t.give(1, page.reduce(Opcode::add, t.bar(), iota_dims(t.at().shape.rank())));
  }
  if (!t.wants(0)) return {};
  static const OpTable<void (*)(const GradTurn&)> rules({}, {{Opcode::add, &give_sum},
                                                             {Opcode::multiply, &give_product},
                                                             {Opcode::maximum, &give_extreme},
                                                             {Opcode::minimum, &give_extreme}});
  const auto rule = rules[reducer];
  if (rule == nullptr) return t.error("only reductions by add, multiply, maximum and minimum have one");
  rule(t);
  return {};
}

Result<void> grad_reduce_window(const GradTurn& t) {
  const Opcode reducer = reducer_opcode(t.sweep.program(), t.at());
  TRY(const std::vector<WindowDim> window, window_dims(t.at(), t.operand_shape(0).rank()));
  if (t.at().shape.is_tuple || t.wants(1)) return t.error("only windows of one array have one");
  using WindowRule = Result<void> (*)(const GradTurn&, const std::vector<WindowDim>&);
  static const OpTable<WindowRule> rules({}, {{Opcode::add, &give_window_sum},
                                              {Opcode::multiply, &give_window_product},
                                              {Opcode::maximum, &give_window_largest},
                                              {Opcode::minimum, &give_window_smallest}});
  const WindowRule rule = rules[reducer];
  if (rule == nullptr) return t.error("only windows by add, multiply, maximum and minimum have one");
  return rule(t, window);
}

}  // namespace shardscope::inline grad
