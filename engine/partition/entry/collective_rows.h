// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/partition/reshard/resharder.h"

namespace shardscope {

// Notes by the name of the collective that they are of, in `program` before it is cleaned up.
using NotesByName = std::unordered_map<std::string, SpmdNote>;
NotesByName notes_by_name(const Program& program, const std::vector<SpmdNote>& notes);

// A row for every collective of the partitioned program, in its order: why it is there, what moves and how
// much. `made_for` names the instruction of a collective that nobody noted.
std::vector<CollectiveOrigin> collective_rows(const Program& source, const Program& program,
                                              const NotesByName& notes, const std::vector<MadeFor>& made_for);

}  // namespace shardscope
