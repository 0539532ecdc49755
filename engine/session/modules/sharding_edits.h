// SPDX-License-Identifier: Apache-2.0
// Changes of a module's annotations: one array gets another sharding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// The sharding that an array of the module is to have.
struct ShardingEdit {
  std::string instruction;   // in the module
  std::string display_name;  // display_name of that
  std::string sharding;      // as HLO text: "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"
  std::string spec;          // the same on the mesh: "P('x', None)"
  std::string reader{};      // only where this instruction of the module reads it; "": wherever it is
  bool operator==(const ShardingEdit&) const = default;
};

// An array's sharding, its own or the propagated one; none: of several arrays, or whole. `instruction`: of
// the module that `made` was partitioned from.
std::optional<HloSharding> sharding_of(const Partitioned& made, const std::string& instruction);

// An array that a collective's instruction reads or makes, how it is split now, and that instruction.
struct NearArray {
  std::string name;  // of the annotation that says how it lies, where the module has one
  Shape shape;
  PartitionSpec spec;        // one entry per dimension
  std::string reader, read;  // "": nobody; the operand of it that this is
  bool named = true;         // false: the mesh's axes do not say it, and `spec` is empty
};
// The operand that the collective moves comes first, then what the instruction makes, then the rest.
std::vector<NearArray> arrays_near(const Partitioned& made, const CollectiveOrigin& origin);
// Every sharding that is one step from the array's own and divides it: an axis dropped, or in another
// dimension. None where that one is not named.
std::vector<PartitionSpec> one_step_away(const NearArray& array, const Mesh& mesh);
// None: the mesh's axes do not say it.
std::optional<ShardingEdit> edit_to(const Partitioned& made, const NearArray& array,
                                    const PartitionSpec& spec);

// What is worth trying against a collective, the likeliest first, each once: the array that it moves as its
// reader asks for it, that array on its way to the reader as `stops` say, shardings one step away of all
// arrays near.
std::vector<ShardingEdit> edits_against(const Partitioned& made, const CollectiveOrigin& origin,
                                        const std::vector<HloSharding>& stops);

// The module with the edit made. An edit for one reader alone is an annotation between the two.
Program with_edit(const Program& module, const ShardingEdit& edit);

}  // namespace shardscope::inline session
