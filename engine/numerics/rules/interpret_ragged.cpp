// SPDX-License-Identifier: Apache-2.0
// Rows in groups of different sizes: exchanged between devices, and multiplied by their group's own matrix.
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope {
namespace {

std::vector<int64_t> s32_numbers(const View& view) {
  std::vector<int64_t> numbers(static_cast<size_t>(view.element_count()));
  for_each_run(view, [&](const ElementRun& run) {
    for (int64_t e = 0; e < run.count; ++e) {
      int32_t number = 0;
      std::memcpy(&number, run.data + byte_size(ElementType::s32, e * run.stride), sizeof(number));
      numbers[static_cast<size_t>(run.at + e)] = number;
    }
  });
  return numbers;
}

bool are_rows_of(int64_t start, int64_t count, const Shape& shape) {
  return start >= 0 && count >= 0 && start <= shape.dims[0] - count;
}

Error outside(const Instruction& i, int64_t start, int64_t count, const Shape& shape) {
  return invalid("rows " + std::to_string(start) + " to " + std::to_string(start + count) + " of " +
                     shape.text() + " do not exist",
                 "%" + i.name);
}

}  // namespace

Result<void> Interpreter::ragged_all_to_all(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const ElementType type = i.shape.type;
  const Shape& from = frame.at(i.operands[0]).shape;
  if (!element::has_arrays(type) || i.shape.element_count() == 0)
    return invalid("cannot run ragged-all-to-all of " + i.shape.text(), "%" + i.name);
  const int64_t row = byte_size(type, i.shape.element_count() / i.shape.dims[0]);
  std::vector<ViewPtr> inputs;
  std::vector<std::vector<int64_t>> start(devices_), sent(devices_), target(devices_), received(devices_);
  std::vector<Array> results;
  for (size_t d = 0; d < devices_; ++d) {
    const auto table = [&](size_t k) {
      return s32_numbers(*view_of(frame.operand(id, k, d), ElementType::s32));
    };
    inputs.push_back(view_of(frame.operand(id, 0, d), type));
    start[d] = table(2), sent[d] = table(3), target[d] = table(4), received[d] = table(5);
    results.push_back(pool_.take(type, i.shape.dims));
    copy_to(*view_of(frame.operand(id, 1, d), type), results[d].mutable_data());
  }
  inputs = materialise(inputs, pool_, workers_, stop_);
  struct Rows {
    const std::byte* from;
    std::byte* to;
    int64_t bytes;
  };
  std::vector<Rows> moved;
  for (const std::vector<DeviceId>& group : groups_of(i)) {
    const size_t updates = start[0].size() / group.size();
    for (size_t s = 0; s < group.size(); ++s) {
      for (size_t r = 0; r < group.size(); ++r) {
        const auto source = static_cast<size_t>(group[s].value), sink = static_cast<size_t>(group[r].value);
        for (size_t u = 0; u < updates; ++u) {
          const size_t at = r * updates + u;
          const int64_t count = sent[source][at];
          if (!are_rows_of(start[source][at], count, from)) return outside(i, start[source][at], count, from);
          if (!are_rows_of(target[source][at], count, i.shape))
            return outside(i, target[source][at], count, i.shape);
          if (received[sink][s * updates + u] != count)
            return invalid("device " + std::to_string(sink) + " expects " +
                               std::to_string(received[sink][s * updates + u]) + " rows of device " +
                               std::to_string(source) + ", which sends " + std::to_string(count),
                           "%" + i.name);
          moved.push_back({inputs[source]->data() + start[source][at] * row,
                           results[sink].mutable_data() + target[source][at] * row, count * row});
        }
      }
    }
  }
  workers_.parallel_for(static_cast<int64_t>(moved.size()), [&](int64_t m) {
    const Rows& rows = moved[static_cast<size_t>(m)];
    if (rows.bytes > 0) std::memcpy(rows.to, rows.from, static_cast<size_t>(rows.bytes));
  });
  for (size_t d = 0; d < devices_; ++d) frame.of(id)[d].view = std::make_shared<View>(View::of(results[d]));
  return {};
}

Result<void> Interpreter::ragged_dot(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const Shape &lhs = frame.at(i.operands[0]).shape, &rhs = frame.at(i.operands[1]).shape;
  const auto type = product_type(lhs.type);
  if (!type || rhs.type != lhs.type || i.shape.element_count() == 0)
    return invalid("cannot run ragged-dot of " + lhs.text() + " and " + rhs.text(), "%" + i.name);
  const int64_t row_dims[] = {0}, group_dims[] = {0, 2}, summed[] = {1};
  for (size_t d = 0; d < devices_; ++d) {
    std::vector<ViewPtr> sides = {view_of(frame.operand(id, 0, d), lhs.type),
                                  view_of(frame.operand(id, 1, d), rhs.type)};
    sides = materialise(sides, pool_, workers_, stop_);
    const std::vector<int64_t> sizes = s32_numbers(*view_of(frame.operand(id, 2, d), ElementType::s32));
    Array array = pool_.take(*type, i.shape.dims);
    std::memset(array.mutable_data(), 0, static_cast<size_t>(array.bytes()));
    int64_t start = 0;
    for (int64_t g = 0; g < rhs.dims[0]; ++g) {
      const int64_t rows = sizes[static_cast<size_t>(g)];
      if (!are_rows_of(start, rows, lhs)) return outside(i, start, rows, lhs);
      if (rows == 0) continue;
      Product product;
      product.terms.push_back(
          {std::make_shared<MatrixView>(
               matrix_view(*sides[0]->slice(0, start, start + rows), row_dims, summed)),
           std::make_shared<MatrixView>(matrix_view(*sides[1]->slice(0, g, g + 1), group_dims, summed)),
           nullptr});
      product.c = array.mutable_data() + byte_size(*type, start * i.shape.dims[1]);
      run_products({product}, pool_, workers_, stop_, isa_);
      start += rows;
    }
    frame.of(id)[d].view = std::make_shared<View>(View::of(array));
  }
  if (*type != i.shape.type) convert_values(frame.of(id), i.shape.type, pool_, workers_, stop_);
  return {};
}

}  // namespace shardscope
