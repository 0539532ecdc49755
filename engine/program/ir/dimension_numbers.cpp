// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/dimension_numbers.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/ir/hlo_lexer.h"

namespace shardscope {
namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t kMostPadding = int64_t{1} << 40;

Error bad_attribute(const Instruction& i, std::string_view key, const std::string& expected) {
  const std::string* text = verbatim_attribute(i, key);
  return invalid(
      std::string(key) + (text == nullptr ? " is missing" : "=" + *text) + ", expected " + expected,
      "%" + i.name);
}

Result<int64_t> whole_number(const Instruction& i, std::string_view key, std::string_view text) {
  const auto number = parse_int(text);
  if (!number || *number > kMostPadding || *number < -kMostPadding)
    return bad_attribute(i, key, "numbers, got '" + std::string(text) + "'");
  return *number;
}

// "{0,2}"; empty when the attribute is missing.
Result<Dims> dims_attribute(const Instruction& i, std::string_view key) {
  const std::string* text = verbatim_attribute(i, key);
  Dims out;
  if (text == nullptr) return out;
  HloLexer lexer(*text, key);
  TRY_VOID(lexer.expect("{"));
  while (!lexer.accept("}")) {
    TRY(const int64_t number, lexer.expect_integer("a dimension"));
    out.push_back(number);
    if (!lexer.accept(",") && !lexer.starts_with("}")) return lexer.expected("',' or '}'");
  }
  return out;
}

Result<int64_t> number_attribute(const Instruction& i, std::string_view key, int64_t missing) {
  const std::string* text = verbatim_attribute(i, key);
  if (text == nullptr) return missing;
  return whole_number(i, key, *text);
}

// Each once, within an array of `rank` dimensions.
Result<void> check_distinct(const Instruction& i, std::string_view key, Dims dims, size_t rank) {
  std::sort(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] < 0 || dims[d] >= static_cast<int64_t>(rank) || (d > 0 && dims[d] == dims[d - 1]))
      return bad_attribute(i, key, "different dimensions of an array of rank " + std::to_string(rank));
  return {};
}

// Batching dimensions of an operand and of its indices go together, with equal sizes.
bool batches_agree(const Shape& operand, const Dims& of_operand, const Shape& indices, const Dims& of_indices,
                   int64_t vector_dim) {
  if (of_operand.size() != of_indices.size()) return false;
  for (size_t d = 0; d < of_operand.size(); ++d)
    if (of_indices[d] == vector_dim ||
        operand.dims[static_cast<size_t>(of_operand[d])] != indices.dims[static_cast<size_t>(of_indices[d])])
      return false;
  return true;
}

Result<void> set_window_field(const Instruction& i, std::string_view key, const std::string& value,
                              WindowDim& dim) {
  if (key == "pad") {
    const std::vector<std::string> ends = split(value, '_');
    if (ends.size() != 2) return bad_attribute(i, "window", "pad=low_highx…");
    TRY(dim.low, whole_number(i, "window", ends[0]));
    TRY(dim.high, whole_number(i, "window", ends[1]));
    return {};
  }
  TRY(const int64_t number, whole_number(i, "window", value));
  if (key == "rhs_reversal") {
    dim.reversed = number != 0;
    return {};
  }
  if (number < 1) return bad_attribute(i, "window", "sizes, strides and dilations from 1");
  if (key == "size") dim.size = number;
  if (key == "stride") dim.stride = number;
  if (key == "lhs_dilate") dim.base_dilation = number;
  if (key == "rhs_dilate") dim.window_dilation = number;
  return {};
}

Result<void> read_labels(const Instruction& i, std::string_view labels, const char* plain, int64_t& first,
                         int64_t& second, Dims& spatial, size_t rank) {
  spatial.assign(rank >= 2 ? rank - 2 : 0, -1);
  first = second = -1;
  for (size_t d = 0; d < labels.size(); ++d) {
    const int64_t digit = labels[d] - '0';
    if (labels[d] == plain[0])
      first = static_cast<int64_t>(d);
    else if (labels[d] == plain[1])
      second = static_cast<int64_t>(d);
    else if (digit >= 0 && digit < static_cast<int64_t>(spatial.size()))
      spatial[static_cast<size_t>(digit)] = static_cast<int64_t>(d);
  }
  if (labels.size() != rank || first < 0 || second < 0 || std::count(spatial.begin(), spatial.end(), -1) > 0)
    return bad_attribute(i, "dim_labels", "one letter or digit per dimension, such as b01f_01io->b01f");
  return {};
}

}  // namespace

const std::string* verbatim_attribute(const Instruction& instruction, std::string_view key) {
  for (const VerbatimAttribute& attribute : instruction.verbatim)
    if (attribute.key == key) return &attribute.value;
  return nullptr;
}

std::string custom_call_target(const Instruction& instruction) {
  const std::string* text = verbatim_attribute(instruction, "custom_call_target");
  return text == nullptr ? std::string() : unquote(*text);
}

Result<std::vector<PadDim>> pad_dims(const Instruction& pad, size_t rank) {
  const std::string* text = verbatim_attribute(pad, "padding");
  std::vector<PadDim> out;
  if (text == nullptr && rank == 0) return out;
  if (text == nullptr) return bad_attribute(pad, "padding", "low_high or low_high_interior by dimension");
  for (const std::string& part : split(*text, 'x')) {
    const std::vector<std::string> ends = split(part, '_');
    if (ends.size() != 2 && ends.size() != 3) return bad_attribute(pad, "padding", "low_high[_interior]x…");
    PadDim dim;
    TRY(dim.low, whole_number(pad, "padding", ends[0]));
    TRY(dim.high, whole_number(pad, "padding", ends[1]));
    if (ends.size() == 3) {
      TRY(dim.interior, whole_number(pad, "padding", ends[2]));
    }
    if (dim.interior < 0) return bad_attribute(pad, "padding", "an interior padding from 0");
    out.push_back(dim);
  }
  if (out.size() != rank) return bad_attribute(pad, "padding", std::to_string(rank) + " dimensions");
  return out;
}

Result<std::vector<WindowDim>> window_dims(const Instruction& instruction, size_t rank) {
  std::vector<WindowDim> window(rank);
  const std::string* text = verbatim_attribute(instruction, "window");
  if (text == nullptr) return window;
  if (text->size() < 2 || text->front() != '{') return bad_attribute(instruction, "window", "{size=…}");
  for (const std::string& entry : split(trim(std::string_view(*text).substr(1, text->size() - 2)), ' ')) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) return bad_attribute(instruction, "window", "key=value entries");
    const std::vector<std::string> values = split(entry.substr(equals + 1), 'x');
    if (values.size() != rank)
      return bad_attribute(instruction, "window", std::to_string(rank) + " dimensions");
    for (size_t d = 0; d < rank; ++d)
      TRY_VOID(
          set_window_field(instruction, std::string_view(entry).substr(0, equals), values[d], window[d]));
  }
  return window;
}

int64_t padded_size(const PadDim& pad, int64_t size) {
  const auto between = checked_multiply(std::max<int64_t>(size - 1, 0), pad.interior);
  return between && *between <= kMostPadding ? size + *between + pad.low + pad.high : -1;
}

int64_t window_places(const WindowDim& w, int64_t size) {
  const auto dilated = checked_multiply(std::max<int64_t>(size - 1, 0), w.base_dilation);
  const auto reach = checked_multiply(w.size - 1, w.window_dilation);
  if (!dilated || !reach || *dilated > kMostPadding || *reach > kMostPadding) return 0;
  const int64_t room = (size == 0 ? 0 : *dilated + 1) + w.low + w.high - (*reach + 1);
  return room < 0 ? 0 : room / w.stride + 1;
}

Result<ConvolutionDims> convolution_dims(const Computation& computation, const Instruction& i) {
  const std::string* text = verbatim_attribute(i, "dim_labels");
  const size_t under = text == nullptr ? std::string::npos : text->find('_');
  const size_t arrow = text == nullptr ? std::string::npos : text->find("->");
  if (under == std::string::npos || arrow == std::string::npos || arrow < under || i.operands.size() != 2)
    return bad_attribute(i, "dim_labels", "such as bf_io->bf, and two operands");
  const Shape& lhs = computation.at(i.operands[0]).shape;
  const Shape& rhs = computation.at(i.operands[1]).shape;
  ConvolutionDims out;
  const std::string_view labels = *text;
  TRY_VOID(read_labels(i, labels.substr(0, under), "bf", out.input_batch, out.input_feature,
                       out.input_spatial, lhs.rank()));
  TRY_VOID(read_labels(i, labels.substr(under + 1, arrow - under - 1), "io", out.kernel_input,
                       out.kernel_output, out.kernel_spatial, rhs.rank()));
  TRY_VOID(read_labels(i, labels.substr(arrow + 2), "bf", out.output_batch, out.output_feature,
                       out.output_spatial, i.shape.rank()));
  if (lhs.rank() != rhs.rank() || lhs.rank() != i.shape.rank())
    return bad_attribute(i, "dim_labels", "arrays of one rank");
  TRY(out.window, window_dims(i, out.input_spatial.size()));
  TRY(out.feature_groups, number_attribute(i, "feature_group_count", 1));
  TRY(out.batch_groups, number_attribute(i, "batch_group_count", 1));
  const auto size = [](const Shape& s, int64_t d) { return s.dims[static_cast<size_t>(d)]; };
  const int64_t groups = out.feature_groups;
  const int64_t features = size(rhs, out.kernel_output), batch = size(lhs, out.input_batch);
  bool sound = groups >= 1 && out.batch_groups >= 1 && size(lhs, out.input_feature) % groups == 0 &&
               size(rhs, out.kernel_input) == size(lhs, out.input_feature) / groups &&
               features % groups == 0 && features % out.batch_groups == 0 && batch % out.batch_groups == 0 &&
               (groups == 1 || out.batch_groups == 1) &&
               size(i.shape, out.output_batch) == batch / out.batch_groups &&
               size(i.shape, out.output_feature) == features;
  for (size_t d = 0; d < out.window.size(); ++d) {
    sound =
        sound && out.window[d].size == size(rhs, out.kernel_spatial[d]) &&
        size(i.shape, out.output_spatial[d]) == window_places(out.window[d], size(lhs, out.input_spatial[d]));
  }
  if (!sound) return invalid("the window and the sizes do not fit together", "%" + i.name);
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
  GatherDims out;
  TRY(out.offset_dims, dims_attribute(i, "offset_dims"));
  TRY(out.collapsed_slice_dims, dims_attribute(i, "collapsed_slice_dims"));
  TRY(out.start_index_map, dims_attribute(i, "start_index_map"));
  TRY(out.slice_sizes, dims_attribute(i, "slice_sizes"));
  TRY(out.operand_batching_dims, dims_attribute(i, "operand_batching_dims"));
  TRY(out.start_indices_batching_dims, dims_attribute(i, "start_indices_batching_dims"));
  TRY(out.index_vector_dim, number_attribute(i, "index_vector_dim", static_cast<int64_t>(indices.rank())));
  TRY_VOID(check_distinct(i, "offset_dims", out.offset_dims, i.shape.rank()));
  Dims dropped = out.collapsed_slice_dims;
  dropped.insert(dropped.end(), out.operand_batching_dims.begin(), out.operand_batching_dims.end());
  TRY_VOID(check_distinct(i, "collapsed_slice_dims", dropped, operand.rank()));
  TRY_VOID(check_distinct(i, "start_index_map", out.start_index_map, operand.rank()));
  TRY_VOID(check_distinct(i, "start_indices_batching_dims", out.start_indices_batching_dims, indices.rank()));
  const auto rank = static_cast<int64_t>(indices.rank());
  const int64_t entries = out.index_vector_dim >= 0 && out.index_vector_dim < rank
                              ? indices.dims[static_cast<size_t>(out.index_vector_dim)]
                              : 1;
  const size_t batch_rank = i.shape.rank() - out.offset_dims.size();
  bool sound = !operand.is_tuple && !indices.is_tuple && !i.shape.is_tuple && is_integer(indices.type) &&
               out.slice_sizes.size() == operand.rank() && out.index_vector_dim >= 0 &&
               out.index_vector_dim <= rank && entries == static_cast<int64_t>(out.start_index_map.size()) &&
               out.offset_dims.size() + dropped.size() == operand.rank() &&
               batch_rank == indices.rank() - (out.index_vector_dim < rank ? 1 : 0) &&
               batches_agree(operand, out.operand_batching_dims, indices, out.start_indices_batching_dims,
                             out.index_vector_dim);
  for (size_t d = 0; sound && d < operand.rank(); ++d) {
    const bool one = std::count(dropped.begin(), dropped.end(), static_cast<int64_t>(d)) > 0;
    sound =
        out.slice_sizes[d] >= 0 && out.slice_sizes[d] <= operand.dims[d] && (!one || out.slice_sizes[d] == 1);
  }
  // The result's offset dimensions are the slice's that are kept, its others those of the indices.
  size_t offset = 0, batch = 0;
  Dims kept, around;
  for (size_t d = 0; sound && d < operand.rank(); ++d)
    if (std::count(dropped.begin(), dropped.end(), static_cast<int64_t>(d)) == 0)
      kept.push_back(out.slice_sizes[d]);
  for (int64_t d = 0; d < rank; ++d)
    if (d != out.index_vector_dim) around.push_back(indices.dims[static_cast<size_t>(d)]);
  for (size_t d = 0; sound && d < i.shape.rank(); ++d) {
    const bool is_offset =
        std::count(out.offset_dims.begin(), out.offset_dims.end(), static_cast<int64_t>(d)) > 0;
    sound = i.shape.dims[d] == (is_offset ? kept[offset++] : around[batch++]);
  }
  if (!sound) return invalid("the dimension numbers of gather do not fit its shapes", "%" + i.name);
  return out;
}

Result<ScatterDims> scatter_dims(const Computation& computation, const Instruction& i) {
  if (i.operands.size() != 3) return invalid("cannot scatter several arrays at once", "%" + i.name);
  const Shape& operand = computation.at(i.operands[0]).shape;
  const Shape& indices = computation.at(i.operands[1]).shape;
  const Shape& updates = computation.at(i.operands[2]).shape;
  ScatterDims out;
  TRY(out.update_window_dims, dims_attribute(i, "update_window_dims"));
  TRY(out.inserted_window_dims, dims_attribute(i, "inserted_window_dims"));
  TRY(out.to_operand_dims, dims_attribute(i, "scatter_dims_to_operand_dims"));
  TRY(out.input_batching_dims, dims_attribute(i, "input_batching_dims"));
  TRY(out.indices_batching_dims, dims_attribute(i, "scatter_indices_batching_dims"));
  TRY(out.index_vector_dim, number_attribute(i, "index_vector_dim", static_cast<int64_t>(indices.rank())));
  Dims dropped = out.inserted_window_dims;
  dropped.insert(dropped.end(), out.input_batching_dims.begin(), out.input_batching_dims.end());
  TRY_VOID(check_distinct(i, "update_window_dims", out.update_window_dims, updates.rank()));
  TRY_VOID(check_distinct(i, "inserted_window_dims", dropped, operand.rank()));
  TRY_VOID(check_distinct(i, "scatter_dims_to_operand_dims", out.to_operand_dims, operand.rank()));
  TRY_VOID(check_distinct(i, "scatter_indices_batching_dims", out.indices_batching_dims, indices.rank()));
  const auto rank = static_cast<int64_t>(indices.rank());
  const int64_t entries = out.index_vector_dim >= 0 && out.index_vector_dim < rank
                              ? indices.dims[static_cast<size_t>(out.index_vector_dim)]
                              : 1;
  Dims around;
  for (int64_t d = 0; d < rank; ++d)
    if (d != out.index_vector_dim) around.push_back(indices.dims[static_cast<size_t>(d)]);
  bool sound = !operand.is_tuple && !indices.is_tuple && !updates.is_tuple && is_integer(indices.type) &&
               operand.type == updates.type && i.shape.dims == operand.dims && i.shape.type == operand.type &&
               out.index_vector_dim >= 0 && out.index_vector_dim <= rank &&
               entries == static_cast<int64_t>(out.to_operand_dims.size()) &&
               out.update_window_dims.size() + dropped.size() == operand.rank() &&
               updates.rank() == out.update_window_dims.size() + around.size() &&
               batches_agree(operand, out.input_batching_dims, indices, out.indices_batching_dims,
                             out.index_vector_dim);
  size_t batch = 0;
  for (size_t d = 0; sound && d < updates.rank(); ++d) {
    if (std::count(out.update_window_dims.begin(), out.update_window_dims.end(), static_cast<int64_t>(d)) ==
        0)
      sound = updates.dims[d] == around[batch++];
  }
  if (!sound) return invalid("the dimension numbers of scatter do not fit its shapes", "%" + i.name);
  return out;
}

std::vector<int64_t> physical_order(const Shape& shape) {
  Dims order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  Dims minor_first;
  HloLexer lexer(shape.layout, "layout");
  while (const auto d = lexer.integer()) {
    minor_first.push_back(*d);
    if (!lexer.accept(",")) break;
  }
  Dims found(minor_first.rbegin(), minor_first.rend());
  return std::is_permutation(found.begin(), found.end(), order.begin(), order.end()) ? found : order;
}

}  // namespace shardscope
