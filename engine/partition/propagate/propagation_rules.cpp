// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/propagation_rules.h"

#include <algorithm>

#include "engine/partition/propagate/dim_maps.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

using Links = std::vector<SameLeaves>;

template <DimMapOf map>
std::optional<Tiling> result_by(const Computation& c, const Instruction& i, size_t k, const Tiling& operand) {
  const auto dims = map(c, i, k);
  return dims ? std::optional(operand.mapped(*dims)) : std::nullopt;
}

template <DimMapOf map>
std::optional<Tiling> operand_by(const Computation& c, const Instruction& i, size_t k, const Tiling& result) {
  const auto dims = map(c, i, k);
  if (!dims) return std::nullopt;
  DimMap inverse(c.at(i.operands[k]).shape.rank(), -1);
  for (size_t d = 0; d < dims->size(); ++d)
    if ((*dims)[d] >= 0) inverse[static_cast<size_t>((*dims)[d])] = static_cast<int64_t>(d);
  return result.mapped(inverse);
}

// Both ways by one map of dimensions.
template <DimMapOf map>
PropagationRule by_dims(int level) {
  PropagationRule out;
  out.level = level;
  out.to_result = &result_by<map>;
  out.to_operand = &operand_by<map>;
  return out;
}

std::optional<Tiling> reshaped(const Tiling& tiling, const Shape& from, const Shape& to) {
  if (from.element_count() != to.element_count() || to.element_count() == 0) return std::nullopt;
  return through_reshape(tiling, from.dims, to.dims).to;
}

PropagationRule by_reshape(int level) {
  PropagationRule out;
  out.level = level;
  out.to_result = [](const Computation& c, const Instruction& i, size_t k, const Tiling& operand) {
    return reshaped(operand, c.at(i.operands[k]).shape, i.shape);
  };
  out.to_operand = [](const Computation& c, const Instruction& i, size_t k, const Tiling& result) {
    return reshaped(result, i.shape, c.at(i.operands[k]).shape);
  };
  return out;
}

PropagationRule by_links(PropagationRule::Links* links) {
  PropagationRule out;
  out.level = 0;
  out.links = links;
  return out;
}

PropagationRule alike(PropagationRule rule) {
  rule.all_alike = true;
  return rule;
}

const Instruction& at(const Program& module, InstructionPlace place) {
  return module.computation(place.computation).at(place.instruction);
}

InstructionPlace operand_place(const Program& module, InstructionPlace place, size_t k) {
  return {place.computation, at(module, place).operands[k]};
}

// Leaves of the first `count` elements of a tuple.
size_t leaves_before(const Shape& tuple, size_t count) {
  size_t leaves = 0;
  for (size_t e = 0; e < count; ++e) leaves += leaf_count(tuple.elements[e]);
  return leaves;
}

Links tuple_links(const Program& module, InstructionPlace place) {
  const Instruction& i = at(module, place);
  Links out;
  size_t first = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    const size_t count = leaf_count(i.shape.elements[k]);
    out.push_back({{place, first}, {operand_place(module, place, k), 0}, count});
    first += count;
  }
  return out;
}

Links element_links(const Program& module, InstructionPlace place) {
  const Instruction& i = at(module, place);
  const InstructionPlace tuple = operand_place(module, place, 0);
  const size_t first = leaves_before(at(module, tuple).shape, static_cast<size_t>(i.tuple_index));
  return {{{place, 0}, {tuple, first}, leaf_count(i.shape)}};
}

Links barrier_links(const Program& module, InstructionPlace place) {
  const Instruction& i = at(module, place);
  if (i.operands.size() != 1) return {};
  const InstructionPlace operand = operand_place(module, place, 0);
  const size_t count = leaf_count(i.shape);
  if (leaf_count(at(module, operand).shape) != count) return {};
  return {{{place, 0}, {operand, 0}, count}};
}

// A called computation's parameter; none when it reads none.
std::optional<InstructionPlace> parameter_of(const Program& module, ComputationId called) {
  const std::vector<InstructionId> given = parameter_ids(module.computation(called));
  return given.empty() ? std::nullopt : std::optional(InstructionPlace{called, given.front()});
}

// What goes round a loop has one sharding.
Links loop_links(const Program& module, InstructionPlace place) {
  const Instruction& i = at(module, place);
  const size_t count = leaf_count(i.shape);
  Links out{{{place, 0}, {operand_place(module, place, 0), 0}, count}};
  for (const CalledComputation& called : i.called) {
    if (const auto parameter = parameter_of(module, called.computation))
      out.push_back({{*parameter, 0}, {place, 0}, count});
    const InstructionId root = module.computation(called.computation).root;
    if (called.key == "body") out.push_back({{place, 0}, {{called.computation, root}, 0}, count});
  }
  return out;
}

Links branch_links(const Program& module, InstructionPlace place) {
  const Instruction& i = at(module, place);
  const size_t count = leaf_count(i.shape);
  Links out;
  for (size_t b = 0; b < i.called.size() && b + 1 < i.operands.size(); ++b) {
    const ComputationId branch = i.called[b].computation;
    const InstructionPlace given = operand_place(module, place, b + 1);
    if (const auto parameter = parameter_of(module, branch))
      out.push_back({{*parameter, 0}, {given, 0}, leaf_count(at(module, given).shape)});
    const InstructionPlace root{branch, module.computation(branch).root};
    if (leaf_count(at(module, root).shape) == count) out.push_back({{place, 0}, {root, 0}, count});
  }
  return out;
}

const OpTable<PropagationRule>& spread_rules() {
  static const OpTable<PropagationRule> table(
      {{OpClass::elementwise, by_dims<dim_map::elementwise>(0)}},
      {
          {Opcode::tuple, by_links(&tuple_links)},
          {Opcode::get_tuple_element, by_links(&element_links)},
          {Opcode::optimization_barrier, by_links(&barrier_links)},
          {Opcode::while_, by_links(&loop_links)},
          {Opcode::conditional, by_links(&branch_links)},
          {Opcode::copy, by_dims<dim_map::same>(0)},
          {Opcode::custom_call, alike(by_dims<dim_map::custom_call>(0))},
          {Opcode::transpose, by_dims<dim_map::transposed>(0)},
          {Opcode::reshape, by_reshape(0)},
          {Opcode::bitcast, by_reshape(1)},
          {Opcode::bitcast_convert, by_dims<dim_map::same>(0)},
          {Opcode::concatenate, by_dims<dim_map::concatenated>(0)},
          {Opcode::dynamic_slice, by_dims<dim_map::first_operand>(0)},
          {Opcode::dynamic_update_slice, by_dims<dim_map::first_two_operands>(0)},
          {Opcode::slice, by_dims<dim_map::first_operand>(1)},
          {Opcode::pad, by_dims<dim_map::first_operand>(1)},
          {Opcode::reduce_window, by_dims<dim_map::first_operand>(1)},
          {Opcode::select_and_scatter, by_dims<dim_map::first_two_operands>(1)},
          {Opcode::scatter, alike(by_dims<dim_map::scattered>(1))},
          {Opcode::cholesky, by_dims<dim_map::batched>(0)},
          {Opcode::triangular_solve, by_dims<dim_map::batched>(0)},
          {Opcode::map, by_dims<dim_map::elementwise>(0)},
          {Opcode::domain, by_links(&barrier_links)},
          {Opcode::add_dependency, by_dims<dim_map::first_operand>(0)},
          {Opcode::reverse, by_dims<dim_map::turned>(1)},
          {Opcode::sort, alike(by_dims<dim_map::turned>(1))},
          {Opcode::topk, alike(by_dims<dim_map::picked>(0))},
          {Opcode::fft, by_dims<dim_map::transformed>(1)},
          {Opcode::reduce, alike(by_dims<dim_map::reduced>(1))},
          {Opcode::gather, by_dims<dim_map::gathered>(1)},
          {Opcode::dot, by_dims<dim_map::product>(1)},
          {Opcode::convolution, by_dims<dim_map::convolution>(1)},
          {Opcode::broadcast, by_dims<dim_map::broadcast>(2)},
      });
  return table;
}

// Operations that nothing could spread through: they have no operand, or are written out before
// (spmd_prepare).
bool has_nothing_to_spread(const Operation& operation) {
  return operation.most_operands == 0 || has(operation.opcode, Trait::inlined) ||
         operation.opcode == Opcode::get_dimension_size;
}

}  // namespace

PropagationRule propagation_rule(Opcode opcode) {
  return spread_rules()[opcode];
}

std::string propagate_hole(Opcode opcode) {
  const PropagationRule rule = propagation_rule(opcode);
  const bool spreads = rule.to_result != nullptr || rule.links != nullptr;
  return spreads || has_nothing_to_spread(operation(opcode)) ? "" : "nothing spreads through it";
}

std::optional<Tiling> operand_from_partner(const Computation& c, const Instruction& i, size_t k,
                                           const Tiling& partner) {
  const auto dot = product_dims(c, i);
  if (!dot || i.operands.size() != 2 || k > 1) return std::nullopt;
  DimMap map(c.at(i.operands[k]).shape.rank(), -1);
  const auto pair = [&](const std::vector<int64_t>& lhs, const std::vector<int64_t>& rhs) {
    for (size_t d = 0; d < lhs.size(); ++d)
      map[static_cast<size_t>(k == 0 ? lhs[d] : rhs[d])] = k == 0 ? rhs[d] : lhs[d];
  };
  pair(dot->lhs_batch, dot->rhs_batch);
  pair(dot->lhs_contracting, dot->rhs_contracting);
  return partner.mapped(map);
}

}  // namespace shardscope::inline partitioner
