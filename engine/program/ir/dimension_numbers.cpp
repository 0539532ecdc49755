// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/dimension_numbers.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

using Dims = std::vector<int64_t>;

Error bad_attribute(const Instruction& i, std::string_view key, const std::string& expected) {
  return invalid(std::string(key) + " does not fit, expected " + expected, "%" + i.name);
}

template <typename T>
T attribute_or_default(const Instruction& i) {
  const T* own = std::get_if<T>(&*i.attributes);
  return own == nullptr ? T() : *own;
}

// Small enough for sums of sizes to stay within int64.
bool in_reach(std::initializer_list<int64_t> numbers) {
  return std::ranges::all_of(numbers, [](int64_t n) { return n >= -kMostPadding && n <= kMostPadding; });
}

bool contains(const Dims& dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

// Each once, within an array of `rank` dimensions.
Result<void> check_distinct(const Instruction& i, std::string_view key, Dims dims, size_t rank) {
  std::sort(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] < 0 || dims[d] >= static_cast<int64_t>(rank) || (d > 0 && dims[d] == dims[d - 1]))
      return bad_attribute(i, key, "different dimensions of an array of rank " + std::to_string(rank));
  return {};
}

// What gather and scatter share: entries of `indices` say places along dimensions of `operand`.
struct Lookup {
  const Shape& operand;
  const Shape& indices;
  const Dims& places;  // by entry
  const Dims& operand_batch;
  const Dims& indices_batch;
  int64_t vector_dim = 0;
};

// Batching dimensions of an operand and of its indices go together, with equal sizes.
bool batches_agree(const Lookup& l) {
  if (l.operand_batch.size() != l.indices_batch.size()) return false;
  for (size_t d = 0; d < l.operand_batch.size(); ++d)
    if (l.indices_batch[d] == l.vector_dim || l.operand.dims[static_cast<size_t>(l.operand_batch[d])] !=
                                                  l.indices.dims[static_cast<size_t>(l.indices_batch[d])])
      return false;
  return true;
}

bool is_sound(const Lookup& l) {
  const auto rank = static_cast<int64_t>(l.indices.rank());
  if (l.operand.is_tuple || l.indices.is_tuple || !is_integer(l.indices.type)) return false;
  if (l.vector_dim < 0 || l.vector_dim > rank) return false;
  const int64_t entries = l.vector_dim < rank ? l.indices.dims[static_cast<size_t>(l.vector_dim)] : 1;
  return entries == static_cast<int64_t>(l.places.size()) && batches_agree(l);
}

// Sizes of the indices' dimensions, without the one along which an entry lies.
Dims around(const Lookup& l) {
  Dims out;
  for (size_t d = 0; d < l.indices.rank(); ++d)
    if (static_cast<int64_t>(d) != l.vector_dim) out.push_back(l.indices.dims[d]);
  return out;
}

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The result's offset dimensions are the slice's that are kept, its others those of the indices.
bool gathers(const GatherDims& g, const Lookup& l, const Dims& dropped, const Shape& result) {
  const size_t rank = l.operand.rank();
  const Dims batch = around(l);
  if (!is_sound(l) || result.is_tuple || g.slice_sizes.size() != rank ||
      g.offset_dims.size() + dropped.size() != rank || result.rank() != g.offset_dims.size() + batch.size())
    return false;
  Dims kept;
  for (size_t d = 0; d < rank; ++d) {
    const bool one = contains(dropped, static_cast<int64_t>(d));
    const int64_t size = g.slice_sizes[d];
    if (size < 0 || size > l.operand.dims[d] || (one && size != 1)) return false;
    if (!one) kept.push_back(size);
  }
  size_t next_kept = 0, next_batch = 0;
  for (size_t d = 0; d < result.rank(); ++d) {
    const bool is_offset = contains(g.offset_dims, static_cast<int64_t>(d));
    if (result.dims[d] != (is_offset ? kept[next_kept++] : batch[next_batch++])) return false;
  }
  return true;
}

bool scatters(const ScatterDims& s, const Lookup& l, const Dims& dropped, const Shape& updates) {
  const Dims batch = around(l);
  if (!is_sound(l) || updates.is_tuple || s.update_window_dims.size() + dropped.size() != l.operand.rank() ||
      updates.rank() != s.update_window_dims.size() + batch.size())
    return false;
  size_t next = 0;
  for (size_t d = 0; d < updates.rank(); ++d)
    if (!contains(s.update_window_dims, static_cast<int64_t>(d)) && updates.dims[d] != batch[next++])
      return false;
  return true;
}

// The shape of one array, or a tuple of several.
bool are_results(const Shape& shape, size_t arrays) {
  return shape.is_tuple ? shape.elements.size() == arrays : arrays == 1;
}
const Shape& part_of(const Shape& shape, size_t k) {
  return shape.is_tuple ? shape.elements[k] : shape;
}

bool convolves(const ConvolutionDims& c, const Shape& lhs, const Shape& rhs, const Shape& result) {
  const int64_t groups = c.feature_groups;
  const int64_t features = size_in(rhs, c.kernel_output), batch = size_in(lhs, c.input_batch);
  if (groups < 1 || c.batch_groups < 1 || (groups != 1 && c.batch_groups != 1)) return false;
  if (size_in(lhs, c.input_feature) % groups != 0 || features % groups != 0 ||
      size_in(rhs, c.kernel_input) != size_in(lhs, c.input_feature) / groups)
    return false;
  if (features % c.batch_groups != 0 || batch % c.batch_groups != 0) return false;
  for (size_t d = 0; d < c.window.size(); ++d)
    if (c.window[d].size != size_in(rhs, c.kernel_spatial[d])) return false;
  return result.dims == convolution_result(c, lhs, rhs);
}

}  // namespace

const std::string* verbatim_attribute(const Instruction& instruction, std::string_view key) {
  for (const VerbatimAttribute& attribute : instruction.verbatim)
    if (attribute.key == key) return &attribute.value;
  return nullptr;
}

const std::string& custom_call_target(const Instruction& instruction) {
  static const std::string kNone;
  const auto* call = std::get_if<CustomCall>(&*instruction.attributes);
  return call == nullptr || instruction.opcode != Opcode::custom_call ? kNone : call->target;
}

CompareDirection comparison(const Instruction& compare) {
  return attribute_or_default<CompareDirection>(compare);
}

Result<std::vector<PadDim>> pad_dims(const Instruction& pad, size_t rank) {
  std::vector<PadDim> out = attribute_or_default<Padding>(pad).dims;
  if (out.size() != rank)
    return bad_attribute(pad, "padding",
                         "low_high or low_high_interior of " + std::to_string(rank) + " dimensions");
  return out;
}

Result<std::vector<WindowDim>> window_dims(const Instruction& instruction, size_t rank) {
  const auto* convolution = std::get_if<ConvolutionDims>(&*instruction.attributes);
  std::vector<WindowDim> window =
      convolution != nullptr ? convolution->window : attribute_or_default<Window>(instruction).dims;
  if (window.empty()) window.resize(rank);
  if (window.size() != rank)
    return bad_attribute(instruction, "window", std::to_string(rank) + " dimensions");
  return window;
}

int64_t padded_size(const PadDim& pad, int64_t size) {
  if (!in_reach({pad.low, pad.high}) || pad.interior < 0) return -1;
  const auto between = checked_multiply(std::max<int64_t>(size - 1, 0), pad.interior);
  return between && *between <= kMostPadding ? size + *between + pad.low + pad.high : -1;
}

int64_t window_places(const WindowDim& w, int64_t size) {
  if (!in_reach({w.size, w.low, w.high}) || w.size < 1 || w.stride < 1 || w.base_dilation < 1 ||
      w.window_dilation < 1)
    return 0;
  const auto dilated = checked_multiply(std::max<int64_t>(size - 1, 0), w.base_dilation);
  const auto reach = checked_multiply(w.size - 1, w.window_dilation);
  if (!dilated || !reach || *dilated > kMostPadding || *reach > kMostPadding) return 0;
  const int64_t room = (size == 0 ? 0 : *dilated + 1) + w.low + w.high - (*reach + 1);
  return room < 0 ? 0 : room / w.stride + 1;
}

std::vector<int64_t> convolution_result(const ConvolutionDims& c, const Shape& image, const Shape& kernel) {
  std::vector<int64_t> out(image.rank());
  const auto put = [&](int64_t dim, int64_t size) { out[static_cast<size_t>(dim)] = size; };
  put(c.output_batch, size_in(image, c.input_batch) / c.batch_groups);
  put(c.output_feature, size_in(kernel, c.kernel_output));
  for (size_t s = 0; s < c.window.size(); ++s)
    put(c.output_spatial[s], window_places(c.window[s], size_in(image, c.input_spatial[s])));
  return out;
}

Result<ConvolutionDims> convolution_dims(const Computation& computation, const Instruction& i) {
  const auto* labels = std::get_if<ConvolutionDims>(&*i.attributes);
  if (labels == nullptr || labels->input_batch < 0 || i.operands.size() != 2)
    return bad_attribute(i, "dim_labels", "such as bf_io->bf, and two operands");
  const Shape& lhs = computation.at(i.operands[0]).shape;
  const Shape& rhs = computation.at(i.operands[1]).shape;
  ConvolutionDims out = *labels;
  const size_t rank = out.input_spatial.size() + 2;
  if (lhs.is_tuple || rhs.is_tuple || i.shape.is_tuple || lhs.rank() != rank || rhs.rank() != rank ||
      i.shape.rank() != rank)
    return bad_attribute(i, "dim_labels", "arrays of rank " + std::to_string(rank));
  TRY(out.window, window_dims(i, out.input_spatial.size()));
  if (!convolves(out, lhs, rhs, i.shape))
    return invalid("the window and the sizes do not fit together", "%" + i.name);
  return out;
}

std::optional<DotDims> product_dims(const Computation& computation, const Instruction& i) {
  if (i.opcode == Opcode::dot) return i.dot;
  if (i.opcode != Opcode::convolution) return std::nullopt;
  const auto dims = convolution_dims(computation, i);
  if (!dims.ok() || !dims->window.empty() || dims->feature_groups != 1 || dims->batch_groups != 1 ||
      dims->output_batch != 0)
    return std::nullopt;
  DotDims out;
  out.lhs_contracting = {dims->input_feature};
  out.rhs_contracting = {dims->kernel_input};
  return out;
}

Result<GatherDims> gather_dims(const Computation& computation, const Instruction& i) {
  if (i.operands.size() != 2) return invalid("gather needs an operand and indices", "%" + i.name);
  const Shape& operand = computation.at(i.operands[0]).shape;
  const Shape& indices = computation.at(i.operands[1]).shape;
  auto out = attribute_or_default<GatherDims>(i);
  if (out.index_vector_dim < 0) out.index_vector_dim = static_cast<int64_t>(indices.rank());
  const Dims dropped = joined(out.collapsed_slice_dims, out.operand_batching_dims);
  TRY_VOID(check_distinct(i, "offset_dims", out.offset_dims, i.shape.rank()));
  TRY_VOID(check_distinct(i, "collapsed_slice_dims", dropped, operand.rank()));
  TRY_VOID(check_distinct(i, "start_index_map", out.start_index_map, operand.rank()));
  TRY_VOID(check_distinct(i, "start_indices_batching_dims", out.start_indices_batching_dims, indices.rank()));
  const Lookup lookup{operand,
                      indices,
                      out.start_index_map,
                      out.operand_batching_dims,
                      out.start_indices_batching_dims,
                      out.index_vector_dim};
  if (gathers(out, lookup, dropped, i.shape)) return out;
  return invalid("the dimension numbers of gather do not fit its shapes", "%" + i.name);
}

Result<ScatterDims> scatter_dims(const Computation& computation, const Instruction& i) {
  const size_t arrays = i.operands.size() / 2;
  if (i.operands.size() != 2 * arrays + 1 || arrays == 0)
    return invalid("scatter needs operands, indices and as many updates as operands", "%" + i.name);
  const auto shape = [&](size_t k) -> const Shape& { return computation.at(i.operands[k]).shape; };
  const Shape &operand = shape(0), &indices = shape(arrays), &updates = shape(arrays + 1);
  auto out = attribute_or_default<ScatterDims>(i);
  if (out.index_vector_dim < 0) out.index_vector_dim = static_cast<int64_t>(indices.rank());
  const Dims dropped = joined(out.inserted_window_dims, out.input_batching_dims);
  TRY_VOID(check_distinct(i, "update_window_dims", out.update_window_dims, updates.rank()));
  TRY_VOID(check_distinct(i, "inserted_window_dims", dropped, operand.rank()));
  TRY_VOID(check_distinct(i, "scatter_dims_to_operand_dims", out.to_operand_dims, operand.rank()));
  TRY_VOID(check_distinct(i, "scatter_indices_batching_dims", out.indices_batching_dims, indices.rank()));
  const Lookup lookup{operand,
                      indices,
                      out.to_operand_dims,
                      out.input_batching_dims,
                      out.indices_batching_dims,
                      out.index_vector_dim};
  bool fits = scatters(out, lookup, dropped, updates) && are_results(i.shape, arrays);
  for (size_t k = 0; fits && k < arrays; ++k) {
    const Shape &of = shape(k), &by = shape(arrays + 1 + k), &result = part_of(i.shape, k);
    fits = !of.is_tuple && !by.is_tuple && !result.is_tuple && of.dims == operand.dims &&
           by.dims == updates.dims && result.dims == of.dims;
  }
  if (fits) return out;
  return invalid("the dimension numbers of scatter do not fit its shapes", "%" + i.name);
}

std::vector<int64_t> physical_order(const Shape& shape) {
  Dims order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  Dims minor_first;
  for (const std::string& part :
       split(std::string_view(shape.layout).substr(0, shape.layout->find(':')), ','))
    if (const auto d = parse_int(part)) minor_first.push_back(*d);
  Dims found(minor_first.rbegin(), minor_first.rend());
  return std::is_permutation(found.begin(), found.end(), order.begin(), order.end()) ? found : order;
}

}  // namespace shardscope::inline program
