// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/gpu_fusion_places.h"

#include <algorithm>

#include "engine/program/ir/op_table.h"
#include "engine/program/memory/in_place.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostPlacesWalked = 10'000'000;

size_t spot(InstructionId id) {
  return static_cast<size_t>(id.value);
}

bool is_alone_among(const Instruction& i, size_t count, size_t operand) {
  const InstructionId id(static_cast<int64_t>(operand));
  const auto last = i.operands.begin() + static_cast<std::ptrdiff_t>(count);
  return std::find(i.operands.begin(), last, id) != last && std::ranges::count(i.operands, id) == 1;
}

enum class Way : uint8_t { other, by_element, update, slice, scatter, reduce };
Way way_of(const Instruction& i) {
  static const OpTable<Way> kWays({{OpClass::elementwise, Way::by_element}},
                                  {{Opcode::convert, Way::by_element},
                                   {Opcode::reduce_precision, Way::by_element},
                                   {Opcode::tuple, Way::by_element},
                                   {Opcode::copy, Way::other},
                                   {Opcode::dynamic_update_slice, Way::update},
                                   {Opcode::dynamic_slice, Way::slice},
                                   {Opcode::scatter, Way::scatter},
                                   {Opcode::reduce, Way::reduce}});
  return kWays[i.opcode];
}

// Whether each element of it follows from the one in the same place of the operand.
bool is_by_element(const Instruction& i, size_t operand) {
  const Way way = way_of(i);
  return way == Way::by_element || (way == Way::update && spot(i.operands[0]) == operand);
}

size_t reduction_of(const Computation& fused, const std::vector<InstructionId>& roots) {
  for (InstructionId id : roots) {
    const Instruction* i = &fused.at(id);
    while (i->operands.size() == 1 &&
           (is_by_element(*i, spot(i->operands[0])) || has(i->opcode, Trait::view)))
      id = i->operands[0], i = &fused.at(id);
    if (way_of(*i) == Way::reduce) return spot(id);
  }
  return fused.instructions.size();
}

}  // namespace

struct GpuFusionPlaces::Goal {
  size_t root = 0;
  const Instruction* maker = nullptr;  // of the root's elements, where it only views them
};

GpuFusionPlaces::GpuFusionPlaces(const Computation& fused, bool reduces)
    : fused_(fused),
      readers_(readers_of(fused)),
      roots_(result_ids(fused)),
      reduction_(reduces ? reduction_of(fused, roots_) : fused.instructions.size()),
      budget_(kMostPlacesWalked) {}

bool GpuFusionPlaces::is_on_the_way(const Goal& goal, size_t reader, size_t from) const {
  const Instruction& i = fused_.instructions[reader];
  const bool ends_it = &i == goal.maker;
  if (ends_it && way_of(i) == Way::scatter && is_alone_among(i, i.operands.size() / 2, from)) return true;
  if (way_of(*goal.maker) == Way::update) {
    if (way_of(i) == Way::slice && i.operands[0] == goal.maker->operands[0] &&
        i.shape.dims == fused_.at(goal.maker->operands[1]).shape.dims)
      return i.shape.element_count() == 1 || is_part_of_update(i, *goal.maker);
    if (ends_it && spot(i.operands[1]) == from && spot(i.operands[0]) != from) return true;
  }
  return is_by_element(i, from) || has(i.opcode, Trait::view) || reader == reduction_;
}

bool GpuFusionPlaces::may_share(size_t from, InstructionId root) {
  Goal goal{spot(root), &fused_.at(root)};
  if (has(goal.maker->opcode, Trait::view)) goal.maker = &fused_.at(goal.maker->operands[0]);
  std::vector<bool> met(fused_.instructions.size(), false);
  std::vector<size_t> open{from};
  met[from] = true;
  while (!open.empty()) {
    const size_t next = open.back();
    open.pop_back();
    if (next == reduction_) continue;
    for (const size_t reader : readers_[next]) {
      if (budget_ == 0) return false;
      --budget_;
      if (!is_on_the_way(goal, reader, next)) return false;
      if (!met[reader]) open.push_back(reader);
      met[reader] = true;
    }
  }
  const bool others = std::ranges::any_of(
      roots_, [&](InstructionId other) { return spot(other) != goal.root && met[spot(other)]; });
  return met[goal.root] && !(others && !is_elementwise(goal.maker->opcode));
}

}  // namespace shardscope::inline program
