// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/partition/types/partitioned.h"

namespace shardscope::inline partitioner {

// What only guides Shardy's propagation (sdy.propagation_barrier, sdy.sharding_group) and is nothing
// afterwards.
inline constexpr const char* kPropagationBarrier = "xla.sdy.PropagationBarrier";
// What is said of a function's result: it is no part of what is returned, whose own sharding spreads.
inline constexpr const char* kFuncResultSharding = "xla.sdy.FuncResultSharding";
inline constexpr const char* kAllowedDirection = "xla.sdy.allowed_direction";  // of a barrier
inline constexpr const char* kShardingGroup = "xla.sdy.ShardingGroup";
struct PropagationGuides {
  std::vector<std::pair<int64_t, std::string>> groups;  // by number: an array that is in it
};

// The module as partitioning reads it: calls and fusions of the entry inlined, annotations ("Sharding" custom
// calls) moved onto what they annotate or made copies, dead instructions removed; in the dialect of 2022
// plain products are convolutions, as TPU compilers make them first. Bodies of loops and branches stay
// computations. `renamed`, when given: the names that an instruction got where the module calls it
// differently. `guides`, when given: barriers stay, groups are listed there.
using RenamedInstructions = std::map<std::string, std::string>;
// The module's name of an instruction.
const std::string& written_name(const RenamedInstructions& renamed, const std::string& name);
Result<Program> prepare_for_spmd(Program module, SpmdDialect dialect, RenamedInstructions* renamed = nullptr,
                                 PropagationGuides* guides = nullptr);
// Whether a module that it gave once would come out otherwise a second time: with other guides or in another
// dialect.
bool needs_preparing(const Program& module, SpmdDialect dialect);

// Drops what the root does not need; parameters stay, and by default custom-calls that say that they do
// something that nobody sees here: print, check, write a file.
enum class Effects : unsigned char { kept, dropped };
void remove_dead(Computation& computation, Effects effects = Effects::kept);
// Drops computations that the entry does not call, directly or not.
void keep_called(Program& program);

}  // namespace shardscope::inline partitioner
