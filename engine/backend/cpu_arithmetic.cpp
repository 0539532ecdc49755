// SPDX-License-Identifier: Apache-2.0
// The rules are those of XLA's AlgebraicSimplifier.
#include "engine/backend/cpu_arithmetic.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/backend/loop_rules.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

using Dims = std::vector<int64_t>;

class PlainArithmetic : ComputationPass {
 public:
  PlainArithmetic(const Computation& from, bool partitioned, FreshNames& fresh)
      : ComputationPass(from, fresh, ".plain"), partitioned_(partitioned) {}

  Computation run() {
    using Rule = std::optional<InstructionId> (PlainArithmetic::*)();
    static const OpTable<Rule> kRules({}, {{Opcode::divide, &PlainArithmetic::times_inverse},
                                           {Opcode::maximum, &PlainArithmetic::above_all},
                                           {Opcode::minimum, &PlainArithmetic::below_all},
                                           {Opcode::erf_inv, &PlainArithmetic::inverse_error},
                                           {Opcode::dot, &PlainArithmetic::outer_product}});
    return written([&](size_t k) {
      const Rule rule = like_->shape.is_tuple ? nullptr : kRules[like_->opcode];
      const auto made = rule != nullptr ? (this->*rule)() : std::nullopt;
      if (made) rewrite_.stand_for(k, *made);
      return made.has_value();
    });
  }

 private:
  const Instruction& operand(size_t k) const { return from_.at(like_->operands[k]); }
  InstructionId given(size_t k) const { return rewrite_.at(like_->operands[k]); }

  InstructionId spread(InstructionId from, ElementType type, const Dims& over, Dims along) {
    const InstructionId out = add(Opcode::broadcast, Shape::array(type, over), {from});
    rewrite_.edit(out).dimensions = std::move(along);
    return out;
  }

  std::optional<InstructionId> times_inverse() {
    const Instruction& divisors = operand(1);
    if (divisors.opcode != Opcode::broadcast || !is_floating(like_->shape.type)) return std::nullopt;
    const Instruction& each = from_.at(divisors.operands[0]);
    if (spreads_constant(from_, like_->operands[1]) ||
        each.shape.element_count() >= divisors.shape.element_count())
      return std::nullopt;
    if (partitioned_ && !inverted_.insert({divisors.operands[0], *divisors.dimensions}).second)
      return std::nullopt;
    InstructionId ones = rewrite_.add(scalar_constant(fresh_("one"), each.shape.type, 1));
    if (each.shape.rank() > 0) ones = add(Opcode::broadcast, each.shape, {ones});
    const InstructionId inverse = add(Opcode::divide, each.shape, {ones, rewrite_.at(divisors.operands[0])});
    const InstructionId factors =
        spread(inverse, divisors.shape.type, divisors.shape.dims, *divisors.dimensions);
    return add(Opcode::multiply, like_->shape, {given(0), factors});
  }

  std::optional<InstructionId> above_all() { return other_than("-inf"); }
  std::optional<InstructionId> below_all() { return other_than("inf"); }
  std::optional<InstructionId> other_than(std::string_view number) {
    for (size_t k = 0; k < 2; ++k)
      if (const Instruction* one = constant_behind(from_, like_->operands[k]);
          one != nullptr && *one->literal == number)
        return given(1 - k);
    return std::nullopt;
  }

  // As it is computed: a logarithm and its root, once each, and a polynomial of one of them where it is read.
  // Its coefficients are no matter here.
  std::optional<InstructionId> inverse_error() {
    const Shape& shape = like_->shape;
    if (!is_floating(shape.type) || shape.rank() == 0) return std::nullopt;
    const auto alike = [&](Opcode opcode, std::vector<InstructionId> operands) {
      return add(opcode, Shape::array(shape.type, shape.dims), std::move(operands));
    };
    const InstructionId x = given(0);
    const InstructionId number =
        spread(rewrite_.add(scalar_constant(fresh_("number"), shape.type, 5)), shape.type, shape.dims, {});
    const InstructionId square = alike(Opcode::multiply, {x, alike(Opcode::negate, {x})});
    const InstructionId log = alike(Opcode::negate, {alike(Opcode::log_plus_one, {square})});
    const InstructionId root = alike(Opcode::sqrt, {log});
    const InstructionId is_middle =
        add(Opcode::compare, Shape::array(ElementType::pred, shape.dims), {log, number});
    const InstructionId of = alike(Opcode::select, {is_middle, log, root});
    const InstructionId polynomial = alike(Opcode::add, {alike(Opcode::multiply, {of, number}), number});
    return alike(Opcode::multiply, {polynomial, x});
  }

  // Of the left side its batches and what it has alone, each where the product has it.
  std::optional<InstructionId> outer_product() {
    const DotDims& dims = *like_->dot;
    if (!like_->control_predecessors.empty()) return std::nullopt;
    for (const int64_t d : dims.lhs_contracting)
      if (operand(0).shape.dims[static_cast<size_t>(d)] != 1) return std::nullopt;
    const auto batches = static_cast<int64_t>(dims.lhs_batch.size());
    const auto rank = static_cast<int64_t>(like_->shape.rank());
    const Dims left = free_dims(operand(0).shape.rank(), dims.lhs_batch, dims.lhs_contracting);
    const auto own = static_cast<int64_t>(left.size());
    const InstructionId lhs = over_product(0, dims.lhs_batch, left, batches);
    const Dims right = free_dims(operand(1).shape.rank(), dims.rhs_batch, dims.rhs_contracting);
    if (batches + own + static_cast<int64_t>(right.size()) != rank) return std::nullopt;
    const InstructionId rhs = over_product(1, dims.rhs_batch, right, batches + own);
    return add(Opcode::multiply, like_->shape, {lhs, rhs});
  }

  // A side without what it sums, over all the product; the first of `free` stands at `from` there.
  InstructionId over_product(size_t side, const Dims& batch, const Dims& free, int64_t from) {
    const Shape& shape = operand(side).shape;
    Dims kept, along;
    for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
      const auto b = std::ranges::find(batch, d), f = std::ranges::find(free, d);
      if (b == batch.end() && f == free.end()) continue;
      kept.push_back(shape.dims[static_cast<size_t>(d)]);
      along.push_back(b != batch.end() ? b - batch.begin() : from + (f - free.begin()));
    }
    InstructionId at = given(side);
    if (kept != shape.dims) at = add(Opcode::reshape, Shape::array(shape.type, kept), {at});
    const ElementType type = like_->shape.type;
    if (shape.type != type) at = add(Opcode::convert, Shape::array(type, std::move(kept)), {at});
    return spread(at, type, like_->shape.dims, std::move(along));
  }

  const bool partitioned_;
  std::set<std::pair<InstructionId, Dims>> inverted_;  // what was spread, and along which dimensions
};

}  // namespace

Computation in_plain_arithmetic(const Computation& computation, bool partitioned, FreshNames& fresh) {
  return PlainArithmetic(computation, partitioned, fresh).run();
}

}  // namespace shardscope::inline backend
