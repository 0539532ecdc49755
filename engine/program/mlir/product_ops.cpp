// SPDX-License-Identifier: Apache-2.0
// Rows of StableHLO's products, reductions and indexed operations.
#include <algorithm>
#include <array>

#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

// "[0] x [1]".
Result<void> pair_of_lists(const MlirCase& c, std::string_view key, std::vector<int64_t>& lhs,
                           std::vector<int64_t>& rhs) {
  const std::string_view text = c.op.attribute(key);
  if (text.empty()) return {};
  MlirLexer lexer = c.all.lexer().within(text);
  TRY(const std::string_view left, lexer.bracket());
  TRY_VOID(lexer.expect("x"));
  TRY(const std::string_view right, lexer.bracket());
  TRY(MlirNumbers a, read_mlir_numbers(c.all.lexer(), left));
  TRY(MlirNumbers b, read_mlir_numbers(c.all.lexer(), right));
  lhs = std::move(a.numbers);
  rhs = std::move(b.numbers);
  return {};
}

// "f32" behind "accumulation_type = " in an algorithm.
std::string_view word_behind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const size_t from = text.find_first_not_of(" =", at + key.size());
  return from == std::string_view::npos ? std::string_view()
                                        : text.substr(from, text.find_first_of(",> ", from) - from);
}

// <lhs_precision_type = bf16, …, accumulation_type = f32, num_primitive_operations = 3> as HLO's
// dot_bf16_bf16_f32_x3.
Result<void> add_algorithm(const MlirCase& c, Instruction& made) {
  TRY(const std::string_view text, c.text({"algorithm"}));
  const std::string_view lhs = word_behind(text, "lhs_precision_type"),
                         rhs = word_behind(text, "rhs_precision_type"),
                         sum = word_behind(text, "accumulation_type"),
                         passes = word_behind(text, "num_primitive_operations");
  if (lhs.empty() || rhs.empty() || sum.empty()) return {};
  const auto joined = [](std::string_view a, std::string_view b) {
    return std::string(a) + "_" + std::string(b);
  };
  std::string name = lhs.starts_with("f8") ? "dot_any_f8_any_f8_" + std::string(sum)
                                           : "dot_" + joined(joined(lhs, rhs), sum);
  if (!passes.empty() && passes != "1") name += "_x" + std::string(passes);
  made.verbatim.edit().push_back({"algorithm", std::move(name)});
  return {};
}

Result<void> lower_dot_general(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::dot, std::move(shape), c.operands);
  DotDims& dot = made.dot.edit();
  TRY_VOID(pair_of_lists(c, "batching_dims", dot.lhs_batch, dot.rhs_batch));
  TRY_VOID(pair_of_lists(c, "contracting_dims", dot.lhs_contracting, dot.rhs_contracting));
  TRY(const std::string_view numbers, c.text({"dot_dimension_numbers"}));
  TRY_VOID(mlir_lists(c, numbers,
                      {{"lhs_batching_dimensions", &dot.lhs_batch},
                       {"rhs_batching_dimensions", &dot.rhs_batch},
                       {"lhs_contracting_dimensions", &dot.lhs_contracting},
                       {"rhs_contracting_dimensions", &dot.rhs_contracting}}));
  TRY_VOID(add_precision(c, made));
  TRY_VOID(add_algorithm(c, made));
  return c.give(std::move(made));
}

// The last dimension of the left with the first of the right.
Result<void> lower_dot(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  if (c.shape(0).rank() == 0) return c.error("a scalar operand");
  Instruction made = c.make(Opcode::dot, std::move(shape), c.operands);
  made.dot.edit().lhs_contracting = {static_cast<int64_t>(c.shape(0).rank()) - 1};
  made.dot.edit().rhs_contracting = {0};
  TRY_VOID(add_precision(c, made));
  return c.give(std::move(made));
}

// The computation of a reducer: "applies stablehlo.add", or a region.
Result<ComputationId> reducer_of(MlirCase& c, ElementType type) {
  if (c.op.regions.size() == 1) return closed_region(c, c.op.regions[0], "region");
  const auto applies = std::ranges::find(c.op.words, "applies");
  if (applies == c.op.words.end() || applies + 1 == c.op.words.end())
    return c.error("needs a region or 'applies' and an operation");
  std::string text(*(applies + 1));
  text.erase(0, text.find('.') + 1);
  std::ranges::replace(text, '_', '-');
  const Opcode opcode = parse_opcode(text);
  if (operation(opcode).fewest_operands != 2 || !is_elementwise(opcode))
    return c.error("applies '" + text + "', expected an operation on two scalars");
  return c.all.reducer(opcode, type);
}

Result<void> lower_reduce(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  std::vector<InstructionId> operands = c.operands;
  // The pretty form says each array with its initial value; HLO all arrays first.
  if (std::ranges::find(c.op.words, "across") != c.op.words.end()) {
    operands.clear();
    for (size_t k = 0; k < c.operands.size(); k += 2) operands.push_back(c.operands[k]);
    for (size_t k = 1; k < c.operands.size(); k += 2) operands.push_back(c.operands[k]);
  }
  TRY(const ComputationId reducer, reducer_of(c, c.shape(0).type));
  Instruction made = c.make(Opcode::reduce, std::move(shape), std::move(operands));
  TRY(made.dimensions, c.numbers({"dimensions"}));
  made.called = {{"to_apply", reducer}};
  return c.give(std::move(made));
}

// A number for each dimension, `otherwise` where nothing is said.
Result<std::vector<int64_t>> per_dimension(const MlirCase& c, std::string_view key, size_t rank,
                                           int64_t otherwise) {
  TRY(std::vector<int64_t> out, c.numbers({key}));
  if (out.empty()) out.assign(rank, otherwise);
  if (out.size() == rank) return out;
  return c.error(std::string(key) + " of " + std::to_string(out.size()) + " numbers, expected " +
                 std::to_string(rank));
}

struct WindowTexts {
  std::string_view strides, base, dilation, padding, reversal;
};
Result<std::vector<WindowDim>> mlir_window(const MlirCase& c, const std::vector<int64_t>& sizes,
                                           const WindowTexts& keys) {
  const size_t rank = sizes.size();
  TRY(const auto strides, per_dimension(c, keys.strides, rank, 1));
  TRY(const auto base, per_dimension(c, keys.base, rank, 1));
  TRY(const auto dilation, per_dimension(c, keys.dilation, rank, 1));
  TRY(const auto padding, per_dimension(c, keys.padding, 2 * rank, 0));
  TRY(const auto reversal, per_dimension(c, keys.reversal, rank, 0));
  std::vector<WindowDim> out;
  for (size_t d = 0; d < rank; ++d)
    out.push_back(
        {sizes[d], strides[d], padding[2 * d], padding[2 * d + 1], base[d], dilation[d], reversal[d] != 0});
  return out;
}

Result<void> lower_reduce_window(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  TRY(const std::vector<int64_t> sizes, c.numbers({"window_dimensions"}));
  if (sizes.size() != c.shape(0).rank()) return c.error("window_dimensions, expected one for each dimension");
  TRY(std::vector<WindowDim> dims,
      mlir_window(c, sizes, {"window_strides", "base_dilations", "window_dilations", "padding", ""}));
  TRY(const ComputationId reducer, reducer_of(c, c.shape(0).type));
  Instruction made = c.make(Opcode::reduce_window, std::move(shape), c.operands);
  made.attributes = Window{std::move(dims)};
  made.called = {{"to_apply", reducer}};
  return c.give(std::move(made));
}

// Of each window the place that `select` chooses gets what `scatter` makes of it.
Result<void> lower_select_and_scatter(MlirCase& c) {
  TRY_VOID(c.expects(3));
  TRY(Shape shape, c.result());
  TRY(std::vector<int64_t> sizes, c.numbers({"window_dimensions"}));
  if (sizes.empty()) sizes.assign(c.shape(0).rank(), 1);
  if (sizes.size() != c.shape(0).rank()) return c.error("window_dimensions, expected one for each dimension");
  TRY(std::vector<WindowDim> dims, mlir_window(c, sizes, {"window_strides", "", "", "padding", ""}));
  if (c.op.regions.size() != 2) return c.error("needs two regions");
  Instruction made = c.make(Opcode::select_and_scatter, std::move(shape), c.operands);
  made.attributes = Window{std::move(dims)};
  for (size_t k = 0; k < 2; ++k) {
    const char* key = k == 0 ? "select" : "scatter";
    TRY(const ComputationId called, closed_region(c, c.op.regions[k], key));
    made.called.edit().push_back({std::string(key), called});
  }
  return c.give(std::move(made));
}

// "[b, f, 0, 1]": where the two letters and the numbers stand.
Result<void> mlir_labels(const MlirCase& c, std::string_view bracket, std::string_view letters,
                         std::array<int64_t*, 2> plain, std::vector<int64_t>& spatial) {
  TRY(const std::vector<std::string_view> parts, mlir_parts(c.all.lexer(), bracket));
  if (parts.size() < 2) return c.error("labels of fewer than two dimensions");
  spatial.assign(parts.size() - 2, -1);
  for (size_t d = 0; d < parts.size(); ++d) {
    const size_t letter = parts[d].size() == 1 ? letters.find(parts[d][0]) : std::string_view::npos;
    MlirLexer lexer = c.all.lexer().within(parts[d]);
    const auto number = letter == std::string_view::npos ? lexer.integer() : std::nullopt;
    if (letter != std::string_view::npos) {
      *plain[letter] = static_cast<int64_t>(d);
    } else if (number && *number >= 0 && *number < static_cast<int64_t>(spatial.size())) {
      spatial[static_cast<size_t>(*number)] = static_cast<int64_t>(d);
    }
  }
  if (*plain[0] >= 0 && *plain[1] >= 0 && std::ranges::count(spatial, -1) == 0) return {};
  return c.error("labels " + std::string(bracket) + ", expected each letter and number once");
}

// "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]".
Result<void> read_convolution_labels(const MlirCase& c, std::string_view text, ConvolutionDims& dims) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return c.error("needs dim_numbers");
  MlirLexer lexer = c.all.lexer().within(text.substr(open));
  TRY(const std::string_view input, lexer.bracket());
  TRY_VOID(lexer.expect("x"));
  TRY(const std::string_view kernel, lexer.bracket());
  TRY_VOID(lexer.expect("->"));
  TRY(const std::string_view output, lexer.bracket());
  TRY_VOID(mlir_labels(c, input, "bf", {&dims.input_batch, &dims.input_feature}, dims.input_spatial));
  TRY_VOID(mlir_labels(c, kernel, "io", {&dims.kernel_input, &dims.kernel_output}, dims.kernel_spatial));
  TRY_VOID(mlir_labels(c, output, "bf", {&dims.output_batch, &dims.output_feature}, dims.output_spatial));
  if (dims.input_spatial.size() == dims.kernel_spatial.size() &&
      dims.input_spatial.size() == dims.output_spatial.size())
    return {};
  return c.error("labels of different numbers of spatial dimensions");
}

Result<void> lower_convolution(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  ConvolutionDims dims;
  TRY(const std::string_view labels, c.text({"dim_numbers", "dimension_numbers"}));
  TRY_VOID(read_convolution_labels(c, labels, dims));
  std::vector<int64_t> sizes;
  for (const int64_t d : dims.kernel_spatial) {
    if (d >= static_cast<int64_t>(c.shape(1).rank()))
      return c.error("labels of more dimensions than the kernel has");
    sizes.push_back(c.shape(1).dims[static_cast<size_t>(d)]);
  }
  // window = {stride = [1, 1], pad = [[0, 1], [0, 1]], …}, or attributes of their own.
  MlirOp said = c.op;
  TRY(const std::vector<MlirAttribute> window, mlir_entries(c.all.lexer(), c.op.attribute("window")));
  said.attributes.insert(said.attributes.end(), window.begin(), window.end());
  const bool pretty = !window.empty() || c.op.has("dim_numbers");
  const MlirCase with{c.all, c.scope, said, c.operands, c.opcode};
  TRY(dims.window, mlir_window(with, sizes,
                               pretty ? WindowTexts{"stride", "lhs_dilate", "rhs_dilate", "pad", "reverse"}
                                      : WindowTexts{"window_strides", "lhs_dilation", "rhs_dilation",
                                                    "padding", "window_reversal"}));
  TRY(const auto features, c.number({"feature_group_count"}));
  TRY(const auto batches, c.number({"batch_group_count"}));
  dims.feature_groups = features.value_or(1);
  dims.batch_groups = batches.value_or(1);
  Instruction made = c.make(Opcode::convolution, std::move(shape), c.operands);
  made.attributes = std::move(dims);
  TRY_VOID(add_precision(c, made));
  return c.give(std::move(made));
}

Result<void> lower_gather(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  GatherDims dims;
  std::vector<int64_t> index;
  TRY(const std::string_view numbers, c.text({"dimension_numbers"}));
  TRY_VOID(mlir_lists(c, numbers,
                      {{"offset_dims", &dims.offset_dims},
                       {"collapsed_slice_dims", &dims.collapsed_slice_dims},
                       {"start_index_map", &dims.start_index_map},
                       {"operand_batching_dims", &dims.operand_batching_dims},
                       {"start_indices_batching_dims", &dims.start_indices_batching_dims},
                       {"index_vector_dim", &index}}));
  dims.index_vector_dim = index.empty() ? 0 : index.front();
  TRY(dims.slice_sizes, c.numbers({"slice_sizes"}));
  Instruction made = c.make(Opcode::gather, std::move(shape), c.operands);
  made.attributes = std::move(dims);
  return c.give(std::move(made));
}

Result<void> lower_scatter(MlirCase& c) {
  TRY_VOID(c.expects(3));
  TRY(Shape shape, c.result());
  ScatterDims dims;
  std::vector<int64_t> index;
  TRY(const std::string_view numbers, c.text({"scatter_dimension_numbers"}));
  TRY_VOID(mlir_lists(c, numbers,
                      {{"update_window_dims", &dims.update_window_dims},
                       {"inserted_window_dims", &dims.inserted_window_dims},
                       {"scatter_dims_to_operand_dims", &dims.to_operand_dims},
                       {"input_batching_dims", &dims.input_batching_dims},
                       {"scatter_indices_batching_dims", &dims.indices_batching_dims},
                       {"index_vector_dim", &index}}));
  dims.index_vector_dim = index.empty() ? 0 : index.front();
  TRY(const ComputationId update, reducer_of(c, c.shape(0).type));
  Instruction made = c.make(Opcode::scatter, std::move(shape), c.operands);
  made.attributes = std::move(dims);
  made.called = {{"to_apply", update}};
  return c.give(std::move(made));
}

Result<void> lower_sort(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  TRY(const auto dimension, c.number({"dimension"}));
  const int64_t rank = static_cast<int64_t>(c.shape(0).rank());
  const int64_t along = dimension.value_or(-1);
  TRY(const ComputationId order, reducer_of(c, c.shape(0).type));
  Instruction made = c.make(Opcode::sort, std::move(shape), c.operands);
  made.dimensions = {along < 0 ? along + rank : along};
  made.called = {{"to_apply", order}};
  TRY(const std::string_view stable, c.text({"is_stable"}));
  if (stable == "true") made.verbatim.edit().push_back({"is_stable", "true"});
  return c.give(std::move(made));
}

// The k largest of the last dimension, and their places.
Result<void> lower_top_k(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::custom_call, std::move(shape), c.operands);
  made.attributes = CustomCall{"TopK"};
  return c.give(std::move(made));
}

constexpr StablehloOp kProductRows[] = {
    {"convolution", Opcode::convolution, lower_convolution},
    {"dot", Opcode::dot, lower_dot},
    {"dot_general", Opcode::dot, lower_dot_general},
    {"gather", Opcode::gather, lower_gather},
    {"ragged_dot", Opcode::ragged_dot, lower_ragged_dot},
    {"reduce", Opcode::reduce, lower_reduce},
    {"reduce_window", Opcode::reduce_window, lower_reduce_window},
    {"scatter", Opcode::scatter, lower_scatter},
    {"select_and_scatter", Opcode::select_and_scatter, lower_select_and_scatter},
    {"sort", Opcode::sort, lower_sort},
    {"top_k", Opcode::custom_call, lower_top_k},
};

}  // namespace

Result<void> mlir_lists(const MlirCase& c, std::string_view text, const std::vector<NamedList>& lists) {
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(c.all.lexer(), text));
  for (const MlirAttribute& entry : entries)
    for (const NamedList& list : lists) {
      if (list.key != entry.key) continue;
      TRY(MlirNumbers numbers, read_mlir_numbers(c.all.lexer(), entry.value));
      *list.into = std::move(numbers.numbers);
    }
  return {};
}

// precision = [DEFAULT, HIGH] as operand_precision={default,high}.
Result<void> add_precision(const MlirCase& c, Instruction& made) {
  TRY(const std::string_view text, c.text({"precision", "precision_config"}));
  TRY(const std::vector<std::string_view> parts, mlir_parts(c.all.lexer(), text));
  std::string out;
  bool plain = true;
  for (const std::string_view part : parts) {
    const std::string word = part.find("HIGHEST") != std::string_view::npos ? "highest"
                             : part.find("HIGH") != std::string_view::npos  ? "high"
                                                                            : "default";
    plain = plain && word == "default";
    out += (out.empty() ? "" : ",") + word;
  }
  if (!plain) made.verbatim.edit().push_back({"operand_precision", "{" + out + "}"});
  return {};
}

std::span<const StablehloOp> stablehlo_product_ops() {
  return kProductRows;
}

}  // namespace shardscope::inline program
