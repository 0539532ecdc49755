// SPDX-License-Identifier: Apache-2.0
// Index arithmetic of the builder: HLO scalars from partition-id on, each written once.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/program/build/builder_state.h"

namespace shardscope::inline program {
namespace {

int64_t floor_mod(int64_t value, int64_t modulus) {
  return ((value % modulus) + modulus) % modulus;
}

}  // namespace

InstructionId SpmdBuilder::scalar(Opcode opcode, ElementType type, InstructionId first, InstructionId second,
                                  int64_t value) {
  const auto [known, is_new] = state_->scalars.try_emplace({opcode, type, first, second, value});
  if (!is_new) return known->second;

  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = Shape::scalar(type);
  for (const InstructionId operand : {first, second})
    if (operand.valid()) instruction.operands.push_back(operand);
  if (opcode == Opcode::constant && !state_->is_sketch) instruction.literal = std::to_string(value);
  // A shared scalar belongs to no step.
  const Provenance provenance = std::exchange(state_->provenance, {});
  const InstructionId id = emit(std::move(instruction)).id_;
  state_->provenance = provenance;
  known->second = id;
  return id;
}

InstructionId SpmdBuilder::scalar_constant(ElementType type, int64_t value) {
  return scalar(Opcode::constant, type, {}, {}, value);
}

Index SpmdBuilder::ranged(InstructionId id, int64_t lowest, int64_t highest) {
  limit(lowest >= std::numeric_limits<int32_t>::min() && highest <= std::numeric_limits<int32_t>::max(),
        "needs array dimensions below 2^31, got an index up to " + std::to_string(highest));
  if (!ok()) return 0;
  const auto at = static_cast<size_t>(id.value);
  if (state_->ranges.size() <= at) state_->ranges.resize(at + 1);
  state_->ranges[at] = {lowest, highest};
  return {this, id, 1, 0};
}

SpmdBuilder::Range SpmdBuilder::range_of(Index index) const {
  if (index.builder_ == nullptr) return {index.offset_, index.offset_};
  const Range range = state_->ranges.at(static_cast<size_t>(index.id_.value));
  const int64_t a = range.lowest * index.factor_, b = range.highest * index.factor_;
  return {std::min(a, b) + index.offset_, std::max(a, b) + index.offset_};
}

InstructionId SpmdBuilder::materialize(Index index) {
  const auto s32 = ElementType::s32;
  if (index.builder_ == nullptr) return scalar_constant(s32, index.offset_);
  const auto apply = [&](Opcode opcode, int64_t constant, Index value) {
    const Range range = range_of(value);
    const InstructionId id = scalar(opcode, s32, index.id_, scalar_constant(s32, constant));
    return ranged(id, range.lowest, range.highest).id_;
  };
  if (index.factor_ != 1) index.id_ = apply(Opcode::multiply, index.factor_, index - index.offset_);
  if (index.offset_ != 0 && ok())
    index.id_ = apply(Opcode::add, index.offset_, {this, index.id_, 1, index.offset_});
  return index.id_;
}

Index SpmdBuilder::axis_index(std::string_view role) {
  const auto position = state_->axis(role);
  limit(position.has_value(), "needs a mesh axis for " + std::string(role) + ", got " + state_->mesh.text());
  if (!ok() || size(role) == 1) return 0;
  const auto s32 = ElementType::s32;
  InstructionId id = scalar(Opcode::convert, s32, scalar(Opcode::partition_id, ElementType::u32));
  const int64_t stride = state_->mesh.stride(*position);
  if (stride != 1) id = scalar(Opcode::divide, s32, id, scalar_constant(s32, stride));
  if (stride * size(role) != state_->mesh.device_count()) {
    id = scalar(Opcode::remainder, s32, id, scalar_constant(s32, size(role)));
  }
  state_->entry.instructions[static_cast<size_t>(id.value)].name = axis(role) + "_index";
  return ranged(id, 0, size(role) - 1);
}

Index operator+(Index a, Index b) {
  if (a.builder_ == nullptr) std::swap(a, b);
  if (b.builder_ == nullptr) return {a.builder_, a.id_, a.factor_, a.offset_ + b.offset_};
  if (a.id_ == b.id_) {
    const int64_t factor = a.factor_ + b.factor_, offset = a.offset_ + b.offset_;
    return factor == 0 ? Index(offset) : Index(a.builder_, a.id_, factor, offset);
  }
  SpmdBuilder& builder = *a.builder_;
  const int64_t offset = std::exchange(a.offset_, 0) + std::exchange(b.offset_, 0);
  const auto of_a = builder.range_of(a), of_b = builder.range_of(b);
  const InstructionId first = builder.materialize(a), second = builder.materialize(b);
  const InstructionId sum = builder.scalar(Opcode::add, ElementType::s32, first, second);
  return builder.ranged(sum, of_a.lowest + of_b.lowest, of_a.highest + of_b.highest) + offset;
}

Index operator-(Index a, Index b) {
  return a + b * -1;
}

Index operator*(Index a, Index b) {
  if (a.builder_ == nullptr) std::swap(a, b);
  CHECK(b.builder_ == nullptr, "the product of two device-dependent indices");
  if (b.offset_ == 0) return 0;
  return {a.builder_, a.id_, a.factor_ * b.offset_, a.offset_ * b.offset_};
}

// `opcode`: minimum or maximum.
Index SpmdBuilder::bounded(Opcode opcode, Index a, int64_t bound) {
  const bool least = opcode == Opcode::minimum;
  const Range range = range_of(a);
  if (least ? range.highest <= bound : range.lowest >= bound) return a;
  if (least ? range.lowest >= bound : range.highest <= bound) return bound;
  const InstructionId value = materialize(a), limit = scalar_constant(ElementType::s32, bound);
  const InstructionId id = scalar(opcode, ElementType::s32, value, limit);
  return least ? ranged(id, range.lowest, bound) : ranged(id, bound, range.highest);
}

Index min(Index a, int64_t b) {
  if (a.builder_ == nullptr) return std::min(a.offset_, b);
  return a.builder_->bounded(Opcode::minimum, a, b);
}

Index max(Index a, int64_t b) {
  if (a.builder_ == nullptr) return std::max(a.offset_, b);
  return a.builder_->bounded(Opcode::maximum, a, b);
}

// HLO's remainder has the sign of its dividend, so the dividend is first raised by a multiple of the modulus.
Index operator%(Index a, int64_t modulus) {
  CHECK(modulus > 0, modulus);
  if (a.builder_ == nullptr) return floor_mod(a.offset_, modulus);
  SpmdBuilder& builder = *a.builder_;
  const int64_t lowest = builder.range_of(a).lowest;
  a.offset_ += floor_mod(lowest, modulus) - lowest;
  if (builder.range_of(a).highest < modulus) return a;
  const InstructionId dividend = builder.materialize(a);
  const InstructionId divisor = builder.scalar_constant(ElementType::s32, modulus);
  return builder.ranged(builder.scalar(Opcode::remainder, ElementType::s32, dividend, divisor), 0,
                        modulus - 1);
}

}  // namespace shardscope::inline program
