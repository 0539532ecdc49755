// SPDX-License-Identifier: Apache-2.0
// A computation of the module becomes one of the written program: each instruction by its rule, its result in
// the tiling that the module asks for.
#pragma once

#include <vector>

#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// What the entry tells beside its instructions.
struct SpmdEntry {
  std::vector<std::vector<HloSharding>> parameters;  // by number: of its leaves, over all devices
  std::vector<HloSharding> results;                  // of the root's leaves
  std::vector<MemoryLine> visits;                    // what the visits made, for the log: the largest
};
// The module's entry on the writer's page; gives its root.
Result<InstructionId> write_entry(const SpmdContext& cx, SpmdEntry& entry);

// A computation that `v` calls, beside the one being written and on the same devices.
struct CalledTilings {
  std::vector<std::vector<Tiling>> parameters;  // of their leaves, by number; empty: whole on every device
  std::vector<Tiling> results;                  // of the root's leaves; empty: whole
};
Result<ComputationId> write_called(const SpmdContext& cx, const Visit& v, ComputationId source,
                                   CalledTilings tilings);
// The instruction calling what it calls in the written program, on whole arrays.
Result<Instruction> with_called(const SpmdContext& cx, const Visit& v);

}  // namespace shardscope::inline partitioner
