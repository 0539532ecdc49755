// SPDX-License-Identifier: Apache-2.0
// reduce and reduce-window: folds of dimensions and of windows.
#include <algorithm>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/lifted.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

using Dims = std::vector<int64_t>;
using Places = std::vector<int64_t>;

// Places from which a window reads, as [window place][output element]; -1: padding.
std::vector<Places> window_reads(const std::vector<WindowDim>& window, const Dims& from, const Dims& to,
                                 const std::stop_token& stop) {
  std::vector<Places> reads = {{0}};  // of the dimensions so far
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    std::vector<Places> next;
    for (const Places& before : reads) {
      for (int64_t k = 0; k < w.size && !stop.stop_requested(); ++k) {
        Places places;
        for (const int64_t base : before) {
          for (int64_t o = 0; o < to[d]; ++o) {
            const int64_t tap = w.reversed ? w.size - 1 - k : k;
            const int64_t at = o * w.stride + tap * w.window_dilation - w.low;
            const bool inside =
                base >= 0 && at >= 0 && at % w.base_dilation == 0 && at / w.base_dilation < from[d];
            places.push_back(inside ? base * from[d] + at / w.base_dilation : -1);
          }
        }
        next.push_back(std::move(places));
      }
    }
    reads = std::move(next);
  }
  return reads;
}

// Arrays and initial values of reduce and reduce-window: as many of one as of the other.
Result<size_t> folded_arrays(const Step& step) {
  const Instruction& i = step.at();
  const size_t arrays = i.operands.size() / 2;
  const bool several = i.shape.is_tuple ? i.shape.elements.size() == arrays : arrays == 1;
  if (i.operands.size() != 2 * arrays || arrays == 0 || !several)
    return invalid(
        "got " + std::to_string(i.operands.size()) + " operands, expected arrays and initial values",
        "%" + i.name);
  for (size_t a = 0; a < i.operands.size(); ++a) {
    const Shape& shape = step.operand_shape(a);
    if (shape.is_tuple || !element::has_arrays(shape.type) || (a >= arrays && shape.rank() != 0) ||
        (a > 0 && a < arrays && shape.dims != step.operand_shape(0).dims))
      return invalid("cannot fold " + shape.text(), "%" + i.name);
  }
  return arrays;
}

// `rows[a][device]`: arrays of [steps · count] elements in the order of folding.
Result<void> fold_rows(Step& step, int64_t steps, int64_t count, const ArrayViews& rows) {
  const size_t arrays = rows.size();
  ArrayViews state(arrays);
  for (size_t a = 0; a < arrays; ++a)
    for (const ViewPtr& start : step.views(arrays + a))
      state[a].push_back(std::make_shared<View>(start->broadcast({count}, {})));
  for (int64_t n = 0; n < steps && count > 0; ++n) {
    ArrayViews arguments = state;
    for (const std::vector<ViewPtr>& row : rows) {
      std::vector<ViewPtr>& next = arguments.emplace_back();
      for (const ViewPtr& view : row)
        next.push_back(std::make_shared<View>(*view->slice(0, n * count, (n + 1) * count)));
    }
    TRY(state, apply_lifted(step.run, {step.at()}, count, arguments));
    if (state.size() != arrays)
      return invalid("its computation gives " + std::to_string(state.size()) + " results, expected " +
                         std::to_string(arrays),
                     "%" + step.at().name);
  }
  give_parts(step, state);
  return {};
}

// Reduced dimensions first, in order: then one index of these is a row of kept elements.
struct FoldOrder {
  Dims order;
  int64_t steps = 1, count = 1;  // reduced and kept elements
};
FoldOrder fold_order(const Dims& dims, const Dims& reduced) {
  FoldOrder out{reduced};
  std::sort(out.order.begin(), out.order.end());
  for (const int64_t d : out.order) out.steps *= dims[static_cast<size_t>(d)];
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    if (std::count(reduced.begin(), reduced.end(), d) > 0) continue;
    out.order.push_back(d);
    out.count *= dims[static_cast<size_t>(d)];
  }
  return out;
}

std::vector<ViewPtr> turned(const Step& step, std::vector<ViewPtr> views, const Dims& order) {
  for (ViewPtr& view : views) view = std::make_shared<View>(view->transpose(order));
  return step.plain(views);
}

Result<void> reduce_by_any(Step& step) {
  TRY(const size_t arrays, folded_arrays(step));
  const FoldOrder fold = fold_order(step.operand_shape(0).dims, step.at().dimensions);
  ArrayViews rows(arrays);
  for (size_t a = 0; a < arrays; ++a) {
    rows[a] = turned(step, step.arrays(a), fold.order);
    for (ViewPtr& row : rows[a]) row = std::make_shared<View>(*row->reshape({fold.steps * fold.count}));
  }
  return fold_rows(step, fold.steps, fold.count, rows);
}

void reduce_by(Step& step, ElementwiseKernel::Two kernel) {
  const Instruction& i = step.at();
  const FoldOrder fold = fold_order(step.operand_shape(0).dims, i.dimensions);
  const std::vector<ViewPtr> views = turned(step, step.views(0), fold.order);
  std::vector<Array> results = step.new_arrays();
  for (size_t d = 0; d < step.devices(); ++d)
    copy_to(step.view(1, d)->broadcast(i.shape.dims, {}), results[d].mutable_data());
  for_stretches(step.devices(), fold.count, step.run.workers, step.run.stop,
                [&](size_t d, int64_t first, int64_t count) {
                  std::byte* out = results[d].mutable_data() + stored_bytes(i.shape.type, first);
                  for (int64_t r = 0; r < fold.steps; ++r)
                    kernel(out, views[d]->data() + stored_bytes(i.shape.type, r * fold.count + first), out,
                           count);
                });
  step.give(results);
}

}  // namespace

// Folds in row-major order of the reduced dimensions, starting from the initial value.
Result<void> run_reduce(Step& step) {
  const Instruction& i = step.at();
  const bool one_array = i.operands.size() == 2 && !i.shape.is_tuple;
  const auto reducer = one_array ? reducer_of(step.run.program, i) : Result<Opcode>(Opcode::unknown);
  const auto kernel = reducer.ok() ? elementwise_kernel(*reducer, i.shape.type).two : nullptr;
  if (kernel == nullptr) return reduce_by_any(step);
  if (!element::has_arrays(step.operand_shape(0).type)) return cannot_compute(i);
  reduce_by(step, kernel);
  return {};
}

// Element by element, of scalars of each operand.
Result<void> run_map(Step& step) {
  const Instruction& i = step.at();
  const int64_t count = i.shape.element_count();
  ArrayViews arguments;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (!element::has_arrays(step.operand_shape(k).type)) return cannot_compute(i);
    std::vector<ViewPtr>& rows = arguments.emplace_back(step.arrays(k));
    for (ViewPtr& row : rows) row = std::make_shared<View>(*row->reshape({count}));
  }
  TRY(const ArrayViews made, apply_lifted(step.run, {i}, count, arguments));
  give_parts(step, made);
  forget_lifted(step.run, {i}, count);
  return {};
}

Result<void> run_reduce_window(Step& step) {
  const Instruction& i = step.at();
  TRY(const size_t arrays, folded_arrays(step));
  const Dims& from = step.operand_shape(0).dims;
  const Shape& result = i.shape.is_tuple ? i.shape.elements[0] : i.shape;
  TRY(const std::vector<WindowDim> window, window_dims(i, from.size()));
  bool fits = result.rank() == from.size();
  for (size_t d = 0; fits && d < from.size(); ++d) fits = result.dims[d] == window_places(window[d], from[d]);
  if (!fits) return invalid("the window does not give " + result.text(), "%" + i.name);
  const auto reads = window_reads(window, from, result.dims, step.run.stop);
  if (step.run.stop.stop_requested()) return cancelled();
  const int64_t count = result.element_count(), steps = static_cast<int64_t>(reads.size());
  ArrayViews rows(arrays);
  for (size_t a = 0; a < arrays; ++a) {
    const auto operand = step.arrays(a), initial = step.arrays(arrays + a);
    const auto size = static_cast<size_t>(stored_bytes(operand[0]->type(), 1));
    for (size_t d = 0; d < step.devices(); ++d) {
      Array array = step.run.pool.take(operand[d]->type(), {steps * count});
      std::byte* out = array.mutable_data();
      for (const Places& places : reads) {
        if (step.run.stop.stop_requested()) return cancelled();
        for (const int64_t place : places) {
          const std::byte* source =
              place < 0 ? initial[d]->data() : operand[d]->data() + static_cast<size_t>(place) * size;
          out = std::copy(source, source + size, out);
        }
      }
      rows[a].push_back(std::make_shared<View>(View::of(array)));
    }
  }
  return fold_rows(step, steps, count, rows);
}

}  // namespace shardscope::inline numerics
