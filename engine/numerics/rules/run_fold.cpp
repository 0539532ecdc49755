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

constexpr int64_t kTogether = int64_t{1} << 24;  // elements of all devices that are laid out at a time

// Where each output element reads at the `place`th element of the window; -1: padding.
Places window_reads(const std::vector<WindowDim>& window, const Dims& from, const Dims& to, int64_t place) {
  std::vector<int64_t> taps(window.size());
  for (size_t d = window.size(); d-- > 0; place /= window[d].size) {
    const int64_t k = place % window[d].size;
    taps[d] = window[d].reversed ? window[d].size - 1 - k : k;
  }
  Places reads = {0};  // of the dimensions so far
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    Places next;
    next.reserve(reads.size() * static_cast<size_t>(to[d]));
    for (const int64_t base : reads) {
      for (int64_t o = 0; o < to[d]; ++o) {
        const int64_t at = o * w.stride + taps[d] * w.window_dilation - w.low;
        const bool inside =
            base >= 0 && at >= 0 && at % w.base_dilation == 0 && at / w.base_dilation < from[d];
        next.push_back(inside ? base * from[d] + at / w.base_dilation : -1);
      }
    }
    reads = std::move(next);
  }
  return reads;
}

// The elements at these places, or the first of `padding`, into `to` from its element `first` on.
void read_places(const Places& places, const View& from, const View& padding, int64_t first, Array& to) {
  const auto size = static_cast<size_t>(stored_bytes(from.type(), 1));
  std::byte* out = to.mutable_data() + stored_bytes(from.type(), first);
  for (const int64_t place : places) {
    const std::byte* source = place < 0 ? padding.data() : from.data() + static_cast<size_t>(place) * size;
    out = std::copy(source, source + size, out);
  }
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

// By array and device `count` elements each, as folding begins with them.
ArrayViews first_state(Step& step, size_t arrays, int64_t count) {
  ArrayViews state(arrays);
  for (size_t a = 0; a < arrays; ++a)
    for (const ViewPtr& start : step.views(arrays + a))
      state[a].push_back(std::make_shared<View>(start->broadcast({count}, {})));
  return state;
}

// `rows[a][device]`: arrays of [steps · count] elements in the order of folding.
Result<void> fold_rows(Step& step, int64_t steps, int64_t count, const ArrayViews& rows, ArrayViews& state) {
  const size_t arrays = rows.size();
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
  ArrayViews state = first_state(step, arrays, fold.count);
  TRY_VOID(fold_rows(step, fold.steps, fold.count, rows, state));
  give_parts(step, state);
  return {};
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
  const int64_t count = result.element_count();
  int64_t steps = 1;
  for (const WindowDim& w : window) steps *= w.size;
  ArrayViews operands(arrays), initial(arrays), state = first_state(step, arrays, count);
  for (size_t a = 0; a < arrays; ++a) operands[a] = step.arrays(a), initial[a] = step.arrays(arrays + a);
  const auto devices = static_cast<int64_t>(step.devices());
  const int64_t together = std::max<int64_t>(1, kTogether / std::max<int64_t>(count * devices, 1));
  for (int64_t first = 0; first < steps; first += together) {
    const int64_t some = std::min(together, steps - first);
    std::vector<std::vector<Array>> laid_out(arrays);
    for (size_t a = 0; a < arrays; ++a)
      for (size_t d = 0; d < step.devices(); ++d)
        laid_out[a].push_back(step.run.pool.take(operands[a][d]->type(), {some * count}));
    for (int64_t n = 0; n < some; ++n) {
      if (step.run.stop.stop_requested()) return cancelled();
      const Places reads = window_reads(window, from, result.dims, first + n);
      for (size_t a = 0; a < arrays; ++a)
        for (size_t d = 0; d < step.devices(); ++d)
          read_places(reads, *operands[a][d], *initial[a][d], n * count, laid_out[a][d]);
    }
    ArrayViews rows(arrays);
    for (size_t a = 0; a < arrays; ++a)
      for (const Array& array : laid_out[a]) rows[a].push_back(std::make_shared<View>(View::of(array)));
    TRY_VOID(fold_rows(step, some, count, rows, state));
  }
  give_parts(step, state);
  return {};
}

}  // namespace shardscope::inline numerics
