// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/propagation_rules.h"

#include <algorithm>

#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

using DimMap = std::vector<int64_t>;  // by result dimension: the operand's that it is, -1: none

bool has_dim(const std::vector<int64_t>& dims, size_t d) {
  return std::ranges::count(dims, static_cast<int64_t>(d)) > 0;
}

// Dimension d to d where the sizes agree: a dimension that is cut short or joined cannot keep its tiles.
DimMap same_dims(const Shape& operand, const Shape& result) {
  DimMap map(result.rank(), -1);
  for (size_t d = 0; d < map.size(); ++d)
    if (d < operand.rank() && operand.dims[d] == result.dims[d]) map[d] = static_cast<int64_t>(d);
  return map;
}

DimMap free_dims_of(const std::vector<int64_t>& batch, const std::vector<int64_t>& contracting, size_t rank) {
  DimMap out;
  for (size_t d = 0; d < rank; ++d)
    if (!has_dim(batch, d) && !has_dim(contracting, d)) out.push_back(static_cast<int64_t>(d));
  return out;
}

DimMap product_map(const Computation& c, const Instruction& i, const DotDims& dot, size_t k) {
  const DimMap& batch = k == 0 ? dot.lhs_batch : dot.rhs_batch;
  const DimMap lhs = free_dims_of(dot.lhs_batch, dot.lhs_contracting, c.at(i.operands[0]).shape.rank());
  const DimMap rhs = free_dims_of(dot.rhs_batch, dot.rhs_contracting, c.at(i.operands[1]).shape.rank());
  DimMap map = batch;
  for (const int64_t d : lhs) map.push_back(k == 0 ? d : -1);
  for (const int64_t d : rhs) map.push_back(k == 1 ? d : -1);
  return map;
}

// Indices say the result's batch dimensions, the operand those of its slices that are whole.
std::optional<DimMap> gather_map(const Computation& c, const Instruction& i, size_t k) {
  const auto g = gather_dims(c, i);
  if (!g.ok() || k > 1) return std::nullopt;
  const Shape& operand = c.at(i.operands[0]).shape;
  DimMap map(i.shape.rank(), -1), kept;
  for (size_t d = 0; d < operand.rank(); ++d)
    if (!has_dim(g->collapsed_slice_dims, d) && !has_dim(g->operand_batching_dims, d))
      kept.push_back(static_cast<int64_t>(d));
  size_t offset = 0;
  int64_t batch = 0;
  for (size_t d = 0; d < map.size(); ++d) {
    if (has_dim(g->offset_dims, d)) {
      const int64_t from = kept[offset++];
      const auto at = static_cast<size_t>(from);
      if (k == 0 && g->slice_sizes[at] == operand.dims[at]) map[d] = from;
      continue;
    }
    if (batch == g->index_vector_dim) ++batch;
    if (k == 1) map[d] = batch;
    ++batch;
  }
  return map;
}

// Annotations; the result is the operand.
bool passes_through(const Instruction& i) {
  const std::string target = custom_call_target(i);
  return i.operands.size() == 1 && (target == "Sharding" || target == "xla.sdy.FuncResultSharding");
}

// Of each row by itself.
bool finds_largest(const Instruction& i) {
  return i.operands.size() == 1 && custom_call_target(i) == "TopK";
}

std::optional<DimMap> shape_map(const Computation& c, const Instruction& i, size_t k) {
  const Shape& operand = c.at(i.operands[k]).shape;
  DimMap map;
  switch (i.opcode) {
    case Opcode::custom_call:
      if (!passes_through(i) && !finds_largest(i)) return std::nullopt;
      map = same_dims(operand, i.shape);
      if (finds_largest(i) && !map.empty()) map.back() = -1;
      return map;
    case Opcode::copy:
      return same_dims(operand, i.shape);
    case Opcode::transpose:
      return i.dimensions;
    case Opcode::broadcast:
      map.assign(i.shape.rank(), -1);
      for (size_t d = 0; d < i.dimensions.size(); ++d)
        map[static_cast<size_t>(i.dimensions[d])] = static_cast<int64_t>(d);
      return map;
    case Opcode::concatenate:
      map = same_dims(operand, i.shape);
      map[static_cast<size_t>(i.dimensions[0])] = -1;
      return map;
    case Opcode::reverse:
    case Opcode::sort:
      map = same_dims(operand, i.shape);
      for (const int64_t d : i.dimensions)
        if (d >= 0 && d < static_cast<int64_t>(map.size())) map[static_cast<size_t>(d)] = -1;
      return map;
    case Opcode::slice:
    case Opcode::pad:
    case Opcode::dynamic_slice:
    case Opcode::reduce_window:
    case Opcode::scatter:
      if (k > 0) return std::nullopt;
      return same_dims(operand, i.shape);
    case Opcode::dynamic_update_slice:
      if (k > 1) return std::nullopt;
      return same_dims(operand, i.shape);
    case Opcode::reduce:
      if (2 * k >= i.operands.size()) return std::nullopt;
      return free_dims_of({}, i.dimensions, operand.rank());
    case Opcode::gather:
      return gather_map(c, i, k);
    default:
      return std::nullopt;
  }
}

// Batch and features as in a product; space where the result is as large as the image.
std::optional<DimMap> convolution_map(const Computation& c, const Instruction& i, size_t k) {
  const auto conv = convolution_dims(c, i);
  if (!conv.ok() || conv->batch_groups != 1) return std::nullopt;
  DimMap map(i.shape.rank(), -1);
  const Shape& image = c.at(i.operands[0]).shape;
  if (k == 1 && conv->feature_groups == 1)
    map[static_cast<size_t>(conv->output_feature)] = conv->kernel_output;
  if (k != 0) return map;
  map[static_cast<size_t>(conv->output_batch)] = conv->input_batch;
  for (size_t s = 0; s < conv->window.size(); ++s) {
    const auto from = static_cast<size_t>(conv->input_spatial[s]),
               to = static_cast<size_t>(conv->output_spatial[s]);
    if (image.dims[from] == i.shape.dims[to]) map[to] = conv->input_spatial[s];
  }
  return map;
}

std::optional<DimMap> dim_map(const Computation& c, const Instruction& i, size_t k) {
  if (const auto dot = product_dims(c, i)) return product_map(c, i, *dot, k);
  if (i.opcode == Opcode::convolution) return convolution_map(c, i, k);
  if (!is_elementwise(i.opcode)) return shape_map(c, i, k);
  const Shape& operand = c.at(i.operands[k]).shape;
  if (operand.dims != i.shape.dims) return std::nullopt;  // the scalar side of select or clamp
  return same_dims(operand, i.shape);
}

}  // namespace

int propagation_level(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::copy:
    case Opcode::custom_call:
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::tuple:
    case Opcode::get_tuple_element:
    case Opcode::while_:
    case Opcode::conditional:
    case Opcode::dynamic_slice:
    case Opcode::dynamic_update_slice:
    case Opcode::optimization_barrier:
    case Opcode::concatenate:
      return 0;
    case Opcode::broadcast:
      return 2;
    default:
      return is_elementwise(i.opcode) ? 0 : 1;
  }
}

std::optional<Tiling> result_from_operand(const Computation& c, const Instruction& i, size_t k,
                                          const Tiling& operand) {
  if (i.opcode == Opcode::reshape || i.opcode == Opcode::bitcast) {
    const Shape& from = c.at(i.operands[k]).shape;
    if (from.element_count() != i.shape.element_count() || i.shape.element_count() == 0) return std::nullopt;
    return through_reshape(operand, from.dims, i.shape.dims).to;
  }
  const auto map = dim_map(c, i, k);
  return map ? std::optional(operand.mapped(*map)) : std::nullopt;
}

std::optional<Tiling> operand_from_result(const Computation& c, const Instruction& i, size_t k,
                                          const Tiling& result) {
  const Shape& to = c.at(i.operands[k]).shape;
  if (to.is_tuple) return std::nullopt;
  if (i.opcode == Opcode::reshape || i.opcode == Opcode::bitcast) {
    if (to.element_count() != i.shape.element_count() || to.element_count() == 0) return std::nullopt;
    return through_reshape(result, i.shape.dims, to.dims).to;
  }
  const auto map = dim_map(c, i, k);
  if (!map) return std::nullopt;
  DimMap inverse(to.rank(), -1);
  for (size_t d = 0; d < map->size(); ++d)
    if ((*map)[d] >= 0) inverse[static_cast<size_t>((*map)[d])] = static_cast<int64_t>(d);
  return result.mapped(inverse);
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

std::optional<Tiling> merged_tilings(const Tiling& a, const Tiling& b) {
  if (a.rank() != b.rank() || a.devices() != b.devices()) return std::nullopt;
  const auto in_a = a.coordinates(), in_b = b.coordinates();
  Tiling out{a.counts, {}};
  for (size_t d = 0; d < a.rank(); ++d) {
    if (a.counts[d] > 1 && b.counts[d] > 1 && a.counts[d] != b.counts[d]) return std::nullopt;
    out.counts[d] = std::max(a.counts[d], b.counts[d]);
  }
  const int64_t tiles = out.tiles();
  if (tiles > a.devices() || a.devices() % tiles != 0) return std::nullopt;
  std::vector<std::vector<int64_t>> holders(static_cast<size_t>(tiles));
  for (const int64_t device : a.order) {
    const auto at = static_cast<size_t>(device);
    int64_t place = 0;
    for (size_t d = 0; d < a.rank(); ++d) {
      if (a.counts[d] > 1 && b.counts[d] > 1 && in_a[at][d] != in_b[at][d]) return std::nullopt;
      place = place * out.counts[d] + (a.counts[d] > 1 ? in_a : in_b)[at][d];
    }
    holders[static_cast<size_t>(place)].push_back(device);
  }
  for (const auto& held : holders) {
    if (static_cast<int64_t>(held.size()) != a.devices() / tiles) return std::nullopt;
    out.order.insert(out.order.end(), held.begin(), held.end());
  }
  return out;
}

}  // namespace shardscope
