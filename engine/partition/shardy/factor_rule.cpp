// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/factor_rule.h"

#include <algorithm>
#include <numeric>

#include "engine/partition/propagate/dim_maps.h"
#include "engine/partition/shardy/reshape_factors.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope {
namespace {

using Kind = FactorRule::Kind;
constexpr int64_t kNone = -1;  // an array without the factor

// A rule while it is made: factors are added by the dimension that they are in each array.
class RuleBuilder {
 public:
  RuleBuilder(const Computation& c, const Instruction& i) : c_(c), i_(i) {
    for (const InstructionId operand : i.operands) rule_.operands.emplace_back(c.at(operand).shape.rank());
    for (const Shape& leaf : leaves_of(i.shape)) rule_.results.emplace_back(leaf.rank());
  }

  const Computation& computation() const { return c_; }
  const Instruction& instruction() const { return i_; }
  const Shape& operand(size_t k) const { return c_.at(i_.operands[k]).shape; }
  const Shape& result() const { return i_.shape.is_tuple ? i_.shape.elements.front() : i_.shape; }

  size_t add(int64_t size, Kind kind) {
    rule_.factors.push_back({size, kind});
    return rule_.factors.size() - 1;
  }
  void in_operand(size_t k, int64_t dim, size_t factor) { put(rule_.operands[k], dim, factor); }
  // Of all results: they are alike.
  void in_results(int64_t dim, size_t factor) {
    for (auto& mapping : rule_.results) put(mapping, dim, factor);
  }
  // One that is dimension dims[k] of operand k and `result` of the results.
  void factor(const std::vector<int64_t>& dims, int64_t result, int64_t size,
              Kind kind = Kind::pass_through) {
    const size_t made = add(size, kind);
    for (size_t k = 0; k < dims.size(); ++k) in_operand(k, dims[k], made);
    in_results(result, made);
  }
  // Dimensions that nothing was said of are factors of their own.
  FactorRule done() && {
    for (size_t k = 0; k < rule_.operands.size(); ++k) fill(rule_.operands[k], operand(k).dims);
    const std::vector<Shape> leaves = leaves_of(i_.shape);
    for (size_t k = 0; k < leaves.size(); ++k) fill(rule_.results[k], leaves[k].dims);
    return std::move(rule_);
  }

 private:
  static void put(FactorRule::Mapping& mapping, int64_t dim, size_t factor) {
    if (dim >= 0 && dim < static_cast<int64_t>(mapping.size()))
      mapping[static_cast<size_t>(dim)].push_back(factor);
  }
  void fill(FactorRule::Mapping& mapping, const std::vector<int64_t>& dims) {
    for (size_t d = 0; d < mapping.size(); ++d)
      if (mapping[d].empty()) mapping[d].push_back(add(dims[d], Kind::pass_through));
  }

  const Computation& c_;
  const Instruction& i_;
  FactorRule rule_;
};

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

void input_features(RuleBuilder& rule) {
  if (product_dims(rule.computation(), rule.instruction())) {
    contracted(rule);
    return;
  }
  const auto conv = convolution_dims(rule.computation(), rule.instruction());
  if (!conv.ok()) return;
  rule.factor({conv->input_feature, conv->kernel_input}, kNone,
              rule.operand(1).dims[static_cast<size_t>(conv->kernel_input)], Kind::reduction);
}

// Groups are the major factor of the dimensions that they divide: of features at both ends, or of the images'
// batch and the result's features.
void convolved_in_groups(RuleBuilder& rule, const ConvolutionDims& conv) {
  const Shape &image = rule.operand(0), &result = rule.result();
  const auto size = [](const Shape& shape, int64_t d) { return shape.dims[static_cast<size_t>(d)]; };
  if (conv.batch_groups > 1)
    rule.factor({conv.input_batch, conv.kernel_output}, conv.output_feature, conv.batch_groups);
  rule.factor({conv.input_batch}, conv.output_batch, size(result, conv.output_batch));
  for (size_t s = 0; s < conv.input_spatial.size(); ++s) {
    const int64_t from = conv.input_spatial[s], to = conv.output_spatial[s];
    if (size(image, from) == size(result, to)) rule.factor({from}, to, size(result, to));
  }
  if (conv.feature_groups > 1)
    rule.factor({conv.input_feature, conv.kernel_output}, conv.output_feature, conv.feature_groups);
  input_features(rule);
  rule.factor({kNone, conv.kernel_output}, conv.output_feature,
              size(result, conv.output_feature) / (conv.batch_groups * conv.feature_groups));
}

void convolved(RuleBuilder& rule) {
  const auto conv = convolution_dims(rule.computation(), rule.instruction());
  if (conv.ok() && conv->batch_groups * conv->feature_groups > 1)
    convolved_in_groups(rule, *conv);
  else
    by_map<dim_map::convolution, &input_features>(rule);
}

void reduced(RuleBuilder& rule) {
  for (const int64_t d : rule.instruction().dimensions) {
    std::vector<int64_t> dims(rule.instruction().operands.size() / 2, d);
    rule.factor(dims, kNone, rule.operand(0).dims[static_cast<size_t>(d)], Kind::reduction);
  }
}

void joined(RuleBuilder& rule) {
  const int64_t d = rule.instruction().dimensions.front();
  rule.factor(std::vector<int64_t>(rule.instruction().operands.size(), d), d,
              rule.result().dims[static_cast<size_t>(d)], Kind::permutation);
}

// Sorting needs the whole of its dimension; that alone is no reason to hand its cut on.
void sorted(RuleBuilder& rule) {
  const Shape& shape = rule.result();
  for (const int64_t d : rule.instruction().dimensions) {
    const auto at = static_cast<size_t>(d);
    if (shape.element_count() == shape.dims[at]) continue;
    rule.factor(std::vector<int64_t>(rule.instruction().operands.size(), d), d, shape.dims[at],
                Kind::need_replication);
  }
}

// Dimension d to d whatever becomes of its size: neighbours' elements move.
void moved(RuleBuilder& rule) {
  const Instruction& i = rule.instruction();
  const size_t arrays = i.opcode == Opcode::reduce_window ? i.operands.size() / 2 : 1;
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const bool same = rule.operand(0).dims[d] == rule.result().dims[d];
    rule.factor(std::vector<int64_t>(arrays, static_cast<int64_t>(d)), static_cast<int64_t>(d),
                rule.operand(0).dims[d], same ? Kind::pass_through : Kind::permutation);
  }
}

void updated(RuleBuilder& rule) {
  const Shape &whole = rule.operand(0), &update = rule.operand(1);
  for (size_t d = 0; d < whole.rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    rule.factor({at, whole.dims[d] == update.dims[d] ? at : kNone}, at, whole.dims[d]);
  }
}

// One side of an indexed operation: the array that is looked into or written to, and the slices.
struct Indexed {
  const Shape *whole = nullptr, *slices = nullptr;
  std::vector<int64_t> window_dims, dropped, whole_batch, index_batch;  // of slices, whole, whole, indices
  int64_t index_vector_dim = 0;
};

// Calls add(dimension of whole, of indices, of slices, size), -1 where there is none.
template <class Add>
void indexed_factors(const Indexed& x, const Add& add) {
  const auto in = [](const std::vector<int64_t>& dims, int64_t d) { return std::ranges::count(dims, d) > 0; };
  int64_t whole = 0, batch = 0;
  for (size_t s = 0; s < x.slices->rank(); ++s) {
    const auto at = static_cast<int64_t>(s);
    if (in(x.window_dims, at)) {
      while (in(x.dropped, whole) || in(x.whole_batch, whole)) ++whole;
      if (x.whole->dims[static_cast<size_t>(whole)] == x.slices->dims[s])
        add(whole, kNone, at, x.slices->dims[s]);
      ++whole;
      continue;
    }
    const int64_t index = batch < x.index_vector_dim ? batch : batch + 1;
    const auto place = std::ranges::find(x.index_batch, index);
    const int64_t of_whole = place == x.index_batch.end()
                                 ? kNone
                                 : x.whole_batch[static_cast<size_t>(place - x.index_batch.begin())];
    add(of_whole, index, at, x.slices->dims[s]);
    ++batch;
  }
}

void gathered(RuleBuilder& rule) {
  const auto g = gather_dims(rule.computation(), rule.instruction());
  if (!g.ok()) return;
  const Indexed x{
      &rule.operand(0),
      &rule.result(),
      g->offset_dims,
      g->collapsed_slice_dims,
      g->operand_batching_dims,
      g->start_indices_batching_dims,
      g->index_vector_dim < 0 ? static_cast<int64_t>(rule.operand(1).rank()) : g->index_vector_dim};
  indexed_factors(x, [&](int64_t whole, int64_t index, int64_t slice, int64_t size) {
    rule.factor({whole, index}, slice, size);
  });
}

void scattered(RuleBuilder& rule) {
  const auto s = scatter_dims(rule.computation(), rule.instruction());
  if (!s.ok()) return;
  const size_t inputs = rule.instruction().operands.size() / 2;
  const int64_t indices = static_cast<int64_t>(rule.operand(inputs).rank());
  const Indexed x{&rule.operand(0),
                  &rule.operand(inputs + 1),
                  s->update_window_dims,
                  s->inserted_window_dims,
                  s->input_batching_dims,
                  s->indices_batching_dims,
                  s->index_vector_dim < 0 ? indices : s->index_vector_dim};
  std::vector<bool> known(rule.operand(0).rank());
  const auto add = [&](int64_t whole, int64_t index, int64_t slice, int64_t size) {
    std::vector<int64_t> dims(inputs, whole);
    dims.push_back(index);
    dims.insert(dims.end(), inputs, slice);
    if (whole >= 0) known[static_cast<size_t>(whole)] = true;
    // What only indices and updates have is summed over.
    rule.factor(dims, whole, size, whole < 0 && index >= 0 ? Kind::reduction : Kind::pass_through);
  };
  indexed_factors(x, add);
  for (size_t d = 0; d < known.size(); ++d)
    if (!known[d]) add(static_cast<int64_t>(d), kNone, kNone, rule.operand(0).dims[d]);
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

// Custom calls that are known to keep their operand's dimensions.
void called(RuleBuilder& rule) {
  passes_on(rule.instruction()) ? by_map<dim_map::same>(rule) : by_map<dim_map::custom_call>(rule);
}

// The source of a select-and-scatter has an element for each window of the operand.
void pooled(RuleBuilder& rule) {
  for (size_t d = 0; d < rule.result().rank(); ++d) {
    const auto at = static_cast<int64_t>(d);
    const bool same = rule.operand(0).dims[d] == rule.operand(1).dims[d];
    rule.factor({at, at}, at, rule.operand(0).dims[d], same ? Kind::pass_through : Kind::permutation);
  }
}

using Make = void (*)(RuleBuilder& rule);

const OpTable<Make>& rules() {
  static const OpTable<Make> table({{OpClass::elementwise, &by_map<dim_map::elementwise>}},
                                   {
                                       {Opcode::copy, &by_map<dim_map::same>},
                                       {Opcode::custom_call, &called},
                                       {Opcode::transpose, &by_map<dim_map::transposed>},
                                       {Opcode::reshape, &reshaped},
                                       {Opcode::bitcast, &reshaped},
                                       {Opcode::bitcast_convert, &by_map<dim_map::same>},
                                       {Opcode::broadcast, &by_map<dim_map::broadcast>},
                                       {Opcode::concatenate, &by_map<dim_map::concatenated, &joined>},
                                       {Opcode::dynamic_slice, &by_map<dim_map::first_operand>},
                                       {Opcode::dynamic_update_slice, &updated},
                                       {Opcode::slice, &moved},
                                       {Opcode::pad, &moved},
                                       {Opcode::reduce_window, &moved},
                                       {Opcode::select_and_scatter, &pooled},
                                       {Opcode::cholesky, &by_map<dim_map::batched>},
                                       {Opcode::triangular_solve, &by_map<dim_map::batched>},
                                       {Opcode::map, &by_map<dim_map::elementwise>},
                                       {Opcode::add_dependency, &by_map<dim_map::first_operand>},
                                       {Opcode::reverse, &by_map<dim_map::same>},
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

FactorClass factor_class(const Instruction& i) {
  if (operation(i.opcode).kind == OpClass::elementwise) return FactorClass::arrays;
  switch (i.opcode) {
    case Opcode::copy:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::bitcast_convert:
    case Opcode::transpose:
      return FactorClass::arrays;
    case Opcode::custom_call:
      return custom_call_target(i) == kPropagationBarrier || i.shape.is_tuple ? FactorClass::other
                                                                              : FactorClass::arrays;
    case Opcode::dynamic_slice:
    case Opcode::dynamic_update_slice:
      return FactorClass::slices;
    case Opcode::broadcast:
      return FactorClass::broadcast;
    default:
      return FactorClass::other;
  }
}

}  // namespace shardscope
