// SPDX-License-Identifier: Apache-2.0
// Derivatives of products and convolutions: products of the cotangent with the other side.
#include <algorithm>

#include "engine/grad/turn.h"
#include "engine/program/build/grouped_rows.h"
#include "engine/program/ir/convolution_gradients.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/free_dims.h"

namespace shardscope::inline grad {
namespace {

using Dims = std::vector<int64_t>;

Dims count_from(int64_t first, size_t count) {
  Dims out(count);
  for (size_t k = 0; k < count; ++k) out[k] = first + static_cast<int64_t>(k);
  return out;
}

// Which precision a product is asked for holds for its derivative; the rest of its attributes does not.
void take_precision(const Instruction& from, Instruction& to) {
  for (const VerbatimAttribute& a : *from.verbatim)
    if (std::string_view(a.key) == "operand_precision") to.verbatim.edit().push_back(a);
}

InstructionId product(const GradTurn& t, InstructionId lhs, InstructionId rhs, const DotDims& dims) {
  GradPage& page = t.page();
  Shape to = Shape::array(page.type(lhs), {});
  const auto append = [&](InstructionId side, const Dims& which) {
    for (const int64_t d : which) to.dims.push_back(page.dims(side)[static_cast<size_t>(d)]);
  };
  append(lhs, dims.lhs_batch);
  append(lhs, free_dims(page.dims(lhs).size(), dims.lhs_batch, dims.lhs_contracting));
  append(rhs, free_dims(page.dims(rhs).size(), dims.rhs_batch, dims.rhs_contracting));
  const InstructionId made = page.op(Opcode::dot, std::move(to), {lhs, rhs});
  page.edit(made).dot = dims;
  take_precision(t.at(), page.edit(made));
  return made;
}

// What the operand's dimensions are in the other's product with the cotangent: batch, free, and those that it
// contracted, as the other side has them.
void give_product(const GradTurn& t, size_t side) {
  GradPage& page = t.page();
  const DotDims& dot = t.at().dot;
  const bool left = side == 0;
  const Dims &own_batch = left ? dot.lhs_batch : dot.rhs_batch,
             &own_contracting = left ? dot.lhs_contracting : dot.rhs_contracting,
             &other_batch = left ? dot.rhs_batch : dot.lhs_batch,
             &other_contracting = left ? dot.rhs_contracting : dot.lhs_contracting;
  const Dims own_free = free_dims(t.operand_shape(side).rank(), own_batch, own_contracting),
             other_free = free_dims(t.operand_shape(1 - side).rank(), other_batch, other_contracting);
  const auto batches = static_cast<int64_t>(own_batch.size());
  const auto lhs_free = static_cast<int64_t>(left ? own_free.size() : other_free.size());
  DotDims dims;
  dims.lhs_batch = count_from(0, own_batch.size());
  dims.rhs_batch = other_batch;
  dims.lhs_contracting = count_from(left ? batches + lhs_free : batches, other_free.size());
  dims.rhs_contracting = other_free;
  const InstructionId other = page.convert(t.operand(1 - side), t.at().shape.type);
  const InstructionId made = product(t, t.bar(), other, dims);
  Dims is = own_batch;
  is.insert(is.end(), own_free.begin(), own_free.end());
  Dims sorted = other_contracting;
  std::ranges::sort(sorted);
  for (const int64_t d : sorted)
    is.push_back(own_contracting[static_cast<size_t>(std::ranges::find(other_contracting, d) -
                                                     other_contracting.begin())]);
  Dims permutation(is.size());
  for (size_t k = 0; k < is.size(); ++k) permutation[static_cast<size_t>(is[k])] = static_cast<int64_t>(k);
  t.give(side, page.convert(page.transpose(made, permutation), t.operand_shape(side).type));
}

// Splits a dimension into [groups, rest] and merges the groups into another one, in front of it.
InstructionId move_groups(GradPage& page, InstructionId id, int64_t from, int64_t to, int64_t groups) {
  Dims split = page.dims(id);
  split[static_cast<size_t>(from)] /= groups;
  split.insert(split.begin() + from, groups);
  Dims order;
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d)
    if (d != from) order.push_back(d);
  order.insert(order.begin() + to, from);
  Dims merged = page.dims(id);
  merged[static_cast<size_t>(from)] /= groups;
  merged[static_cast<size_t>(to)] *= groups;
  return page.reshape(page.transpose(page.reshape(id, split), order), merged);
}

InstructionId convolved(const GradTurn& t, InstructionId lhs, InstructionId rhs, const ConvolutionDims& dims,
                        const Dims& result) {
  GradPage& page = t.page();
  const InstructionId made = page.op(Opcode::convolution, Shape::array(page.type(lhs), result), {lhs, rhs});
  page.edit(made).attributes = dims;
  take_precision(t.at(), page.edit(made));
  return made;
}

// The cotangent convolved with the reversed kernel, its features exchanged.
void give_input(const GradTurn& t, const ConvolutionDims& c) {
  GradPage& page = t.page();
  const int64_t groups = std::max(c.feature_groups, c.batch_groups);
  InstructionId kernel = page.convert(t.operand(1), t.at().shape.type);
  if (groups > 1) kernel = move_groups(page, kernel, c.kernel_output, c.kernel_input, groups);
  const ConvolutionDims back = gradient_of_input(c, t.operand_shape(0), t.at().shape);
  Dims result = t.operand_dims(0);
  if (c.batch_groups > 1) {
    result[static_cast<size_t>(c.input_batch)] /= c.batch_groups;
    result[static_cast<size_t>(c.input_feature)] *= c.batch_groups;
  }
  InstructionId made = convolved(t, t.bar(), kernel, back, result);
  if (c.batch_groups > 1) made = move_groups(page, made, c.input_feature, c.input_batch, c.batch_groups);
  t.give(0, page.convert(made, t.operand_shape(0).type));
}

// The input convolved with the cotangent, batch and features exchanged.
void give_kernel(const GradTurn& t, const ConvolutionDims& c) {
  GradPage& page = t.page();
  const ConvolutionDims back = gradient_of_kernel(c, t.operand_shape(0), t.at().shape);
  Dims reversed;
  for (size_t s = 0; s < c.window.size(); ++s)
    if (c.window[s].reversed) reversed.push_back(c.kernel_spatial[s]);
  const InstructionId input = page.convert(t.operand(0), t.at().shape.type);
  const InstructionId made = convolved(t, input, t.bar(), back, t.operand_dims(1));
  t.give(1, page.convert(page.reverse(made, reversed), t.operand_shape(1).type));
}

}  // namespace

Result<void> grad_dot(const GradTurn& t) {
  for (size_t side = 0; side < 2; ++side)
    if (t.wants(side)) give_product(t, side);
  return {};
}

Result<void> grad_convolution(const GradTurn& t) {
  TRY(const ConvolutionDims dims, convolution_dims(t.sweep.from(), t.at()));
  if (t.wants(0)) give_input(t, dims);
  if (t.wants(1)) give_kernel(t, dims);
  return {};
}

// Rows of each group: those of the left side from where the sizes before it end to where its own does.
Result<void> grad_ragged_dot(const GradTurn& t) {
  GradPage& page = t.page();
  const DotDims& dot = t.at().dot;
  const bool plain = t.operand_shape(0).rank() == 2 && t.operand_shape(1).rank() == 3 &&
                     dot.lhs_contracting == Dims{1} && dot.rhs_contracting == Dims{1} &&
                     dot.lhs_batch.empty();
  if (!plain) return t.error("only products [rows, k] with [groups, k, n] have one");
  if (t.wants(0)) {
    const InstructionId made = page.op(
        Opcode::ragged_dot, Shape::array(t.at().shape.type, t.operand_dims(0)),
        {t.bar(), page.transpose(page.convert(t.operand(1), t.at().shape.type), {0, 2, 1}), t.operand(2)});
    page.edit(made).dot = dot;
    page.edit(made).verbatim = t.at().verbatim;
    t.give(0, page.convert(made, t.operand_shape(0).type));
  }
  if (!t.wants(1)) return {};
  const InstructionId lhs = page.convert(t.operand(0), t.at().shape.type);
  const AddInstruction add = [&](Instruction i) { return page.made(std::move(i)); };
  const InstructionId own = rows_of_each_group(add, lhs, page.shape(lhs), t.operand(2), t.operand_dims(1)[0]);
  t.give(1, page.convert(product(t, own, t.bar(), over_rows()), t.operand_shape(1).type));
  return {};
}

}  // namespace shardscope::inline grad
