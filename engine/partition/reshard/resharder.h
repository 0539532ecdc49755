// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/partition/reshard/spmd_writer.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {

// What the partitioner is doing when it makes a collective: kept for CollectiveOrigin.
struct SpmdReason {
  std::string rule;
  std::string operand;
  const Instruction* source = nullptr;
};

// A collective of the written program and why it is there; the instruction's name is not yet known.
struct SpmdNote {
  ComputationId computation;  // of the written program; none: the entry
  InstructionId collective;
  SpmdReason reason;
  std::string from, to;  // of all devices, where that is known, else of the group that was worked in
  std::optional<Tiling> from_all{}, to_all{};  // none: no tiling of all devices says it
  bool adds_up = false;                        // partial results, to one that lies as `to` says
};

// A value's text as XLA prints it: operands with shapes, names without numbers, device lists in the dialect's
// form.
std::string spmd_text(const SpmdWriter& writer, InstructionId id, const HloSharding* sharding = nullptr);
std::string spmd_sharding_text(const HloSharding& sharding, SpmdDialect dialect);

// The same number for scopes of the same groups: what is gathered in one is there in all.
class ScopeNumbers {
 public:
  int32_t of(const SpmdScope& scope);

 private:
  std::map<std::vector<std::vector<int64_t>>, int32_t> by_groups_;
  std::map<int32_t, int32_t> by_partition_id_;
};

// Moves values from one tiling to another, by the cheapest of XLA's ways that fits, in XLA's order:
// collective-permute (other devices), dynamic-slice (finer), all-gather (coarser), all-to-all (cut moves to
// another dimension), and through what both have in common. Remembers what it has made.
class Resharder {
 public:
  explicit Resharder(SpmdWriter& writer, ReplicaParts parts = ReplicaParts::never)
      : writer_(writer), parts_(parts) {}

  Sharded to(const SpmdScope& scope, const Sharded& value, const Tiling& target);
  // Only renaming, a permute or an all-to-all would be needed.
  bool is_cheap(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) const;

  // value where the array is, `padding` in what a tile has beyond the array's end along `dims`.
  Sharded masked(const SpmdScope& scope, const Sharded& value, const std::vector<int64_t>& dims,
                 InstructionId padding);

  // Partial results of the devices along `dims` of the tiling, combined: one all-reduce per dimension, the
  // last one first.
  InstructionId combined(const SpmdScope& scope, const Sharded& partial, const std::vector<int64_t>& dims,
                         Opcode reducer);

  // Why the next collectives are made. Restores the former reason at the end of its life.
  class Because {
   public:
    Because(Resharder& resharder, std::string rule, std::string operand);
    ~Because();
    Because(const Because&) = delete;
    Because& operator=(const Because&) = delete;

   private:
    Resharder& resharder_;
    SpmdReason before_;
  };
  // What is made for the instruction; rules that know more say it with Because.
  // `region`: the groups of devices that it is done in.
  void visit(const Instruction* source, const DeviceGroups& region);
  // Notes the collectives made since `first` that have none yet. `in`: how the array lies in that of all
  // devices.
  void note(int64_t first, const std::string& from, const std::string& to);
  void note(int64_t first, const Tiling& from, const std::string& to);
  void note(int64_t first, const Tiling& from, const Tiling& to, const InGroups* in = nullptr);
  // Of partial results, which are combined to an array of `to`.
  void note_sum(int64_t first, const Tiling& to, const InGroups* in = nullptr);

  // One for another computation of the writer; its notes come back as those of `computation`.
  Resharder for_page() const;
  void adopt(Resharder& page, ComputationId computation);

  const std::vector<SpmdNote>& notes() const { return notes_; }
  const std::vector<std::string>& steps() const { return steps_; }
  struct FullCopy {
    const Instruction* source;
    InstructionId value;
    Tiling from, to;
    std::vector<int64_t> dims;  // of the array
  };
  const std::vector<FullCopy>& full_copies() const { return full_copies_; }

 private:
  using Key = std::tuple<int32_t, int32_t, std::vector<int64_t>, std::vector<int64_t>>;
  void note(int64_t first, const SpmdNote& like);
  Sharded change(const SpmdScope& scope, const Sharded& value, const Tiling& target);
  Sharded permuted(const SpmdScope& scope, const Sharded& value, const Tiling& target);
  Sharded moved(const SpmdScope& scope, const Sharded& value, const Move& move);
  Sharded sliced(const SpmdScope& scope, const Sharded& value, const Tiling& target);  // nested_tiles.cpp
  Sharded gathered(const SpmdScope& scope, Sharded value, const Tiling& target);
  Sharded gather_at_once(const SpmdScope& scope, const Sharded& value, const Tiling& target);
  Sharded exchanged(const SpmdScope& scope, Sharded value, const Exchange& move);

  SpmdWriter& writer_;
  ReplicaParts parts_;
  SpmdReason reason_;
  std::vector<SpmdNote> notes_;
  std::vector<std::string> steps_;
  std::vector<FullCopy> full_copies_;
  std::map<Key, Sharded> known_;
  ScopeNumbers scopes_;
  DeviceGroups region_;
  std::set<int64_t> noted_;  // instructions that have a note
};

}  // namespace shardscope::inline partitioner
