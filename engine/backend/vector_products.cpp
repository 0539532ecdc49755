// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/vector_products.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"

namespace shardscope::inline backend {
namespace {

using Order = std::vector<int64_t>;

bool is_small_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::bf16 || type == ElementType::f16;
}

// Of a product that is a vector's: its side that has dimensions of its own, or the right one.
std::optional<size_t> matrix_side(const Computation& c, const Instruction& dot) {
  if (dot.opcode != Opcode::dot || !dot.control_predecessors.empty() || dot.shape.is_tuple)
    return std::nullopt;
  const Shape &lhs = c.at(dot.operands[0]).shape, &rhs = c.at(dot.operands[1]).shape;
  if (!is_small_float(lhs.type) || lhs.type != rhs.type || !is_small_float(dot.shape.type))
    return std::nullopt;
  const DotDims& dims = *dot.dot;
  if (lhs.rank() == dims.lhs_batch.size() + dims.lhs_contracting.size()) return 1;
  if (rhs.rank() == dims.rhs_batch.size() + dims.rhs_contracting.size()) return 0;
  return std::nullopt;
}

class Summer : ComputationPass {
 public:
  Summer(const Computation& from, ComputationId add, FreshNames& fresh)
      : ComputationPass(from, fresh, ".sum"), add_(add) {}

  Computation run() {
    return written([&](size_t k) {
      const auto matrix = matrix_side(from_, *like_);
      if (matrix) rewrite_.stand_for(k, summed(*matrix));
      return matrix.has_value();
    });
  }

 private:
  InstructionId as(ElementType type, InstructionId at) {
    Shape shape = rewrite_.made(at).shape;
    if (shape.type == type) return at;
    return add(Opcode::convert, Shape::array(type, shape.dims), {at});
  }
  InstructionId turned(InstructionId at, const Order& order) {
    if (std::ranges::is_sorted(order)) return at;
    const Shape& of = rewrite_.made(at).shape;
    Order dims;
    for (const int64_t d : order) dims.push_back(of.dims[static_cast<size_t>(d)]);
    const InstructionId out = add(Opcode::transpose, Shape::array(of.type, std::move(dims)), {at});
    rewrite_.edit(out).dimensions = order;
    return out;
  }

  // By dimension of the vector's side that of the matrix's which it goes along.
  Order along(size_t matrix) const {
    const DotDims& dims = *like_->dot;
    const auto& vector_batch = matrix == 1 ? dims.lhs_batch : dims.rhs_batch;
    const auto& vector_sum = matrix == 1 ? dims.lhs_contracting : dims.rhs_contracting;
    const auto& batch = matrix == 1 ? dims.rhs_batch : dims.lhs_batch;
    const auto& sum = matrix == 1 ? dims.rhs_contracting : dims.lhs_contracting;
    Order out(vector_batch.size() + vector_sum.size());
    for (size_t k = 0; k < batch.size(); ++k) out[static_cast<size_t>(vector_batch[k])] = batch[k];
    for (size_t k = 0; k < sum.size(); ++k) out[static_cast<size_t>(vector_sum[k])] = sum[k];
    return out;
  }

  InstructionId summed(size_t matrix) {
    const InstructionId whole = as(ElementType::f32, rewrite_.at(like_->operands[matrix]));
    const Order to = along(matrix);
    Order order(to.size()), sorted = to;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int64_t d) { return to[static_cast<size_t>(d)]; });
    std::ranges::sort(sorted);
    const Order dims = rewrite_.made(whole).shape.dims;
    const InstructionId vector =
        as(ElementType::f32, turned(rewrite_.at(like_->operands[1 - matrix]), order));
    const InstructionId spread = add(Opcode::broadcast, Shape::array(ElementType::f32, dims), {vector});
    rewrite_.edit(spread).dimensions = sorted;
    const InstructionId products =
        add(Opcode::multiply, Shape::array(ElementType::f32, dims), {whole, spread});
    return put_in_order(products, matrix);
  }

  InstructionId put_in_order(InstructionId products, size_t matrix) {
    const DotDims& numbers = *like_->dot;
    const auto& batch = matrix == 1 ? numbers.rhs_batch : numbers.lhs_batch;
    const auto& sum = matrix == 1 ? numbers.rhs_contracting : numbers.lhs_contracting;
    const Order dims = rewrite_.made(products).shape.dims;
    const Order left = free_dims(dims.size(), {}, sum);
    Order sizes, kept;  // kept: of those that are left the batch's, then the others
    for (const int64_t d : left) sizes.push_back(dims[static_cast<size_t>(d)]);
    const auto place = [&](int64_t d) { return std::ranges::find(left, d) - left.begin(); };
    for (const int64_t d : batch) kept.push_back(place(d));
    for (const int64_t d : free_dims(dims.size(), batch, sum)) kept.push_back(place(d));
    const InstructionId zero = rewrite_.add(scalar_constant(fresh_("zero"), ElementType::f32, 0));
    const InstructionId out =
        add(Opcode::reduce, Shape::array(ElementType::f32, std::move(sizes)), {products, zero});
    Order summed_dims = sum;
    std::ranges::sort(summed_dims);
    rewrite_.edit(out).dimensions = std::move(summed_dims);
    rewrite_.edit(out).called = std::vector<CalledComputation>{{std::string("to_apply"), add_}};
    return as(like_->shape.type, turned(out, kept));
  }

  ComputationId add_;
};

// The sum of two numbers, as the first computation of the program.
void put_in_front(Program& program, FreshNames& fresh) {
  const Shape number = Shape::array(ElementType::f32, {});
  Computation out;
  out.name = fresh("add_of_two");
  for (int64_t p = 0; p < 2; ++p) {
    out.instructions.push_back(made_instruction(fresh("number"), Opcode::parameter, number, {}));
    out.instructions.back().parameter_number = p;
  }
  out.instructions.push_back(
      made_instruction(fresh("sum"), Opcode::add, number, {InstructionId(0), InstructionId(1)}));
  out.root = InstructionId(2);
  for (Computation& c : program.computations)
    for (Instruction& i : c.instructions)
      if (!i.called.empty())
        for (CalledComputation& called : i.called.edit())
          called.computation = ComputationId(called.computation.value + 1);
  program.computations.insert(program.computations.begin(), std::move(out));
  program.entry = ComputationId(program.entry.value + 1);
}

}  // namespace

void sum_vector_products(Program& program, FreshNames& fresh) {
  const auto has_one = [](const Computation& c) {
    return std::ranges::any_of(c.instructions,
                               [&](const Instruction& i) { return matrix_side(c, i).has_value(); });
  };
  if (std::ranges::none_of(program.computations, has_one)) return;
  put_in_front(program, fresh);
  const std::vector<bool> runs = executed_computations(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    if (!runs[c] || !has_one(program.computations[c])) continue;
    const Computation before = std::move(program.computations[c]);
    program.computations[c] = Summer(before, ComputationId(0), fresh).run();
  }
}

}  // namespace shardscope::inline backend
