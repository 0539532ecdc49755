// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/joint_plan.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/numerics/product/product.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics {
namespace {

// Results of dots that run together have at most so many bytes on a device: all of them are there at once,
// and larger products are as fast alone.
constexpr int64_t kMostTogether = int64_t{1} << 19;
// Instructions that are moved for one dot.
constexpr size_t kMostMoved = 64;

size_t slot_of(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// A product of two matrices, summed in the type that it has.
bool is_plain_dot(const Computation& computation, const Instruction& dot) {
  const Shape &left = computation.at(dot.operands[0]).shape, &right = computation.at(dot.operands[1]).shape;
  return dot.dot->lhs_batch.empty() && left.type == right.type && left.element_count() > 0 &&
         right.element_count() > 0 && product_type(left.type) == dot.shape.type;
}

int64_t contracted(const Computation& computation, const Instruction& dot) {
  int64_t k = 1;
  for (const int64_t d : dot.dot->lhs_contracting)
    k *= computation.at(dot.operands[0]).shape.dims[static_cast<size_t>(d)];
  return k;
}

// Values that sums of dots are added to, in the same memory where nobody else has it, and where they come
// from.
std::set<int32_t> bases_of(const Computation& computation, const ComputationPlan& plan) {
  std::set<int32_t> bases;
  for (const auto& [by, sum] : plan.sums) {
    InstructionId id = sum.base;
    while (id.valid() && bases.insert(id.value).second) {
      const Instruction& i = computation.at(id);
      if (i.opcode != Opcode::collective_permute && i.opcode != Opcode::copy) break;
      id = i.operands.front();
    }
  }
  return bases;
}

// The dots that this instruction gives; none: they are run as they are.
std::optional<JointDots> dot_at(const Computation& computation, InstructionId id,
                                const ComputationPlan& plan) {
  const auto own = plan.sums.find(id.value);
  const Instruction& i = computation.at(id);
  if (i.opcode != Opcode::dot || own == plan.sums.end() || !is_plain_dot(computation, i)) return std::nullopt;
  return JointDots{id, own->second, false};
}

// The dots that this instruction adds up between devices.
std::optional<JointDots> summed_at(const Computation& computation, InstructionId id,
                                   const std::vector<int>& readers, const ComputationPlan& plan) {
  const Instruction& i = computation.at(id);
  if (!has(i.opcode, Trait::sums) || i.rooted || i.operands.size() != 1 || i.shape.is_tuple)
    return std::nullopt;
  const InstructionId operand = i.operands.front();
  const auto summed = plan.sums.find(operand.value);
  if (summed == plan.sums.end() || readers[slot_of(operand)] != 1 || summed->second.base.valid())
    return std::nullopt;
  int64_t depth = 0;  // beyond one sum, what is added between devices would be rounded before
  for (const InstructionId dot : summed->second.dots) {
    const Instruction& summand = computation.at(dot);  // rounded to a narrower type, it is no term
    if (!is_plain_dot(computation, summand) || summand.shape.type != i.shape.type) return std::nullopt;
    depth += contracted(computation, summand);
  }
  if (depth > deepest_sum(i.shape.type)) return std::nullopt;
  return JointDots{id, summed->second, true};
}

// Whether two may be one product: rows below each other.
bool stack_up(const Computation& computation, const JointDots& a, const JointDots& b) {
  if (a.sum.dots.size() != 1 || b.sum.dots.size() != 1 || a.collective != b.collective) return false;
  const Instruction &x = computation.at(a.sum.dots.front()), &y = computation.at(b.sum.dots.front());
  const Instruction &at = computation.at(a.result), &bt = computation.at(b.result);
  return x.operands[1] == y.operands[1] && x.dot == y.dot &&
         computation.at(x.operands[0]).shape.rank() == computation.at(y.operands[0]).shape.rank() &&
         (!a.collective || (at.opcode == bt.opcode && at.dimensions == bt.dimensions &&
                            at.replica_groups == bt.replica_groups));
}

// Moves data, as views, or computes scalars.
bool is_movable(const Computation& computation, const Instruction& i) {
  static const OpTable<char> kMoves({}, {{Opcode::parameter, 1},
                                         {Opcode::constant, 1},
                                         {Opcode::partition_id, 1},
                                         {Opcode::replica_id, 1},
                                         {Opcode::reshape, 1},
                                         {Opcode::bitcast, 1},
                                         {Opcode::transpose, 1},
                                         {Opcode::broadcast, 1},
                                         {Opcode::slice, 1},
                                         {Opcode::concatenate, 1},
                                         {Opcode::dynamic_slice, 1},
                                         {Opcode::dynamic_update_slice, 1},
                                         {Opcode::all_gather, 1},
                                         {Opcode::all_to_all, 1},
                                         {Opcode::collective_permute, 1},
                                         {Opcode::collective_broadcast, 1}});
  if (kMoves[i.opcode] != 0) return true;
  return is_elementwise(i.opcode) && is_inline_scalar(i.shape) &&
         std::all_of(i.operands.begin(), i.operands.end(),
                     [&](InstructionId o) { return is_inline_scalar(computation.at(o).shape); });
}

// What has to be executed before `first` so that `value` is there; none: not all of it can be moved.
std::optional<std::set<int32_t>> moved_before(const Computation& computation, InstructionId value,
                                              InstructionId first) {
  std::set<int32_t> moved;
  std::vector<InstructionId> open = {value};
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    if (id < first || moved.count(id.value) > 0) continue;
    const Instruction& i = computation.at(id);
    if (!is_movable(computation, i) || moved.size() == kMostMoved) return std::nullopt;
    moved.insert(id.value);
    open.insert(open.end(), i.operands.begin(), i.operands.end());
  }
  return moved;
}

// Dots that run together, and what moves to before them.
struct Group {
  std::vector<JointDots> dots;
  std::set<int32_t> moved;
  int64_t bytes = 0;
};

bool join(const Computation& computation, const JointDots& joint, Group& group) {
  const int64_t bytes = computation.at(joint.result).shape.bytes();
  if (!stack_up(computation, group.dots.front(), joint) || group.bytes + bytes > kMostTogether) return false;
  const InstructionId left = computation.at(joint.sum.dots.front()).operands[0];
  const auto moved = moved_before(computation, left, group.dots.front().result);
  if (!moved) return false;
  group.moved.insert(moved->begin(), moved->end());
  group.bytes += bytes;
  group.dots.push_back(joint);
  return true;
}

}  // namespace

void plan_joint_dots(const Computation& computation, const std::vector<int>& readers, ComputationPlan& plan) {
  const size_t count = computation.instructions.size();
  for (size_t n = 0; n < count; ++n) {
    const InstructionId id(static_cast<int64_t>(n));
    auto joint = summed_at(computation, id, readers, plan);
    if (!joint) continue;
    const InstructionId sum = computation.at(id).operands.front();
    plan.sums.erase(sum.value);
    plan.deferred[slot_of(sum)] = 1;
    plan.joint[id.value] = {*std::move(joint)};
  }
  const std::set<int32_t> bases = bases_of(computation, plan);
  std::vector<Group> groups;
  std::map<int32_t, size_t> latest;  // group of a right operand
  for (size_t n = 0; n < count; ++n) {
    const InstructionId id(static_cast<int64_t>(n));
    const auto summed = plan.joint.find(id.value);
    const auto joint = summed == plan.joint.end() ? dot_at(computation, id, plan) : summed->second.front();
    if (!joint || bases.count(id.value) > 0) continue;
    const int32_t right = computation.at(joint->sum.dots.front()).operands[1].value;
    const auto known = latest.find(right);
    if (known != latest.end() && join(computation, *joint, groups[known->second])) continue;
    latest[right] = groups.size();
    groups.push_back({{*joint}, {}, computation.at(id).shape.bytes()});
  }
  std::vector<int32_t> place(count);
  for (size_t n = 0; n < count; ++n) place[n] = 2 * static_cast<int32_t>(n) + 1;
  for (Group& group : groups) {
    if (group.dots.size() == 1) continue;
    const int32_t first = group.dots.front().result.value;
    for (const JointDots& joint : group.dots) {
      plan.sums.erase(joint.result.value);
      plan.joint.erase(joint.result.value);
      plan.deferred[slot_of(joint.result)] = joint.result.value != first;
    }
    for (const int32_t n : group.moved) {
      int32_t& at = place[static_cast<size_t>(n)];
      at = std::min(at, 2 * first);
    }
    plan.joint[first] = std::move(group.dots);
  }
  std::stable_sort(plan.order.begin(), plan.order.end(), [&](int32_t a, int32_t b) {
    return place[static_cast<size_t>(a)] < place[static_cast<size_t>(b)];
  });
}

}  // namespace shardscope::inline numerics
