// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/dim_maps.h"

#include <algorithm>

#include "engine/partition/types/batched_call.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"
#include "engine/program/registered.h"

namespace shardscope::inline partitioner {
namespace {

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

}  // namespace

namespace dim_map {

std::optional<DimMap> same(const Computation& c, const Instruction& i, size_t k) {
  return same_dims(c.at(i.operands[k]).shape, i.shape);
}

std::optional<DimMap> elementwise(const Computation& c, const Instruction& i, size_t k) {
  // The scalar side of select or clamp says nothing.
  return c.at(i.operands[k]).shape.dims == i.shape.dims ? same(c, i, k) : std::nullopt;
}

std::optional<DimMap> first_operand(const Computation& c, const Instruction& i, size_t k) {
  return k == 0 ? same(c, i, k) : std::nullopt;
}

std::optional<DimMap> first_two_operands(const Computation& c, const Instruction& i, size_t k) {
  return k <= 1 ? same(c, i, k) : std::nullopt;
}

std::optional<DimMap> transposed(const Computation&, const Instruction& i, size_t) {
  return i.dimensions;
}

std::optional<DimMap> broadcast(const Computation&, const Instruction& i, size_t) {
  DimMap map(i.shape.rank(), -1);
  for (size_t d = 0; d < i.dimensions.size(); ++d)
    map[static_cast<size_t>(i.dimensions[d])] = static_cast<int64_t>(d);
  return map;
}

std::optional<DimMap> concatenated(const Computation& c, const Instruction& i, size_t k) {
  DimMap map = same_dims(c.at(i.operands[k]).shape, i.shape);
  map[static_cast<size_t>(i.dimensions[0])] = -1;
  return map;
}

std::optional<DimMap> turned(const Computation& c, const Instruction& i, size_t k) {
  DimMap map = same_dims(c.at(i.operands[k]).shape, i.shape);
  for (const int64_t d : i.dimensions)
    if (d >= 0 && d < static_cast<int64_t>(map.size())) map[static_cast<size_t>(d)] = -1;
  return map;
}

std::optional<DimMap> reduced(const Computation& c, const Instruction& i, size_t k) {
  if (2 * k >= i.operands.size()) return std::nullopt;
  return free_dims(c.at(i.operands[k]).shape.rank(), {}, i.dimensions);
}

// Indices say the result's batch dimensions, the operand those of its slices that are whole.
std::optional<DimMap> gathered(const Computation& c, const Instruction& i, size_t k) {
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

// Operands say all, updates the dimensions that their windows take whole, both and the indices those that
// they are paired in.
std::optional<DimMap> scattered(const Computation& c, const Instruction& i, size_t k) {
  const auto s = scatter_dims(c, i);
  const size_t arrays = i.operands.size() / 2;
  if (!s.ok()) return std::nullopt;
  if (k < arrays) return same(c, i, k);
  const Shape &whole = c.at(i.operands[0]).shape, &updates = c.at(i.operands[arrays + 1]).shape;
  DimMap map(whole.rank(), -1);
  for (size_t b = 0; b < s->input_batching_dims.size(); ++b) {
    const int64_t of_indices = s->indices_batching_dims[b];
    int64_t of_updates =
        0;  // the same of the updates: their batch dimensions are those of the indices, in order
    for (int64_t left = of_indices - (of_indices > s->index_vector_dim ? 1 : 0);; ++of_updates)
      if (!has_dim(s->update_window_dims, static_cast<size_t>(of_updates)) && left-- == 0) break;
    map[static_cast<size_t>(s->input_batching_dims[b])] = k == arrays ? of_indices : of_updates;
  }
  if (k == arrays) return map;
  size_t window = 0;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (has_dim(s->inserted_window_dims, d) || has_dim(s->input_batching_dims, d)) continue;
    const int64_t from = s->update_window_dims[window++];
    if (updates.dims[static_cast<size_t>(from)] == whole.dims[d]) map[d] = from;
  }
  return map;
}

// Of a result like the first operand's batch.
std::optional<DimMap> batched(const Computation& c, const Instruction& i, size_t k) {
  const auto count = batch_dims(c, i);
  const Shape &first = c.at(i.operands[0]).shape, &operand = c.at(i.operands[k]).shape;
  if (!count || operand.is_tuple) return std::nullopt;
  DimMap map(i.shape.rank(), -1);
  for (size_t d = 0; d < std::min(map.size(), static_cast<size_t>(*count)); ++d)
    if (d < operand.rank() && d < first.rank() && operand.dims[d] == first.dims[d] &&
        i.shape.dims[d] == first.dims[d])
      map[d] = static_cast<int64_t>(d);
  return map;
}

std::optional<DimMap> product(const Computation& c, const Instruction& i, size_t k) {
  const auto dot = product_dims(c, i);
  if (!dot) return std::nullopt;
  DimMap map = k == 0 ? dot->lhs_batch : dot->rhs_batch;
  const DimMap lhs = free_dims(c.at(i.operands[0]).shape.rank(), dot->lhs_batch, dot->lhs_contracting);
  const DimMap rhs = free_dims(c.at(i.operands[1]).shape.rank(), dot->rhs_batch, dot->rhs_contracting);
  for (const int64_t d : lhs) map.push_back(k == 0 ? d : -1);
  for (const int64_t d : rhs) map.push_back(k == 1 ? d : -1);
  return map;
}

// Batch and features as in a product; space where the result is as large as the image.
std::optional<DimMap> convolution(const Computation& c, const Instruction& i, size_t k) {
  if (auto map = product(c, i, k)) return map;
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

// Rows by themselves: the last dimension is looked at as a whole.
std::optional<DimMap> picked(const Computation& c, const Instruction& i, size_t k) {
  const Shape& operand = c.at(i.operands[k]).shape;
  DimMap map = same_dims(operand, operand);
  if (!map.empty()) map.back() = -1;
  return map;
}

// Dimensions in front of those that are transformed.
std::optional<DimMap> transformed(const Computation& c, const Instruction& i, size_t k) {
  const auto* fft = std::get_if<Fft>(&*i.attributes);
  if (fft == nullptr) return std::nullopt;
  DimMap map = same_dims(c.at(i.operands[k]).shape, i.shape);
  const size_t whole = std::min(map.size(), fft->length.size());
  std::fill(map.end() - static_cast<std::ptrdiff_t>(whole), map.end(), -1);
  return map;
}

// By the rule that it carries: those of the operand's dimensions that are sharded as the result's are.
std::optional<DimMap> ruled(const Computation& c, const Instruction& i, size_t k) {
  const auto call = batched_call(c, i);
  if (!call || call->results.size() != 1) return std::nullopt;
  DimMap map(i.shape.rank(), -1);
  for (size_t d = 0; d < map.size(); ++d)
    for (size_t of = 0; of < call->operands[k].size(); ++of)
      if (call->results[0][d] >= 0 && call->results[0][d] == call->operands[k][of])
        map[d] = static_cast<int64_t>(of);
  return map;
}

// Annotations are their operand; TopK finds the largest of each row by itself; a registered operation says
// how it is sharded, others what is a batch.
std::optional<DimMap> custom_call(const Computation& c, const Instruction& i, size_t k) {
  const CustomTarget target = custom_target(i);
  if (i.operands.empty() || c.at(i.operands[k]).shape.is_tuple) return std::nullopt;
  if (target == CustomTarget::sharding || target == CustomTarget::placement)
    return i.operands.size() == 1 ? std::optional(same_dims(c.at(i.operands[k]).shape, i.shape))
                                  : std::nullopt;
  const auto top = top_dims(c, i);
  if (!top) return is_whole_call(i) ? ruled(c, i, k) : batched(c, i, k);
  if (k >= top->arrays) return std::nullopt;
  DimMap map = same_dims(c.at(i.operands[k]).shape, i.shape);
  if (top->dimension < static_cast<int64_t>(map.size())) map[static_cast<size_t>(top->dimension)] = -1;
  return map;
}

}  // namespace dim_map
}  // namespace shardscope::inline partitioner
