// SPDX-License-Identifier: Apache-2.0
// Products, sums, indices and orders in jax.lax.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/source/jax_rules.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

std::vector<std::string> half(const JaxOperation& op, bool second) {
  const auto middle = op.operands.begin() + static_cast<std::ptrdiff_t>(op.operands.size() / 2);
  return second ? std::vector<std::string>(middle, op.operands.end())
                : std::vector<std::string>(op.operands.begin(), middle);
}

// The operands and what they start from: one array each, or a tuple of each.
std::string arrays_and_starts(const JaxOperation& op) {
  if (op.operands.size() == 2) return op.operand(0) + ", " + op.operand(1);
  return python_tuple(half(op, false)) + ", " + python_tuple(half(op, true));
}

std::string combiner_of_all(const JaxOperation& op) {
  std::string one = jax_combiner(op, op.i.called.front().computation);
  if (op.operands.size() == 2) return one;
  return fmt::format("lambda left, right: {}(*left, *right)", one);
}

std::string pairs(const std::vector<WindowDim>& window) {
  std::vector<std::string> out;
  for (const WindowDim& d : window) out.push_back(python_tuple(std::vector<int64_t>{d.low, d.high}));
  return python_tuple(out);
}

std::string of(const std::vector<WindowDim>& window, int64_t WindowDim::*field) {
  std::vector<int64_t> out;
  for (const WindowDim& d : window) out.push_back(d.*field);
  return python_tuple(out);
}

bool reversed(const std::vector<WindowDim>& window) {
  return std::ranges::any_of(window, &WindowDim::reversed);
}

// As lax has them: the coordinates of an index stand in the last dimension.
std::string indices_last(const JaxOperation& op, size_t operand, int64_t vector_dim) {
  const auto rank = static_cast<int64_t>(op.operand_shape(operand).rank());
  const std::string& name = op.operand(operand);
  if (vector_dim < 0 || vector_dim == rank) return fmt::format("jnp.expand_dims({}, {})", name, rank);
  if (vector_dim == rank - 1) return name;
  return fmt::format("jnp.moveaxis({}, {}, -1)", name, vector_dim);
}

std::string dot_general(const JaxOperation& op, const DotDims& d) {
  return fmt::format("lax.dot_general({}, {}, (({}, {}), ({}, {})), preferred_element_type={})",
                     op.operand(0), op.operand(1), python_tuple(d.lhs_contracting),
                     python_tuple(d.rhs_contracting), python_tuple(d.lhs_batch), python_tuple(d.rhs_batch),
                     jax_type(op.i.shape.type));
}

}  // namespace

namespace jax_rule {

Result<std::string> dot(const JaxOperation& op) {
  return dot_general(op, *op.i.dot);
}

Result<std::string> ragged_dot(const JaxOperation& op) {
  const bool usual = op.operand_shape(0).rank() == 2 && op.operand_shape(1).rank() == 3;
  if (!usual) return op.hole("lax.ragged_dot takes [m,k] and [groups,k,n]");
  return fmt::format("lax.ragged_dot({}, {}, {}, preferred_element_type={})", op.operand(0), op.operand(1),
                     op.operand(2), jax_type(op.i.shape.type));
}

Result<std::string> convolution(const JaxOperation& op) {
  // As TPUs write a product.
  if (const auto product = product_dims(op.computation, op.i)) return dot_general(op, *product);
  TRY(const ConvolutionDims d, convolution_dims(op.computation, op.i));
  if (reversed(d.window)) return op.hole("a reversed window");
  const auto spec = [](int64_t first, int64_t second, const std::vector<int64_t>& spatial) {
    std::vector<int64_t> out{first, second};
    out.insert(out.end(), spatial.begin(), spatial.end());
    return python_tuple(out);
  };
  return fmt::format(
      "lax.conv_general_dilated({}, {}, window_strides={}, padding={}, lhs_dilation={}, rhs_dilation={}, "
      "dimension_numbers=lax.ConvDimensionNumbers({}, {}, {}), feature_group_count={}, batch_group_count={}, "
      "preferred_element_type={})",
      op.operand(0), op.operand(1), of(d.window, &WindowDim::stride), pairs(d.window),
      of(d.window, &WindowDim::base_dilation), of(d.window, &WindowDim::window_dilation),
      spec(d.input_batch, d.input_feature, d.input_spatial),
      spec(d.kernel_output, d.kernel_input, d.kernel_spatial),
      spec(d.output_batch, d.output_feature, d.output_spatial), d.feature_groups, d.batch_groups,
      jax_type(op.i.shape.type));
}

Result<std::string> reduce(const JaxOperation& op) {
  return fmt::format("lax.reduce({}, {}, {})", arrays_and_starts(op), combiner_of_all(op),
                     python_tuple(*op.i.dimensions));
}

Result<std::string> reduce_window(const JaxOperation& op) {
  TRY(const std::vector<WindowDim> window, window_dims(op.i, op.operand_shape(0).rank()));
  if (reversed(window)) return op.hole("a reversed window");
  return fmt::format("lax.reduce_window({}, {}, {}, {}, {}, base_dilation={}, window_dilation={})",
                     arrays_and_starts(op), combiner_of_all(op), of(window, &WindowDim::size),
                     of(window, &WindowDim::stride), pairs(window), of(window, &WindowDim::base_dilation),
                     of(window, &WindowDim::window_dilation));
}

Result<std::string> gather(const JaxOperation& op) {
  TRY(const GatherDims d, gather_dims(op.computation, op.i));
  return fmt::format(
      "lax.gather({}, {}, lax.GatherDimensionNumbers({}, {}, {}, {}, {}), {}, "
      "mode=lax.GatherScatterMode.CLIP)",
      op.operand(0), indices_last(op, 1, d.index_vector_dim), python_tuple(d.offset_dims),
      python_tuple(d.collapsed_slice_dims), python_tuple(d.start_index_map),
      python_tuple(d.operand_batching_dims), python_tuple(d.start_indices_batching_dims),
      python_tuple(d.slice_sizes));
}

Result<std::string> scatter(const JaxOperation& op) {
  TRY(const ScatterDims d, scatter_dims(op.computation, op.i));
  if (op.operands.size() != 3) return op.hole("a scatter of several arrays");
  const Computation& update = op.program.computation(op.i.called.front().computation);
  const std::string combined = jax_combiner(op, op.i.called.front().computation);
  const bool replaces = update.root_instruction().parameter_number == 1;
  const char* name = replaces                ? "scatter"
                     : combined == "lax.add" ? "scatter_add"
                     : combined == "lax.mul" ? "scatter_mul"
                     : combined == "lax.min" ? "scatter_min"
                     : combined == "lax.max" ? "scatter_max"
                                             : nullptr;
  if (name == nullptr)
    return op.hole("a scatter that neither replaces, adds, multiplies nor takes the larger");
  return fmt::format(
      "lax.{}({}, {}, {}, lax.ScatterDimensionNumbers({}, {}, {}, {}, {}), "
      "mode=lax.GatherScatterMode.FILL_OR_DROP)",
      name, op.operand(0), indices_last(op, 1, d.index_vector_dim), op.operand(2),
      python_tuple(d.update_window_dims), python_tuple(d.inserted_window_dims),
      python_tuple(d.to_operand_dims), python_tuple(d.input_batching_dims),
      python_tuple(d.indices_batching_dims));
}

Result<std::string> sort(const JaxOperation& op) {
  const Computation& order = op.program.computation(op.i.called.front().computation);
  const Instruction& root = order.root_instruction();
  const auto reads = [&](size_t n, int64_t parameter) {
    return order.at(root.operands[n]).parameter_number == parameter;
  };
  const bool ascending = root.opcode == Opcode::compare && comparison(root) == CompareDirection::lt &&
                         reads(0, 0) && reads(1, 1);
  if (!ascending) return op.hole("lax.sort only sorts from the smallest of its first operand up");
  const std::string what = op.operands.size() == 1 ? op.operand(0) : python_tuple(op.operands);
  return fmt::format("lax.sort({}, dimension={}, is_stable=True, num_keys=1)", what, op.i.dimensions.front());
}

Result<std::string> topk(const JaxOperation& op) {
  const auto* pick = std::get_if<TopK>(&*op.i.attributes);
  if (pick == nullptr || !pick->largest) return op.hole("lax.top_k picks the largest only");
  return fmt::format("lax.top_k({}, {})", op.operand(0), pick->k);
}

Result<std::string> fft(const JaxOperation& op) {
  static constexpr std::array kNames{"FFT", "IFFT", "RFFT", "IRFFT"};
  const auto* own = std::get_if<Fft>(&*op.i.attributes);
  if (own == nullptr) return op.hole("it does not say which");
  return fmt::format("lax.fft({}, \"{}\", {})", op.operand(0), kNames[static_cast<size_t>(own->type)],
                     python_tuple(own->length));
}

Result<std::string> random_bits(const JaxOperation& op) {
  static constexpr std::array kNames{"DEFAULT", "THREE_FRY", "PHILOX"};
  if (!op.i.shape.is_tuple) return op.hole("random bits without their state");
  const Shape& bits = op.i.shape.elements[1];
  const auto* said = std::get_if<RandomAlgorithm>(&*op.i.attributes);
  const std::string algorithm = said == nullptr ? ""
                                                : fmt::format(", algorithm=lax.RandomAlgorithm.RNG_{}",
                                                              kNames[static_cast<size_t>(*said)]);
  return fmt::format("lax.rng_bit_generator({}, {}, dtype={}{})", op.operand(0), python_tuple(bits.dims),
                     jax_type(bits.type), algorithm);
}

}  // namespace jax_rule
}  // namespace shardscope::inline program
