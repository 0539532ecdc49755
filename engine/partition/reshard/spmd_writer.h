// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/partition/types/partitioned.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

// The devices that a part of the program is written for: all of them, or groups that do the same side by
// side. Tilings inside a scope number devices by their place in the group.
struct SpmdScope {
  DeviceGroups groups;         // global devices
  InstructionId partition_id;  // u32[]: the place of a device in its group
  int64_t size() const { return groups.size(); }
};

// How an array inside of groups lies in that of the devices around: its dimensions `on` are tiles there,
// `counts` of them, one for each group (row-major).
struct InGroups {
  std::vector<int64_t> on, counts;
  DeviceGroups groups;
  std::shared_ptr<const InGroups> around;  // null: the devices around are all
};
// A tiling inside of groups as one of all devices.
Tiling across_all(Tiling inner, const InGroups* in);

// A value on every device of a scope: one tile of `base` each, padded to the tile's full size.
struct Sharded {
  InstructionId id;
  Shape base;
  Tiling tiling;
  std::shared_ptr<const InGroups> in{};  // of the array; null: of no groups
};

// The partitioned program as it is being written: instructions in the order of their making, each under the
// source instruction being visited, with that one's metadata. Until the end, when names are given as XLA's
// name table does, an instruction's name is that of the source instruction it is made for.
class SpmdPages {
 public:
  SpmdPages(int64_t devices, SpmdDialect dialect);

  SpmdDialect dialect() const { return dialect_; }
  const SpmdScope& whole() const { return whole_; }
  // What follows is made for `source` (null: for nobody).
  void visit(const Instruction* source) { source_ = source; }
  InstructionId add(Instruction instruction);
  const Instruction& at(InstructionId id) const { return made_[static_cast<size_t>(id.value)]; }
  Instruction& at(InstructionId id) { return made_[static_cast<size_t>(id.value)]; }
  const Shape& shape(InstructionId id) const { return at(id).shape; }
  int64_t count() const { return static_cast<int64_t>(made_.size()); }
  // Another computation is begun, with its own partition-id; closing it gives it and goes on where writing
  // was.
  struct Page {
    std::vector<Instruction> made;
    SpmdScope whole;
  };
  Page open_page();
  Computation close_page(Page page, std::string name, InstructionId root);

  // Computations that instructions call, in the order of their making.
  ComputationId add_computation(Computation computation);
  std::vector<Computation>& computations() { return computations_; }
  const std::vector<Computation>& computations() const { return computations_; }
  int64_t next_channel() { return ++channels_; }

 private:
  SpmdDialect dialect_;
  SpmdScope whole_;
  const Instruction* source_ = nullptr;
  std::vector<Instruction> made_;
  std::vector<Computation> computations_;
  int64_t channels_ = 0;
};

// Writes instructions onto the pages.
class SpmdWriter : public SpmdPages {
 public:
  using SpmdPages::SpmdPages;

  // The same scope cut further: groups of places in `scope`.
  SpmdScope inner(const SpmdScope& scope, const DeviceGroups& groups);
  ComputationId reducer(Opcode opcode, ElementType type);
  ComputationId adding_up(ElementType type) {
    return reducer(type == ElementType::pred ? Opcode::or_ : Opcode::add, type);
  }

  // Plain instructions; shapes follow from the operands.
  InstructionId constant(ElementType type, const std::string& literal, std::vector<int64_t> dims = {});
  InstructionId zero(ElementType type) {
    return constant(type, type == ElementType::pred ? "false" : is_complex(type) ? "(0, 0)" : "0");
  }
  InstructionId op(Opcode opcode, Shape shape, std::vector<InstructionId> operands);
  InstructionId reshape(InstructionId id, std::vector<int64_t> dims);
  InstructionId transpose(InstructionId id, std::vector<int64_t> permutation);
  InstructionId broadcast(InstructionId id, std::vector<int64_t> dims, std::vector<int64_t> map);
  InstructionId slice(InstructionId id, size_t dim, int64_t start, int64_t limit);
  InstructionId concatenate(std::vector<InstructionId> ids, size_t dim);
  InstructionId pad(InstructionId id, size_t dim, PadDim padding, InstructionId value);
  InstructionId pad_high(InstructionId id, size_t dim, int64_t size, InstructionId value) {
    return pad(id, dim, {0, size - shape(id).dims[dim], 0}, value);
  }
  InstructionId dynamic_slice(InstructionId id, const std::vector<InstructionId>& starts,
                              std::vector<int64_t> sizes);
  InstructionId compare(InstructionId a, InstructionId b, CompareDirection direction);
  // values[i] on place i of the scope, as a scalar: a constant table and a look into it.
  InstructionId table(const SpmdScope& scope, ElementType type, const std::vector<int64_t>& values);

  // `size` elements along a dimension, from starts[i] on on place i of the scope.
  InstructionId rows_at(InstructionId id, const SpmdScope& scope, size_t dim,
                        const std::vector<int64_t>& starts, int64_t size);

  // Communication; members: places in the scope, groups of one size.
  InstructionId all_gather(InstructionId id, const SpmdScope& scope, const DeviceGroups& members, size_t dim);
  InstructionId all_reduce(InstructionId id, const SpmdScope& scope, const DeviceGroups& members,
                           ComputationId to_apply);
  InstructionId all_to_all(InstructionId id, const SpmdScope& scope, const DeviceGroups& members, size_t dim);
  // pairs: places in the scope.
  InstructionId permute(InstructionId id, const SpmdScope& scope,
                        const std::vector<std::pair<int64_t, int64_t>>& pairs);

 private:
  std::map<std::pair<Opcode, ElementType>, ComputationId> reducers_;
};

// "1,0": the layout that XLA prints for an array nobody laid out otherwise.
Shape with_default_layout(Shape shape);

}  // namespace shardscope::inline partitioner
