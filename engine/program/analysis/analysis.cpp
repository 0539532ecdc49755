// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/analysis.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

bool contains(const std::vector<int64_t>& list, size_t value) {
  return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end();
}

}  // namespace

namespace {

DotSize flattened(const Shape& lhs, const Shape& rhs, const DotDims& dims, bool ragged) {
  DotSize size;
  for (size_t d = 0; d < lhs.rank(); ++d) {
    if (contains(dims.lhs_batch, d)) {
      size.batch *= lhs.dims[d];
    } else if (contains(dims.lhs_contracting, d)) {
      size.k *= lhs.dims[d];
    } else {
      size.m *= lhs.dims[d];
    }
  }
  for (size_t d = 0; d < rhs.rank(); ++d)
    if (!contains(dims.rhs_batch, d) && !contains(dims.rhs_contracting, d) && (!ragged || d > 0))
      size.n *= rhs.dims[d];
  return size;
}

// Where along one dimension an element of the kernel meets one of the input: how often in all, at how many of
// the results' places most.
struct Meetings {
  int64_t all = 0, most_at_a_place = 0;
};

// The input's holes (base_dilation) and its edges are met by nothing.
Meetings meetings(const WindowDim& w, int64_t input, int64_t places) {
  constexpr int64_t kMostPairs = int64_t{1} << 22;  // to look at; of more none is left out
  const auto pairs = checked_multiply(input, w.size);
  if (!pairs || *pairs > kMostPairs || places > kMostPairs) return {places * w.size, w.size};
  std::vector<int64_t> at(static_cast<size_t>(places), 0);
  Meetings out;
  for (int64_t k = 0; k < w.size; ++k) {
    for (int64_t i = 0; i < input; ++i) {
      const int64_t start = i * w.base_dilation + w.low - k * w.window_dilation;
      if (start < 0 || start % w.stride != 0 || start / w.stride >= places) continue;
      ++out.all;
      out.most_at_a_place = std::max(out.most_at_a_place, ++at[static_cast<size_t>(start / w.stride)]);
    }
  }
  return out;
}

// Adds what a dimension of space is to a product: one of its free dimensions, of what it sums over, or of its
// batch (XLA:TPU writes every product as a convolution); else the product of places with windows.
void add_space(const WindowDim& w, int64_t input, int64_t places, DotSize& size) {
  const Meetings met = meetings(w, input, places);
  const bool once = met.most_at_a_place == 1 && met.all == places;
  if (w.size > 1 && once && input == 1) {
    size.n *= places;
  } else if (w.size > 1 && once && input == places && w.size == places) {
    size.batch *= places;
  } else {
    size.m *= places;
    size.k *= places == 0 ? 0 : std::max<int64_t>(1, ceil_div(met.all, places));
  }
}

DotSize convolution_size(const ConvolutionDims& c, const Shape& input, const Shape& kernel,
                         const Shape& result) {
  const auto at = [](const Shape& s, int64_t d) { return s.dims[static_cast<size_t>(d)]; };
  DotSize size;
  size.batch = c.feature_groups * c.batch_groups;
  size.m = at(result, c.output_batch);
  size.k = at(kernel, c.kernel_input);
  size.n = at(kernel, c.kernel_output) / size.batch;
  for (size_t s = 0; s < c.window.size(); ++s)
    add_space(c.window[s], at(input, c.input_spatial[s]), at(result, c.output_spatial[s]), size);
  return size;
}

// The most exact that either side asks for: operand_precision={highest,default}, in a library's config
// "operand_precision":["HIGHEST","DEFAULT"].
std::optional<ProductPrecision> asked_precision(const Instruction& product) {
  const std::string* said = verbatim_attribute(product, "operand_precision");
  const std::string_view config = config_behind(product, "\"operand_precision\"");
  const std::string_view words =
      said != nullptr ? std::string_view(*said) : config.substr(0, config.find(']'));
  const auto asks = [&](std::string_view small, std::string_view capital) {
    return words.find(small) != std::string_view::npos || words.find(capital) != std::string_view::npos;
  };
  if (asks("highest", "HIGHEST")) return ProductPrecision::highest;
  if (asks("high", "HIGH")) return ProductPrecision::high;
  return words.empty() ? std::nullopt : std::optional(ProductPrecision::standard);
}

}  // namespace

bool is_grouped_product(const Instruction& instruction) {
  return instruction.opcode == Opcode::ragged_dot;
}

DotSize dot_size(const Computation& computation, const Instruction& product) {
  const Shape& lhs = computation.at(product.operands[0]).shape;
  const Shape& rhs = computation.at(product.operands[1]).shape;
  if (product.opcode == Opcode::convolution) {
    const auto dims = convolution_dims(computation, product);
    return dims.ok() ? convolution_size(*dims, lhs, rhs, product.shape) : DotSize();
  }
  // Dimension 0 of a ragged product's right side counts groups.
  return flattened(lhs, rhs, product.dot, is_grouped_product(product));
}

Multiplied multiplied_as(const Computation& computation, const Instruction& product) {
  Multiplied out{computation.at(product.operands[0]).shape.type, 1, asked_precision(product)};
  const std::string* algorithm = verbatim_attribute(product, "algorithm");
  if (algorithm == nullptr) return out;
  if (*algorithm == "dot_f32_f32_f32") out.precision = ProductPrecision::highest;
  constexpr std::pair<std::string_view, ElementType> kTypes[] = {{"dot_bf16_bf16_", ElementType::bf16},
                                                                 {"dot_f16_f16_", ElementType::f16},
                                                                 {"dot_tf32_tf32_", ElementType::f32}};
  for (const auto& [prefix, type] : kTypes) {
    if (!algorithm->starts_with(prefix)) continue;
    out.type = type;
    out.precision = ProductPrecision::standard;
    const size_t at = algorithm->rfind("_x");
    if (at != std::string::npos) out.passes = parse_int(algorithm->substr(at + 2)).value_or(1);
  }
  out.passes = std::clamp<int64_t>(out.passes, 1, 16);
  return out;
}

Multiplied multiplied_as(const Program& program, const Computation& computation, const Instruction& product) {
  Multiplied out = multiplied_as(computation, product);
  if (!out.precision && is_foreign(program)) out.precision = ProductPrecision::standard;
  return out;
}

double dot_flops(const Computation& computation, const Instruction& instruction) {
  if (operation(instruction.opcode).kind != OpClass::product) return 0;
  const DotSize size = dot_size(computation, instruction);
  return 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) * static_cast<double>(size.n) *
         static_cast<double>(size.k);
}

double elementwise_operations(const Computation& computation, const Instruction& instruction) {
  const auto elements = [](const Shape& shape) {
    return shape.is_tuple ? 0 : static_cast<double>(shape.element_count());
  };
  double most = elements(instruction.shape);
  for (const InstructionId operand : instruction.operands)
    most = std::max(most, elements(computation.at(operand).shape));
  return most;
}

bool is_free(const Instruction& instruction) {
  const Operation& o = operation(instruction.opcode);
  if (o.cost == CostClass::free) return true;
  return o.kind == OpClass::elementwise && !instruction.shape.is_tuple && instruction.shape.rank() == 0;
}

bool is_spread_number(const Instruction& instruction) {
  return instruction.opcode == Opcode::broadcast && instruction.dimensions.empty();
}

bool is_number(const Instruction& instruction) {
  return instruction.opcode == Opcode::constant && instruction.shape.element_count() == 1;
}

bool is_given(const Instruction& instruction) {
  return instruction.opcode == Opcode::parameter || instruction.opcode == Opcode::get_tuple_element;
}

std::vector<InstructionId> fused_dots(const Computation& computation) {
  std::vector<int32_t> reads(computation.instructions.size());
  for (const Instruction& i : computation.instructions) {
    for (const InstructionId operand : i.operands) ++reads[static_cast<size_t>(operand.value)];
  }
  std::vector<InstructionId> out(computation.instructions.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const Instruction& sum = computation.instructions[k];
    if (sum.opcode != Opcode::add || sum.operands.size() != 2 || sum.operands[0] == sum.operands[1]) continue;
    // The later operand is the dot that the algorithm has just made; the other one is its accumulator.
    const auto [first, second] = std::minmax(sum.operands[0], sum.operands[1]);
    for (const InstructionId candidate : {first, second}) {
      if (computation.at(candidate).opcode == Opcode::dot && candidate != computation.root &&
          reads[static_cast<size_t>(candidate.value)] == 1)
        out[k] = candidate;
    }
  }
  return out;
}

std::vector<int32_t> last_use(const Computation& computation) {
  const size_t count = computation.instructions.size();
  std::vector<int32_t> last(count);
  // Backwards: what reads a view of a buffer reads the buffer.
  for (size_t k = 0; k < count; ++k) last[k] = static_cast<int32_t>(k);
  const auto end = static_cast<int32_t>(count) - 1;
  last[static_cast<size_t>(computation.root.value)] = end;
  for (const InstructionId given : parameter_ids(computation)) last[static_cast<size_t>(given.value)] = end;
  for (size_t k = count; k-- > 0;) {
    const Instruction& i = computation.instructions[k];
    if (i.opcode == Opcode::after_all) continue;  // waits for its operands, reads none
    const int32_t use = is_free(i) ? last[k] : static_cast<int32_t>(k);
    for (const InstructionId operand : i.operands) {
      int32_t& l = last[static_cast<size_t>(operand.value)];
      l = std::max(l, use);
    }
  }
  return last;
}

}  // namespace shardscope::inline program
