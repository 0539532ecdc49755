// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/factor_rule.h"

#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/partition/propagate/dim_maps.h"
#include "engine/partition/shardy/convolution_factors.h"
#include "engine/partition/shardy/indexed_factors.h"
#include "engine/partition/shardy/reshape_factors.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

using Kind = FactorRule::Kind;
// What else than a map of dimensions says.
using Extra = void(RuleBuilder& rule);

// Of an operation of several results: as if it had the first alone.
Instruction first_result_of(const Instruction& i) {
  Instruction out = i;
  if (out.shape.is_tuple) out.shape = Shape(i.shape.elements.front());
  return out;
}

// A factor for each dimension of the result, in the operands where the map says it is.
template <DimMapOf map, Extra* extra = nullptr>
void by_map(RuleBuilder& rule) {
  const Instruction& i = rule.instruction();
  const Instruction first = first_result_of(i);
  std::vector<std::optional<DimMap>> maps;
  for (size_t k = 0; k < i.operands.size(); ++k) maps.push_back(map(rule.computation(), first, k));
  for (size_t d = 0; d < first.shape.rank(); ++d) {
    std::vector<int64_t> dims;
    for (const auto& of : maps) dims.push_back(of && d < of->size() ? (*of)[d] : kNone);
    if (std::ranges::all_of(dims, [](int64_t at) { return at == kNone; })) continue;
    rule.factor(dims, static_cast<int64_t>(d), first.shape.dims[d]);
  }
  if constexpr (extra != nullptr) extra(rule);
}

void contracted(RuleBuilder& rule) {
  const auto dot = product_dims(rule.computation(), rule.instruction());
  if (!dot) return;
  for (size_t k = 0; k < dot->lhs_contracting.size(); ++k) {
    const int64_t lhs = dot->lhs_contracting[k];
    rule.factor({lhs, dot->rhs_contracting[k]}, kNone, rule.operand(0).dims[static_cast<size_t>(lhs)],
                Kind::reduction);
  }
}

void convolved(RuleBuilder& rule) {
  if (product_dims(rule.computation(), rule.instruction()))
    return by_map<dim_map::product, &contracted>(rule);
  const auto dims = convolution_dims(rule.computation(), rule.instruction());
  if (dims.ok()) convolution_factors(*dims, rule);
}

void reduced(RuleBuilder& rule) {
  for (const int64_t d : rule.instruction().dimensions) {
    std::vector<int64_t> dims(rule.instruction().operands.size() / 2, d);
    rule.factor(dims, kNone, rule.operand(0).dims[static_cast<size_t>(d)], Kind::reduction);
  }
}

// Slices put together, or an array with slices of itself: neighbours' elements move. Else each device needs
// the whole.
Kind joined_kind(const RuleBuilder& rule) {
  const Computation& c = rule.computation();
  const auto& operands = rule.instruction().operands;
  const auto is_slice = [&](InstructionId id) { return c.at(id).opcode == Opcode::slice; };
  const auto sliced = [&](InstructionId id) { return is_slice(id) ? c.at(id).operands[0] : id; };
  if (std::ranges::all_of(operands, is_slice)) return Kind::permutation;
  const bool one =
      std::ranges::all_of(operands, [&](InstructionId id) { return sliced(id) == sliced(operands.front()); });
  return one && std::ranges::any_of(operands, is_slice) ? Kind::permutation : Kind::need_replication;
}

void joined(RuleBuilder& rule) {
  const int64_t d = rule.instruction().dimensions.front();
  rule.factor(std::vector<int64_t>(rule.instruction().operands.size(), d), d,
              rule.result().dims[static_cast<size_t>(d)], joined_kind(rule));
}

// Sorting needs the whole of its dimension; that alone is no reason to hand its cut on.
void sorted(RuleBuilder& rule) {
  const Shape& shape = rule.result();
  for (const int64_t d : rule.instruction().dimensions) {
    const auto at = static_cast<size_t>(d);
    rule.factor(std::vector<int64_t>(rule.instruction().operands.size(), d), d, shape.dims[at],
                Kind::need_replication, shape.element_count() == shape.dims[at]);
  }
}

// A window of one element that stands at every place.
bool is_passed(const WindowDim& window) {
  return window.size == 1 && window.stride == 1 && window.low == 0 && window.high == 0 &&
         window.base_dilation == 1;
}

// Dimension d to d whatever becomes of its size: neighbours' elements move.
void moved(RuleBuilder& rule) {
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const bool same = rule.operand(0).dims[d] == rule.result().dims[d];
    rule.factor({static_cast<int64_t>(d)}, static_cast<int64_t>(d), rule.operand(0).dims[d],
                same ? Kind::pass_through : Kind::permutation);
  }
}

void windowed(RuleBuilder& rule) {
  const Instruction& i = rule.instruction();
  const auto windows = window_dims(i, rule.result().rank());
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const bool passed = windows.ok() && is_passed((*windows)[d]);
    rule.factor(std::vector<int64_t>(i.operands.size() / 2, static_cast<int64_t>(d)), static_cast<int64_t>(d),
                rule.result().dims[d], passed ? Kind::pass_through : Kind::permutation);
  }
}

// Elements of a dimension are taken wherever they are.
void taken(RuleBuilder& rule) {
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const bool same = rule.operand(0).dims[d] == rule.result().dims[d];
    rule.factor({static_cast<int64_t>(d)}, static_cast<int64_t>(d), rule.operand(0).dims[d],
                same ? Kind::pass_through : Kind::need_replication, !same);
  }
}

// Each device writes what falls into its part, so it needs the whole update; that of constant places may be
// split, but not as the array is.
void updated(RuleBuilder& rule) {
  const Shape &whole = rule.operand(0), &update = rule.operand(1);
  const auto& operands = rule.instruction().operands;
  const bool constant = std::all_of(operands.begin() + 2, operands.end(), [&](InstructionId id) {
    return rule.computation().at(id).opcode == Opcode::constant;
  });
  for (size_t d = 0; d < whole.rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const bool same = whole.dims[d] == update.dims[d];
    rule.factor({at, same ? at : kNone}, at, whole.dims[d]);
    if (!same)
      rule.factor({kNone, at}, kNone, update.dims[d], constant ? Kind::pass_through : Kind::need_replication);
  }
}

void gathered(RuleBuilder& rule) {
  const auto g = gather_dims(rule.computation(), rule.instruction());
  if (!g.ok()) return;
  const Indexed x{
      &rule.operand(0),
      &rule.operand(1),
      &rule.result(),
      g->offset_dims,
      g->collapsed_slice_dims,
      g->operand_batching_dims,
      g->start_indices_batching_dims,
      g->index_vector_dim < 0 ? static_cast<int64_t>(rule.operand(1).rank()) : g->index_vector_dim};
  for (const IndexedFactor& f : indexed_factors(x))
    rule.factor({f.whole, f.index}, f.slice, f.size, f.kind, f.blocked);
}

void scattered(RuleBuilder& rule) {
  const auto s = scatter_dims(rule.computation(), rule.instruction());
  if (!s.ok()) return;
  const size_t inputs = rule.instruction().operands.size() / 2;
  const int64_t indices = static_cast<int64_t>(rule.operand(inputs).rank());
  const Indexed x{&rule.operand(0),
                  &rule.operand(inputs),
                  &rule.operand(inputs + 1),
                  s->update_window_dims,
                  s->inserted_window_dims,
                  s->input_batching_dims,
                  s->indices_batching_dims,
                  s->index_vector_dim < 0 ? indices : s->index_vector_dim,
                  true,
                  inputs == 1};
  for (const IndexedFactor& f : indexed_factors(x)) {
    std::vector<int64_t> dims(inputs, f.whole);
    dims.push_back(f.index);
    dims.insert(dims.end(), inputs, f.slice);
    rule.factor(dims, f.whole, f.size, f.kind, f.blocked);
  }
}

void reshaped(RuleBuilder& rule) {
  if (rule.operand(0).element_count() != rule.result().element_count()) return;  // a bitcast of another width
  for (const ReshapeFactor& f : reshape_factors(rule.operand(0).dims, rule.result().dims)) {
    const size_t made = rule.add(f.size, Kind::pass_through);
    rule.in_operand(0, f.from, made);
    rule.in_results(f.to, made);
  }
}

// What hands its operand on.
bool passes_on(const Instruction& i) {
  const std::string& target = custom_call_target(i);
  return target == kPropagationBarrier || target == kFuncResultSharding;
}

// What enters a manual region or leaves it: along the region's axes each place has a part of the whole.
void crossed(RuleBuilder& rule) {
  const bool enters = enters_region(rule.instruction());
  const Shape &whole = enters ? rule.operand(0) : rule.result(),
              &part = enters ? rule.result() : rule.operand(0);
  for (size_t d = 0; d < part.rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const int64_t places = part.dims[d] == 0 ? 1 : ceil_div(whole.dims[d], part.dims[d]);
    if (places > 1) rule.factor({enters ? at : kNone}, enters ? kNone : at, places);
    rule.factor({at}, at, part.dims[d]);
  }
}

// A collective of a manual region: what it does not gather, scatter or exchange it leaves as it is.
void met(RuleBuilder& rule) {
  if (rule.instruction().operands.size() == 1 && !rule.instruction().shape.is_tuple)
    by_map<dim_map::same>(rule);
}

// Custom calls that are known to keep their operand's dimensions.
void called(RuleBuilder& rule) {
  if (enters_region(rule.instruction()) || leaves_region(rule.instruction())) return crossed(rule);
  passes_on(rule.instruction()) ? by_map<dim_map::same>(rule) : by_map<dim_map::custom_call>(rule);
}

// The source of a select-and-scatter has an element for each window of the operand.
void pooled(RuleBuilder& rule) {
  const auto windows = window_dims(rule.instruction(), rule.result().rank());
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const bool passed = windows.ok() && is_passed((*windows)[d]);
    if (passed) {
      rule.factor({at, at}, at, rule.result().dims[d]);
      continue;
    }
    rule.factor({kNone, at}, kNone, rule.operand(1).dims[d], Kind::need_replication);
    rule.factor({at, kNone}, at, rule.result().dims[d], Kind::permutation);
  }
}

void reversed(RuleBuilder& rule) {
  const Instruction& i = rule.instruction();
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const bool turned = std::ranges::count(*i.dimensions, at) > 0;
    rule.factor({at}, at, rule.result().dims[d], turned ? Kind::permutation : Kind::pass_through);
  }
}

// What is behind the batch is needed whole.
void solved(RuleBuilder& rule) {
  by_map<dim_map::batched>(rule);
  const auto count = batch_dims(rule.computation(), rule.instruction());
  for (size_t k = 0; k < rule.instruction().operands.size(); ++k)
    for (int64_t d = count.value_or(0); d < static_cast<int64_t>(rule.operand(k).rank()); ++d) {
      const size_t made = rule.add(rule.operand(k).dims[static_cast<size_t>(d)], Kind::need_replication);
      rule.in_operand(k, d, made);
    }
  for (int64_t d = count.value_or(0); d < static_cast<int64_t>(rule.result().rank()); ++d)
    rule.in_results(d, rule.add(rule.result().dims[static_cast<size_t>(d)], Kind::need_replication));
}

using Make = void (*)(RuleBuilder& rule);

const OpTable<Make>& rules() {
  static const OpTable<Make> table(
      {{OpClass::elementwise, &by_map<dim_map::elementwise>}, {OpClass::collective, &met}},
      {
          {Opcode::copy, &by_map<dim_map::same>},
          {Opcode::custom_call, &called},
          {Opcode::transpose, &by_map<dim_map::transposed>},
          {Opcode::reshape, &reshaped},
          {Opcode::bitcast, &reshaped},
          {Opcode::bitcast_convert, &by_map<dim_map::same>},
          {Opcode::broadcast, &by_map<dim_map::broadcast>},
          {Opcode::concatenate, &by_map<dim_map::concatenated, &joined>},
          {Opcode::dynamic_slice, &taken},
          {Opcode::dynamic_update_slice, &updated},
          {Opcode::slice, &moved},
          {Opcode::pad, &moved},
          {Opcode::reduce_window, &windowed},
          {Opcode::select_and_scatter, &pooled},
          {Opcode::cholesky, &solved},
          {Opcode::triangular_solve, &solved},
          {Opcode::map, &by_map<dim_map::elementwise>},
          {Opcode::add_dependency, &by_map<dim_map::first_operand>},
          {Opcode::reverse, &reversed},
          {Opcode::sort, &by_map<dim_map::turned, &sorted>},
          {Opcode::topk, &by_map<dim_map::picked>},
          {Opcode::fft, &by_map<dim_map::transformed>},
          {Opcode::reduce, &by_map<dim_map::reduced, &reduced>},
          {Opcode::gather, &gathered},
          {Opcode::scatter, &scattered},
          {Opcode::dot, &by_map<dim_map::product, &contracted>},
          {Opcode::convolution, &convolved},
      });
  return table;
}

}  // namespace

std::optional<FactorRule> factor_rule(const Computation& c, const Instruction& i) {
  const Make make = rules()[i.opcode];
  if (make == nullptr || i.operands.empty()) return std::nullopt;
  for (const InstructionId operand : i.operands)
    if (c.at(operand).shape.is_tuple) return std::nullopt;
  if (i.shape.is_tuple && (i.shape.elements.empty() || i.shape.elements.front().is_tuple))
    return std::nullopt;
  if (auto said = sharding_rule_of(c, i)) return as_said(*std::move(said));
  RuleBuilder rule(c, i);
  make(rule);
  return std::move(rule).done();
}

}  // namespace shardscope::inline partitioner
