// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/computation_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/numerics/plan/joint_plan.h"
#include "engine/numerics/product/product.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline numerics {
namespace {

size_t place(InstructionId id) {
  return static_cast<size_t>(id.value);
}

std::vector<int> reader_counts(const Computation& computation) {
  std::vector<int> readers(computation.instructions.size());
  for (const Instruction& i : computation.instructions)
    for (const InstructionId operand : i.operands) ++readers[place(operand)];
  ++readers[place(computation.root)];
  return readers;
}

// A left operand whose panels are kept has at most so many bytes: they pay for products of few columns.
constexpr int64_t kMostKeptLeft = int64_t{4} << 20;

std::vector<uint8_t> kept_operands(const Computation& computation, const ComputationPlan& plan) {
  std::vector<uint8_t> kept(computation.instructions.size());
  std::vector<int> lefts(kept.size()), rights(kept.size());  // products that read a value on that side
  std::vector<char> beside(kept.size());  // dots that run with one of the same right operand
  for (const auto& [first, dots] : plan.joint)
    for (size_t d = 1; d < dots.size(); ++d) beside[place(dots[d].sum.dots.front())] = 1;
  for (const Instruction& i : computation.instructions) {
    if (i.opcode != Opcode::dot) continue;
    const size_t left = place(i.operands[0]), right = place(i.operands[1]);
    if (++lefts[left] > 1 && computation.at(i.operands[0]).shape.bytes() <= kMostKeptLeft)
      kept[left] |= static_cast<uint8_t>(OperandSide::left);
    const bool again = beside[static_cast<size_t>(&i - computation.instructions.data())] != 0;
    if (!again && ++rights[right] > 1) kept[right] |= static_cast<uint8_t>(OperandSide::right);
  }
  return kept;
}

bool summed_as(const Computation& computation, const DotSum& sum, ElementType type) {
  return std::all_of(sum.dots.begin(), sum.dots.end(), [&](InstructionId id) {
    return product_type(computation.at(computation.at(id).operands[0]).shape.type) == type;
  });
}

// Both give as many matrices of the same rows and columns.
bool same_matrices(const Computation& computation, InstructionId a, InstructionId b) {
  const DotSize x = dot_size(computation, computation.at(a)), y = dot_size(computation, computation.at(b));
  return x.batch == y.batch && x.m == y.m && x.n == y.n;
}

// The sum that an add makes of its operands' sums; none when it is an add like any other.
std::optional<DotSum> joined(const Computation& computation, const Instruction& add,
                             const std::map<int32_t, DotSum>& sums, const std::vector<int>& readers) {
  DotSum sum;
  int bases = 0;
  for (const InstructionId operand : add.operands) {
    const auto found = sums.find(operand.value);
    const bool fits =
        found != sums.end() && readers[place(operand)] == 1 &&
        summed_as(computation, found->second, add.shape.type) &&
        (sum.dots.empty() || same_matrices(computation, sum.dots.front(), found->second.dots.front()));
    if (!fits) {
      sum.base = operand;
      ++bases;
      continue;
    }
    sum.dots.insert(sum.dots.end(), found->second.dots.begin(), found->second.dots.end());
    if (found->second.base.valid()) {
      sum.base = found->second.base;
      ++bases;
    }
  }
  if (sum.dots.empty() || bases > 1) return std::nullopt;
  return sum;
}

// A sum that is rounded to a narrower type at once, and read by nobody else, need not be there as a whole.
bool is_rounded_sum(const Computation& computation, const Instruction& convert, const ComputationPlan& plan,
                    const std::vector<int>& readers) {
  const InstructionId operand = convert.operands.front();
  const auto sum = plan.sums.find(operand.value);
  const ElementType wide = computation.at(operand).shape.type;
  return sum != plan.sums.end() && readers[place(operand)] == 1 &&
         summed_as(computation, sum->second, wide) &&
         stored_bytes(convert.shape.type, 1) < stored_bytes(wide, 1);
}

// A dot that only an add reads, or a sum of such that only an add reads, waits for that add; one that only a
// convert to a narrower type reads for that.
void plan_sums(const Computation& computation, const std::vector<int>& readers, ComputationPlan& plan) {
  for (size_t n = 0; n < computation.instructions.size(); ++n) {
    const Instruction& instruction = computation.instructions[n];
    const InstructionId id(static_cast<int64_t>(n));
    if (instruction.opcode == Opcode::dot) plan.sums[id.value].dots = {id};
    if (instruction.opcode == Opcode::convert && is_rounded_sum(computation, instruction, plan, readers)) {
      const InstructionId sum = instruction.operands.front();
      plan.deferred[place(sum)] = 1;
      plan.sums[id.value] = std::move(plan.sums.at(sum.value));
      plan.sums.erase(sum.value);
    }
    if (instruction.opcode != Opcode::add) continue;
    auto sum = joined(computation, instruction, plan.sums, readers);
    if (!sum) continue;
    for (const InstructionId operand : instruction.operands) {
      if (operand == sum->base) continue;
      plan.deferred[place(operand)] = 1;
      plan.sums.erase(operand.value);
    }
    plan.sums[id.value] = *std::move(sum);
  }
}

// A deferred instruction reads its operands when what it is part of is executed.
void plan_lifetimes(const Computation& computation, ComputationPlan& plan) {
  const size_t count = computation.instructions.size();
  std::vector<int32_t> made_at(count), reads_at(count), last(count);  // places in the order
  for (size_t at = 0; at < count; ++at)
    made_at[static_cast<size_t>(plan.order[at])] = static_cast<int32_t>(at);
  std::vector<char> waits(plan.deferred);
  for (const auto& [first, dots] : plan.joint)
    for (const JointDots& d : dots) {
      made_at[place(d.result)] = made_at[static_cast<size_t>(first)];
      waits[place(d.result)] = 0;
    }
  for (size_t n = count; n-- > 0;) {
    if (!waits[n]) reads_at[n] = made_at[n];
    for (const InstructionId operand : computation.instructions[n].operands) {
      const size_t o = place(operand);
      if (waits[o]) reads_at[o] = reads_at[n];
      last[o] = std::max(last[o], reads_at[n]);
    }
  }
  plan.dying.resize(count + 1);
  for (size_t n = 0; n < count; ++n) {
    const auto end = static_cast<size_t>(std::max(last[n], made_at[n]));
    const bool stays = n == place(computation.root);
    plan.dying[stays ? count : static_cast<size_t>(plan.order[end])].push_back(static_cast<int32_t>(n));
  }
}

}  // namespace

bool is_inline_scalar(const Shape& shape) {
  return shape.rank() == 0 && !shape.is_tuple && !is_floating(shape.type) && !is_complex(shape.type);
}

ComputationPlan make_plan(const Computation& computation, DotPlan dots) {
  ComputationPlan plan;
  plan.deferred.assign(computation.instructions.size(), 0);
  plan.order.resize(computation.instructions.size());
  std::iota(plan.order.begin(), plan.order.end(), 0);
  if (dots != DotPlan::alone) {
    const std::vector<int> readers = reader_counts(computation);
    plan_sums(computation, readers, plan);
    if (dots == DotPlan::joint) plan_joint_dots(computation, readers, plan);
  }
  plan.kept = kept_operands(computation, plan);
  plan_lifetimes(computation, plan);
  return plan;
}

}  // namespace shardscope::inline numerics
