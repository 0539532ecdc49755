// SPDX-License-Identifier: Apache-2.0
// Derivatives of what puts the same elements in other places: the elements go back.
#include <algorithm>

#include "engine/grad/turn.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline grad {
namespace {

std::vector<InstructionId> starts_of(const GradTurn& t, size_t first) {
  std::vector<InstructionId> out;
  for (size_t k = first; k < t.operand_count(); ++k) out.push_back(t.operand(k));
  return out;
}

InstructionId total(const GradTurn& t, InstructionId id) {
  return t.page().reduce(Opcode::add, id, iota_dims(t.page().dims(id).size()));
}

}  // namespace

Result<void> grad_reshape(const GradTurn& t) {
  if (t.operand_shape(0).type != t.at().shape.type || t.at().shape.is_tuple)
    return t.error("its bits are read as another type");
  t.give(0, t.page().reshape(t.bar(), t.operand_dims(0)));
  return {};
}

Result<void> grad_transpose(const GradTurn& t) {
  std::vector<int64_t> inverse(t.at().dimensions->size());
  for (size_t d = 0; d < inverse.size(); ++d)
    inverse[static_cast<size_t>((*t.at().dimensions)[d])] = static_cast<int64_t>(d);
  t.give(0, t.page().transpose(t.bar(), inverse));
  return {};
}

Result<void> grad_broadcast(const GradTurn& t) {
  const std::vector<int64_t>& map = t.at().dimensions;
  std::vector<int64_t> added;
  for (size_t d = 0; d < t.at().shape.rank(); ++d)
    if (std::ranges::count(map, static_cast<int64_t>(d)) == 0) added.push_back(static_cast<int64_t>(d));
  t.give(0, t.page().reduce(Opcode::add, t.bar(), added));
  return {};
}

Result<void> grad_slice(const GradTurn& t) {
  std::vector<PadDim> padding;
  for (size_t d = 0; d < t.at().slice->size(); ++d) {
    const auto& [start, limit, stride] = (*t.at().slice)[d];
    const int64_t size = t.at().shape.dims[d];
    const int64_t covered = size == 0 ? 0 : (size - 1) * stride + 1;
    padding.push_back({start, t.operand_dims(0)[d] - start - covered, stride - 1});
  }
  t.give(0, t.page().pad(t.bar(), padding));
  return {};
}

Result<void> grad_concatenate(const GradTurn& t) {
  const auto along = static_cast<size_t>(t.at().dimensions->front());
  int64_t from = 0;
  for (size_t k = 0; k < t.operand_count(); ++k) {
    std::vector<SliceDim> ranges;
    for (const int64_t size : t.operand_dims(k)) ranges.push_back({0, size, 1});
    ranges[along] = {from, from + t.operand_dims(k)[along], 1};
    from = ranges[along].limit;
    if (t.wants(k)) t.give(k, t.page().slice(t.bar(), ranges));
  }
  return {};
}

// Back through negative padding, then each (interior + 1)-th element; the rest is of the value padded with.
Result<void> grad_pad(const GradTurn& t) {
  GradPage& page = t.page();
  TRY(const std::vector<PadDim> pad, pad_dims(t.at(), t.operand_shape(0).rank()));
  std::vector<PadDim> edges;
  std::vector<SliceDim> ranges;
  for (size_t d = 0; d < pad.size(); ++d) {
    edges.push_back({-pad[d].low, -pad[d].high, 0});
    const int64_t size = t.operand_dims(0)[d];
    const int64_t covered = size == 0 ? 0 : (size - 1) * (pad[d].interior + 1) + 1;
    ranges.push_back({0, covered, pad[d].interior + 1});
  }
  const InstructionId inner = page.slice(page.pad(t.bar(), edges), ranges);
  t.give(0, inner);
  if (t.wants(1)) t.give(1, page.op(Opcode::subtract, {total(t, t.bar()), total(t, inner)}));
  return {};
}

Result<void> grad_reverse(const GradTurn& t) {
  t.give(0, t.page().reverse(t.bar(), t.at().dimensions));
  return {};
}

// Into the cotangent so far, where there is one: a slice a round costs a slice a round.
Result<void> grad_dynamic_slice(const GradTurn& t) {
  if (!t.wants(0)) return {};
  GradPage& page = t.page();
  const std::vector<InstructionId> starts = starts_of(t, 1);
  const InstructionId whole = t.at().operands[0];
  const InstructionId so_far = t.sweep.bar(whole);
  if (!so_far.valid()) {
    const Shape shape = Shape::array(t.operand_shape(0).type, t.operand_dims(0));
    t.give(0, page.update_slice(page.zeros(shape), t.bar(), starts));
    return {};
  }
  const InstructionId before = page.dynamic_slice(so_far, starts, t.at().shape.dims);
  t.sweep.put(whole, page.update_slice(so_far, page.op(Opcode::add, {before, t.bar()}), starts));
  return {};
}

Result<void> grad_update_slice(const GradTurn& t) {
  GradPage& page = t.page();
  const std::vector<InstructionId> starts = starts_of(t, 2);
  if (t.wants(1)) t.give(1, page.dynamic_slice(t.bar(), starts, t.operand_dims(1)));
  if (!t.wants(0)) return {};
  const Shape update = Shape::array(t.operand_shape(1).type, t.operand_dims(1));
  t.give(0, page.update_slice(t.bar(), page.zeros(update), starts));
  return {};
}

}  // namespace shardscope::inline grad
