// SPDX-License-Identifier: Apache-2.0
// Rows in groups of different sizes: exchanged between devices, and multiplied by their group's own matrix.
#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/rules/run_between.h"

namespace shardscope::inline numerics {
namespace {

using Numbers = std::vector<int64_t>;

// Of an array of T, whose type says `type`.
template <class T>
Numbers numbers_as(const View& view, ElementType type) {
  Numbers numbers(static_cast<size_t>(view.element_count()));
  for_each_run(view, [&](const ElementRun& run) {
    for (int64_t e = 0; e < run.count; ++e) {
      T number = 0;
      std::memcpy(&number, run.data + stored_bytes(type, e * run.stride), sizeof(number));
      numbers[static_cast<size_t>(run.at + e)] = number;
    }
  });
  return numbers;
}

Numbers counts(const View& view, ElementType type) {
  return type == ElementType::s64 ? numbers_as<int64_t>(view, type) : numbers_as<int32_t>(view, type);
}

// An operand that is a table of s32 or s64, by device; empty of those that no group here knows.
Result<std::vector<Numbers>> tables(Step& step, size_t k) {
  TRY(const std::vector<ViewPtr> views, operands_of_groups(step, k));
  std::vector<Numbers> out;
  for (const ViewPtr& view : views)
    out.push_back(view != nullptr ? counts(*view, step.operand_shape(k).type) : Numbers());
  return out;
}

Result<void> check_rows(const Instruction& i, int64_t start, int64_t count, const Shape& shape) {
  if (start >= 0 && count >= 0 && start <= shape.dims[0] - count) return {};
  return invalid("rows " + std::to_string(start) + " to " + std::to_string(start + count) + " of " +
                     shape.text() + " do not exist",
                 "%" + i.name);
}

// Rows that one device sends another.
struct Message {
  size_t source = 0, sink = 0;
  int64_t start = 0, target = 0, rows = 0;
};

Result<std::vector<Message>> messages_of(Step& step) {
  const Instruction& i = step.at();
  TRY(const auto start, tables(step, 2));
  TRY(const auto sent, tables(step, 3));
  TRY(const auto target, tables(step, 4));
  TRY(const auto received, tables(step, 5));
  std::vector<Message> out;
  for (const std::vector<DeviceId>& group : groups_of(step.run, i)) {
    const size_t updates = start[static_cast<size_t>(group.front().value)].size() / group.size();
    for (size_t s = 0; s < group.size(); ++s) {
      for (size_t at = 0; at < group.size() * updates; ++at) {
        const size_t r = at / updates, u = at % updates;
        const auto source = static_cast<size_t>(group[s].value), sink = static_cast<size_t>(group[r].value);
        const Message m{source, sink, start[source][at], target[source][at], sent[source][at]};
        TRY_VOID(check_rows(i, m.start, m.rows, step.operand_shape(0)));
        TRY_VOID(check_rows(i, m.target, m.rows, i.shape));
        const int64_t expected = received[sink][s * updates + u];
        if (expected != m.rows)
          return invalid("device " + std::to_string(sink) + " expects " + std::to_string(expected) +
                             " rows of device " + std::to_string(source) + ", which sends " +
                             std::to_string(m.rows),
                         "%" + i.name);
        out.push_back(m);
      }
    }
  }
  return out;
}

}  // namespace

Result<void> run_ragged_all_to_all(Step& step) {
  const Shape& shape = step.at().shape;
  if (!element::has_arrays(shape.type) || shape.element_count() == 0)
    return invalid("cannot run ragged-all-to-all of " + shape.text(), "%" + step.at().name);
  TRY(const std::vector<Message> messages, messages_of(step));
  const int64_t row = stored_bytes(shape.type, shape.element_count() / shape.dims[0]);
  TRY(const std::vector<ViewPtr> inputs, operands_of_groups(step, 0));
  std::vector<Array> results = step.new_arrays();
  for (size_t d = 0; d < step.devices(); ++d) copy_to(*step.view(1, d), results[d].mutable_data());
  std::vector<std::byte*> memory;
  memory.reserve(results.size());
  for (Array& result : results) memory.push_back(result.mutable_data());
  step.run.workers.parallel_for(static_cast<int64_t>(messages.size()), [&](int64_t n) {
    const Message& m = messages[static_cast<size_t>(n)];
    const auto sink = step.run.place_of(DeviceId(static_cast<int64_t>(m.sink)));
    if (m.rows > 0 && sink)
      std::memcpy(memory[*sink] + m.target * row, inputs[m.source]->data() + m.start * row,
                  static_cast<size_t>(m.rows * row));
  });
  step.give(results);
  return {};
}

Result<void> run_ragged_dot(Step& step) {
  const Instruction& i = step.at();
  const Shape &lhs = step.operand_shape(0), &rhs = step.operand_shape(1);
  const auto type = product_type(lhs.type);
  if (!type || rhs.type != lhs.type || i.shape.element_count() == 0)
    return invalid("cannot run ragged-dot of " + lhs.text() + " and " + rhs.text(), "%" + i.name);
  const int64_t row_dims[] = {0}, group_dims[] = {0, 2}, summed[] = {1};
  for (size_t d = 0; d < step.devices(); ++d) {
    const std::vector<ViewPtr> sides = step.plain({step.view(0, d), step.view(1, d)});
    const Numbers sizes = numbers_as<int32_t>(*step.view(2, d), ElementType::s32);
    Array array = step.run.pool.take(*type, i.shape.dims);
    std::memset(array.mutable_data(), 0, static_cast<size_t>(array.bytes()));
    int64_t end = 0, written = 0;
    for (int64_t g = 0; g < rhs.dims[0]; ++g) {
      // Of sizes that nobody has checked, the rows that there are.
      const int64_t begin = end, size = sizes[static_cast<size_t>(g)];
      end += size;
      const int64_t start = std::max<int64_t>(begin, 0), rows = std::min(end, lhs.dims[0]) - start;
      if (rows <= 0) continue;
      const View own_rows = *sides[0]->slice(0, start, start + rows), own = *sides[1]->slice(0, g, g + 1);
      Product product;
      product.accumulate = start < written;  // a size below 0 gives a row to two groups
      written = std::max(written, start + rows);
      product.terms.push_back({std::make_shared<MatrixView>(matrix_view(own_rows, row_dims, summed)),
                               std::make_shared<MatrixView>(matrix_view(own, group_dims, summed)), nullptr,
                               nullptr});
      product.c = array.mutable_data() + stored_bytes(*type, start * i.shape.dims[1]);
      run_products({std::move(product)}, step.run.pool, step.run.loops, step.run.isa);
    }
    step.results()[d].view = std::make_shared<View>(View::of(array));
  }
  if (*type != i.shape.type) convert_values(step.results(), i.shape.type, step.run.pool, step.run.loops);
  return {};
}

}  // namespace shardscope::inline numerics
