// SPDX-License-Identifier: Apache-2.0
// Instructions that apply a computation of scalars to many elements: reduce with any computation, windows,
// sort. The computation is lifted: the same instructions on whole arrays of elements.
#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {

namespace {

bool is_scalar_shape(const Shape& shape) {
  if (shape.is_tuple) return std::all_of(shape.elements.begin(), shape.elements.end(), is_scalar_shape);
  return shape.rank() == 0;
}

Shape with_elements(const Shape& scalar, int64_t count) {
  if (!scalar.is_tuple) return Shape::array(scalar.type, {count});
  std::vector<Shape> elements;
  for (const Shape& element : scalar.elements) elements.push_back(with_elements(element, count));
  return Shape::tuple(std::move(elements));
}

bool lifts(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::tuple:
    case Opcode::get_tuple_element:
    case Opcode::copy:
    case Opcode::bitcast:
    case Opcode::reshape:
    case Opcode::broadcast:
      return is_scalar_shape(i.shape);
    default:
      return is_elementwise(i.opcode) && is_scalar_shape(i.shape);
  }
}

// Places from which a window reads, as [window place][output element]; -1: padding.
std::vector<std::vector<int64_t>> window_reads(const std::vector<WindowDim>& window,
                                               const std::vector<int64_t>& from,
                                               const std::vector<int64_t>& to) {
  std::vector<std::vector<int64_t>> reads = {{0}};  // of the dimensions so far: [place][output]
  std::vector<int64_t> outputs = {0};
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    std::vector<std::vector<int64_t>> next;
    for (const std::vector<int64_t>& before : reads) {
      for (int64_t k = 0; k < w.size; ++k) {
        std::vector<int64_t> places;
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

}  // namespace

const Computation* Interpreter::called_computation(const Instruction& i, std::string_view key) const {
  for (const CalledComputation& called : i.called)
    if (called.key == key) return &program_.computation(called.computation);
  return nullptr;
}

Result<const Computation*> Interpreter::lifted(const Instruction& caller, int64_t count) {
  const Computation* scalar = called_computation(caller, "to_apply");
  if (scalar == nullptr) return invalid("needs to_apply", "%" + caller.name);
  std::unique_ptr<Computation>& made = lifted_[{scalar, count}];
  if (made != nullptr) return static_cast<const Computation*>(made.get());
  auto out = std::make_unique<Computation>();
  out->name = scalar->name;
  std::vector<InstructionId> to;
  for (const Instruction& from : scalar->instructions) {
    if (!lifts(from)) {
      return invalid(
          "cannot apply " + scalar->name + " to many elements: its " +
              std::string(from.opcode == Opcode::unknown ? from.opcode_name : opcode_text(from.opcode)) +
              " '" + from.name + "' is not elementwise",
          "%" + caller.name, "run with numerics off to time it only");
    }
    Instruction i = from;
    for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
    if (i.opcode == Opcode::constant) {
      out->instructions.push_back(i);
      i.opcode = Opcode::broadcast;
      i.literal.clear();
      i.operands = {InstructionId(static_cast<int64_t>(out->instructions.size()) - 1)};
    } else if (i.opcode == Opcode::bitcast || i.opcode == Opcode::reshape || i.opcode == Opcode::broadcast) {
      i.opcode = Opcode::copy;
    }
    i.shape = with_elements(from.shape, count);
    out->instructions.push_back(std::move(i));
    to.push_back(InstructionId(static_cast<int64_t>(out->instructions.size()) - 1));
  }
  out->root = to[static_cast<size_t>(scalar->root.value)];
  made = std::move(out);
  return static_cast<const Computation*>(made.get());
}

// [result][device] of a lifted computation on [parameter][device].
Result<std::vector<std::vector<ViewPtr>>> Interpreter::apply(
    const Instruction& caller, int64_t count, const std::vector<std::vector<ViewPtr>>& arguments) {
  TRY(const Computation* computation, lifted(caller, count));
  std::vector<DeviceValues> values;
  for (const std::vector<ViewPtr>& argument : arguments) {
    DeviceValues of_devices(devices_);
    for (size_t d = 0; d < devices_; ++d) of_devices[d].view = argument[d];
    values.push_back(std::move(of_devices));
  }
  TRY(const DeviceValues results, run_computation(*computation, std::move(values)));
  const Shape& shape = computation->root_instruction().shape;
  const size_t parts = shape.is_tuple ? shape.elements.size() : 1;
  std::vector<std::vector<ViewPtr>> out(parts);
  for (size_t p = 0; p < parts; ++p) {
    const ElementType type = shape.is_tuple ? shape.elements[p].type : shape.type;
    for (size_t d = 0; d < devices_; ++d)
      out[p].push_back(view_of(shape.is_tuple ? results[d].elements.at(p) : results[d], type));
  }
  return out;
}

void Interpreter::set_parts(Frame& frame, InstructionId id, const std::vector<std::vector<ViewPtr>>& parts) {
  const Shape& shape = frame.at(id).shape;
  for (size_t d = 0; d < devices_; ++d) {
    DeviceValue& value = frame.of(id)[d];
    for (size_t p = 0; p < parts.size(); ++p) {
      const std::vector<int64_t>& dims = shape.is_tuple ? shape.elements[p].dims : shape.dims;
      const ViewPtr plain = materialise(std::span(&parts[p][d], 1), pool_, workers_, stop_).front();
      const auto view = std::make_shared<View>(*plain->reshape(dims));
      if (!shape.is_tuple) {
        value.view = view;
      } else {
        value.elements.emplace_back();
        value.elements.back().view = view;
      }
    }
  }
}

// Arrays and initial values of reduce and reduce-window: as many of one as of the other.
Result<size_t> Interpreter::folded_arrays(const Frame& frame, InstructionId id) const {
  const Instruction& i = frame.at(id);
  const size_t arrays = i.operands.size() / 2;
  const bool several = i.shape.is_tuple ? i.shape.elements.size() == arrays : arrays == 1;
  if (i.operands.size() != 2 * arrays || arrays == 0 || !several)
    return invalid(
        "got " + std::to_string(i.operands.size()) + " operands, expected arrays and initial values",
        "%" + i.name);
  for (size_t a = 0; a < i.operands.size(); ++a) {
    const Shape& shape = frame.at(i.operands[a]).shape;
    if (shape.is_tuple || !element::has_arrays(shape.type) || (a >= arrays && shape.rank() != 0) ||
        (a > 0 && a < arrays && shape.dims != frame.at(i.operands[0]).shape.dims))
      return invalid("cannot fold " + shape.text(), "%" + i.name);
  }
  return arrays;
}

// `rows[a][device]`: arrays of [steps · count] elements in the order of folding.
Result<void> Interpreter::fold_rows(Frame& frame, InstructionId id, int64_t steps, int64_t count,
                                    const std::vector<std::vector<ViewPtr>>& rows) {
  const Instruction& i = frame.at(id);
  const size_t arrays = rows.size();
  std::vector<std::vector<ViewPtr>> state(arrays);
  for (size_t a = 0; a < arrays; ++a) {
    const ElementType type = frame.at(i.operands[arrays + a]).shape.type;
    for (size_t d = 0; d < devices_; ++d) {
      const ViewPtr start = view_of(frame.operand(id, arrays + a, d), type);
      state[a].push_back(std::make_shared<View>(start->broadcast({count}, {})));
    }
  }
  for (int64_t step = 0; step < steps && count > 0; ++step) {
    std::vector<std::vector<ViewPtr>> arguments = state;
    for (const std::vector<ViewPtr>& row : rows) {
      arguments.emplace_back();
      for (size_t d = 0; d < devices_; ++d) {
        const int64_t first = step * count;
        arguments.back().push_back(std::make_shared<View>(*row[d]->slice(0, first, first + count)));
      }
    }
    TRY(state, apply(i, count, arguments));
    if (state.size() != arrays)
      return invalid("its computation gives " + std::to_string(state.size()) + " results, expected " +
                         std::to_string(arrays),
                     "%" + i.name);
  }
  set_parts(frame, id, state);
  return {};
}

Result<void> Interpreter::fold(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const size_t arrays, folded_arrays(frame, id));
  const std::vector<int64_t>& dims = frame.at(i.operands[0]).shape.dims;
  std::vector<int64_t> order = i.dimensions;
  std::sort(order.begin(), order.end());
  int64_t steps = 1, count = 1;
  for (const int64_t d : order) steps *= dims[static_cast<size_t>(d)];
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    if (std::count(i.dimensions.begin(), i.dimensions.end(), d) > 0) continue;
    order.push_back(d);
    count *= dims[static_cast<size_t>(d)];
  }
  std::vector<std::vector<ViewPtr>> rows(arrays);
  for (size_t a = 0; a < arrays; ++a) {
    for (const ViewPtr& view : arrays_of(frame, id, a))
      rows[a].push_back(std::make_shared<View>(view->transpose(order)));
    rows[a] = materialise(rows[a], pool_, workers_, stop_);
    for (ViewPtr& row : rows[a]) row = std::make_shared<View>(*row->reshape({steps * count}));
  }
  return fold_rows(frame, id, steps, count, rows);
}

Result<void> Interpreter::execute_reduce_window(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const size_t arrays, folded_arrays(frame, id));
  const std::vector<int64_t>& from = frame.at(i.operands[0]).shape.dims;
  const Shape& result = i.shape.is_tuple ? i.shape.elements[0] : i.shape;
  TRY(const std::vector<WindowDim> window, window_dims(i, from.size()));
  if (result.rank() != from.size()) return invalid("the window does not give " + result.text(), "%" + i.name);
  for (size_t d = 0; d < from.size(); ++d)
    if (result.dims[d] != window_places(window[d], from[d]))
      return invalid("the window does not give " + result.text(), "%" + i.name);
  const auto reads = window_reads(window, from, result.dims);
  const int64_t count = result.element_count(), steps = static_cast<int64_t>(reads.size());
  std::vector<std::vector<ViewPtr>> rows(arrays);
  for (size_t a = 0; a < arrays; ++a) {
    const auto operand = arrays_of(frame, id, a), initial = arrays_of(frame, id, arrays + a);
    const auto size = static_cast<size_t>(byte_size(operand[0]->type(), 1));
    for (size_t d = 0; d < devices_; ++d) {
      Array array = pool_.take(operand[d]->type(), {steps * count});
      std::byte* out = array.mutable_data();
      for (const std::vector<int64_t>& places : reads) {
        for (const int64_t place : places) {
          const std::byte* source =
              place < 0 ? initial[d]->data() : operand[d]->data() + static_cast<size_t>(place) * size;
          std::copy(source, source + size, out);
          out += size;
        }
      }
      rows[a].push_back(std::make_shared<View>(View::of(array)));
    }
  }
  return fold_rows(frame, id, steps, count, rows);
}

// Every element's rank among its row: for each distance s it is held against the element s places on. Stable
// whether asked for or not.
Result<void> Interpreter::execute_sort(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const Shape& shape = frame.at(i.operands[0]).shape;
  if (i.dimensions.size() != 1 || i.dimensions[0] < 0 ||
      i.dimensions[0] >= static_cast<int64_t>(shape.rank()))
    return invalid("sort needs one dimension of its operands", "%" + i.name);
  const int64_t n = shape.dims[static_cast<size_t>(i.dimensions[0])];
  const int64_t count = shape.element_count(), rows = n == 0 ? 0 : count / n;
  std::vector<int64_t> order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + i.dimensions[0]);
  order.push_back(i.dimensions[0]);
  std::vector<std::vector<ViewPtr>> arrays;
  for (size_t a = 0; a < i.operands.size(); ++a) {
    if (frame.at(i.operands[a]).shape.dims != shape.dims)
      return invalid("sort of unequal arrays", "%" + i.name);
    std::vector<ViewPtr> turned;
    for (const ViewPtr& view : arrays_of(frame, id, a))
      turned.push_back(std::make_shared<View>(view->transpose(order)));
    turned = materialise(turned, pool_, workers_, stop_);
    for (ViewPtr& view : turned) view = std::make_shared<View>(*view->reshape({rows, n}));
    arrays.push_back(std::move(turned));
  }
  std::vector<std::vector<int64_t>> rank(devices_, std::vector<int64_t>(static_cast<size_t>(count)));
  for (int64_t s = 1; s < n && count > 0; ++s) {
    std::vector<std::vector<ViewPtr>> arguments;  // (x[k+s], x[k]) of each array
    for (const std::vector<ViewPtr>& array : arrays) {
      std::vector<ViewPtr> later, earlier;
      for (const ViewPtr& view : array) {
        const auto a = view->slice(1, s, n), b = view->slice(1, 0, n - s);
        const ViewPtr both[2] = {std::make_shared<View>(*a), std::make_shared<View>(*b)};
        const auto plain = materialise(both, pool_, workers_, stop_);
        later.push_back(std::make_shared<View>(*plain[0]->reshape({rows * (n - s)})));
        earlier.push_back(std::make_shared<View>(*plain[1]->reshape({rows * (n - s)})));
      }
      arguments.push_back(std::move(later));
      arguments.push_back(std::move(earlier));
    }
    TRY(const auto before, apply(i, rows * (n - s), arguments));
    const auto truth = materialise(before.front(), pool_, workers_, stop_);
    for (size_t d = 0; d < devices_; ++d) {
      const std::byte* comes_first = truth[d]->data();
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t k = 0; k < n - s; ++k)
          ++rank[d][static_cast<size_t>(row * n + (*comes_first++ != std::byte{} ? k : k + s))];
    }
    lifted_.erase({called_computation(i, "to_apply"), rows * (n - s)});
  }
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d) back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  std::vector<int64_t> turned_dims;
  for (const int64_t d : order) turned_dims.push_back(shape.dims[static_cast<size_t>(d)]);
  std::vector<std::vector<ViewPtr>> sorted(arrays.size());
  for (size_t a = 0; a < arrays.size(); ++a) {
    const auto size = static_cast<size_t>(byte_size(arrays[a][0]->type(), 1));
    for (size_t d = 0; d < devices_; ++d) {
      Array array = pool_.take(arrays[a][d]->type(), turned_dims);
      for (int64_t e = 0; e < count; ++e) {
        const auto to = static_cast<size_t>(e / n * n + rank[d][static_cast<size_t>(e)]);
        const std::byte* from = arrays[a][d]->data() + static_cast<size_t>(e) * size;
        std::copy(from, from + size, array.mutable_data() + to * size);
      }
      sorted[a].push_back(std::make_shared<View>(View::of(array).transpose(back)));
    }
  }
  set_parts(frame, id, sorted);
  return {};
}

}  // namespace shardscope
