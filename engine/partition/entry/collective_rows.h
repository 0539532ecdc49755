// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/partition/reshard/resharder.h"
#include "engine/partition/types/module_names.h"

namespace shardscope::inline partitioner {

// Notes by the name of the collective that they are of, in `program` before it is cleaned up.
using NotesByName = std::unordered_map<std::string, SpmdNote>;
NotesByName notes_by_name(const Program& program, const std::vector<SpmdNote>& notes);

// A row for every collective of `made`'s program, in its order: why it is there, what moves and how much; of
// one that nobody noted the instruction of the module that it is there for. `names`: of `source`.
std::vector<CollectiveOrigin> collective_rows(const Program& source, const ModuleNames& names,
                                              const ModuleStage& made, const NotesByName& notes);

}  // namespace shardscope::inline partitioner
