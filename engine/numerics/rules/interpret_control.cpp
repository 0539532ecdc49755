// SPDX-License-Identifier: Apache-2.0
// Branches, and what compilers call by name.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {

namespace {

bool talks(const Program& program, const Computation& computation) {
  for (const Instruction& i : computation.instructions) {
    if (is_collective(i.opcode)) return true;
    for (const CalledComputation& called : i.called)
      if (called.key != "to_apply" || i.opcode == Opcode::call)
        if (talks(program, program.computation(called.computation))) return true;
  }
  return false;
}

}  // namespace

// Every branch that some device takes is executed once, on all devices; each keeps what its own branch gave.
Result<void> Interpreter::execute_conditional(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  std::vector<const Computation*> branches;
  for (const std::string_view key : {"true_computation", "false_computation"})
    if (const Computation* branch = called_computation(i, key)) branches.push_back(branch);
  for (const CalledComputation& called : i.called)
    if (called.key == "branch_computations") branches.push_back(&program_.computation(called.computation));
  const Shape& selector = frame.at(i.operands[0]).shape;
  const bool by_truth = selector.type == ElementType::pred;
  if (branches.empty() || i.operands.size() != branches.size() + 1 || selector.is_tuple ||
      selector.rank() != 0 || (by_truth && branches.size() != 2))
    return invalid("conditional needs a scalar and one operand per branch", "%" + i.name);
  std::vector<size_t> taken(devices_);
  for (size_t d = 0; d < devices_; ++d) {
    const int64_t value = scalar_of(frame.operand(id, 0, d));
    const auto last = static_cast<int64_t>(branches.size()) - 1;
    // Numbers outside of the branches take the last.
    taken[d] = static_cast<size_t>(by_truth                    ? (value != 0 ? 0 : 1)
                                   : value < 0 || value > last ? last
                                                               : value);
  }
  const std::set<size_t> used(taken.begin(), taken.end());
  for (const size_t branch : used) {
    if (used.size() > 1 && talks(program_, *branches[branch]))
      return invalid("cannot run a conditional whose branches differ between devices and hold collectives",
                     "%" + i.name);
    TRY(const DeviceValues results, run_computation(*branches[branch], {frame.of(i.operands[branch + 1])}));
    for (size_t d = 0; d < devices_; ++d)
      if (taken[d] == branch) frame.of(id)[d] = results[d];
  }
  return {};
}

// The k largest of each row of the last dimension, and their places; of equal ones the first.
Result<void> Interpreter::execute_top_k(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const Shape& from = frame.at(i.operands[0]).shape;
  const bool sound = i.operands.size() == 1 && i.shape.is_tuple && i.shape.elements.size() == 2 &&
                     from.rank() > 0 && element::has_arrays(from.type) &&
                     i.shape.elements[0].rank() == from.rank() && i.shape.elements[0].type == from.type &&
                     i.shape.elements[1].type == ElementType::s32 &&
                     i.shape.elements[0].dims == i.shape.elements[1].dims;
  const int64_t n = sound ? from.dims.back() : 0, k = sound ? i.shape.elements[0].dims.back() : 0;
  if (!sound || k > n || n == 0) return invalid("cannot run TopK of " + i.shape.text(), "%" + i.name);
  const int64_t rows = from.element_count() / n;
  if (i.shape.elements[0].element_count() != rows * k)
    return invalid("cannot run TopK of " + i.shape.text(), "%" + i.name);
  const auto operand = arrays_of(frame, id, 0);
  for (size_t d = 0; d < devices_; ++d) {
    Array values = pool_.take(from.type, i.shape.elements[0].dims);
    Array places = pool_.take(ElementType::s32, i.shape.elements[1].dims);
    element::visit(from.type, [&](auto tag) {
      using Stored = typename decltype(tag)::Stored;
      const auto* in = reinterpret_cast<const Stored*>(operand[d]->data());
      std::vector<int32_t> order(static_cast<size_t>(n));
      for (int64_t row = 0; row < rows; ++row, in += n) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int32_t a, int32_t b) { return tag.load(in[a]) > tag.load(in[b]); });
        for (int64_t e = 0; e < k; ++e) {
          const auto to = static_cast<size_t>(row * k + e);
          values.mutable_as<Stored>()[to] = in[order[static_cast<size_t>(e)]];
          places.mutable_as<int32_t>()[to] = order[static_cast<size_t>(e)];
        }
      }
    });
    DeviceValue& value = frame.of(id)[d];
    value.elements.resize(2);
    value.elements[0].view = std::make_shared<View>(View::of(values));
    value.elements[1].view = std::make_shared<View>(View::of(places));
  }
  return {};
}

// Sums in f64 or, of integers, in 64 bits; rounded once.
Result<void> Interpreter::execute_convolution(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  TRY(const ConvolutionDims c, convolution_dims(frame.computation, i));
  const Shape& left = frame.at(i.operands[0]).shape;
  const Shape& right = frame.at(i.operands[1]).shape;
  if (left.type != right.type || !element::has_arrays(left.type) || left.type != i.shape.type)
    return invalid("cannot run convolution of " + left.text() + " and " + right.text(), "%" + i.name);
  const auto lhs = arrays_of(frame, id, 0), rhs = arrays_of(frame, id, 1);
  const auto strides = [](const Shape& s) {
    std::vector<int64_t> out(s.rank(), 1);
    for (size_t d = s.rank(); d-- > 1;) out[d - 1] = out[d] * s.dims[d];
    return out;
  };
  const auto ls = strides(left), rs = strides(right), os = strides(i.shape);
  const auto dim = [](const Shape& s, int64_t d) { return s.dims[static_cast<size_t>(d)]; };
  const auto step = [](const std::vector<int64_t>& s, int64_t d) { return s[static_cast<size_t>(d)]; };
  const int64_t features = dim(i.shape, c.output_feature), inner = dim(right, c.kernel_input);
  const int64_t batch = dim(i.shape, c.output_batch), of_group = features / c.feature_groups;
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) results.push_back(pool_.take(i.shape.type, i.shape.dims));
  int64_t outputs = 1, taps = 1;
  for (size_t s = 0; s < c.window.size(); ++s) {
    outputs *= dim(i.shape, c.output_spatial[s]);
    taps *= c.window[s].size;
  }
  element::visit(i.shape.type, [&](auto tag) {
    using Tag = decltype(tag);
    using Sum =
        std::conditional_t<std::is_floating_point_v<typename Tag::Computed>, double, typename Tag::Computed>;
    workers_.parallel_for(static_cast<int64_t>(devices_) * batch * features, [&](int64_t task) {
      const auto d = static_cast<size_t>(task / (batch * features));
      const int64_t b = task / features % batch, f = task % features;
      const auto* x = reinterpret_cast<const typename Tag::Stored*>(lhs[d]->data());
      const auto* w = reinterpret_cast<const typename Tag::Stored*>(rhs[d]->data());
      auto* y = reinterpret_cast<typename Tag::Stored*>(results[d].mutable_data());
      const int64_t batch_group = c.batch_groups == 1 ? 0 : f / (features / c.batch_groups);
      const int64_t x_base =
          (batch_group * batch + b) * step(ls, c.input_batch) +
          f / of_group * inner * (c.feature_groups > 1 ? 1 : 0) * step(ls, c.input_feature);
      for (int64_t o = 0; o < outputs; ++o) {
        Sum sum = 0;
        int64_t y_at = b * step(os, c.output_batch) + f * step(os, c.output_feature);
        for (int64_t t = 0; t < taps; ++t) {
          int64_t x_at = x_base, w_at = f * step(rs, c.kernel_output), rest_o = o, rest_t = t, y_offset = 0;
          bool inside = true;
          for (size_t s = c.window.size(); s-- > 0;) {
            const WindowDim& window = c.window[s];
            const int64_t place = rest_o % dim(i.shape, c.output_spatial[s]), tap = rest_t % window.size;
            rest_o /= dim(i.shape, c.output_spatial[s]);
            rest_t /= window.size;
            const int64_t at = place * window.stride + tap * window.window_dilation - window.low;
            inside = inside && at >= 0 && at % window.base_dilation == 0 &&
                     at / window.base_dilation < dim(left, c.input_spatial[s]);
            x_at += at / window.base_dilation * step(ls, c.input_spatial[s]);
            w_at += (window.reversed ? window.size - 1 - tap : tap) * step(rs, c.kernel_spatial[s]);
            y_offset += place * step(os, c.output_spatial[s]);
          }
          if (t == 0) y_at += y_offset;
          for (int64_t k = 0; inside && k < inner; ++k)
            sum += static_cast<Sum>(Tag::load(x[x_at + k * step(ls, c.input_feature)])) *
                   static_cast<Sum>(Tag::load(w[w_at + k * step(rs, c.kernel_input)]));
        }
        y[y_at] = Tag::store(static_cast<typename Tag::Computed>(sum));
      }
    });
  });
  set_arrays(frame, id, results);
  return {};
}

}  // namespace shardscope
